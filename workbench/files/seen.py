"""What a session has seen of which file: the read state behind `not_read`, `stale` and `unchanged` (SPEC S1-S5, R8).

For each file it keeps the version that was read and the places seen in it, as ranges of (line, column). Everything
that changes it also gives a *note*, a JSON object that goes into `Result.view["seen"]`; `apply` replays notes from the
journal after a restart. Only what makes answers nicer is lost then: the old text, from which `stale` draws its diff.

How the tools use it:

* read_file: `note = seen.shown(...)` after a page was cut, and `seen.repeated(...)` before, for the `unchanged` stub.
* a tool that changes a file: `seen.check(rel, content, need)` with the bytes as they are now, then, after the write,
  `note = seen.wrote(rel, content, changes)`; `seen.moved` and `seen.forget` after a move or a delete.
* the runner: `apply(notes)` for each result when a session is rebuilt, `forget_shown()` when older results left the
  conversation (compaction), `copy()` for a subagent.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.files import Refused
from workbench.files.changed import changed_lines, last_line
from workbench.files.spans import Lines, Place, Span, merged, missing, shifted

__all__ = ["Change", "Lines", "Note", "Place", "Seen", "Span"]

Note = dict[str, Any]
_TEXTS = 16 << 20
"""bytes of old contents kept for diffs, over all files of a session"""
_TEXT = 1 << 20
_ANSWERS = 200
"""answers remembered a file, for `repeated`"""
_RANGES = 400
"""hashed byte ranges a large file"""


@dataclass(frozen=True)
class Change:
    """`old` lines from line `first` (before the write) became `new` lines."""

    first: int
    old: int
    new: int


@dataclass(frozen=True)
class _File:
    """What is known of one file."""

    version: str
    size: int
    spans: tuple[Span, ...] = ()
    hashes: tuple[tuple[int, int, str], ...] = ()
    """(start, end, sha256) of the bytes seen, when `version` is not the hash of all"""
    answers: frozenset[str] = field(default=frozenset(), compare=False)
    encoding: str = ""
    """the one that was named when it was last read, "" when none was"""


class Seen:
    """Read state of one session; bounded, safe to use from several threads."""

    def __init__(self, limit: int = 1000) -> None:
        self.limit = limit
        self._files: OrderedDict[str, _File] = OrderedDict()
        self._texts: OrderedDict[str, bytes] = OrderedDict()
        self._kept = 0
        """bytes in `_texts`"""
        self._lock = threading.RLock()

    def shown(
        self,
        rel: str,
        version: str,
        span: Span,
        *,
        size: int,
        key: str = "",
        content: bytes | None = None,
        bytes_seen: tuple[int, int, str] | None = None,
        encoding: str = "",
    ) -> Note:
        """A page was shown. `key` names the exact answer, for `repeated`; `content` is the whole file if small.

        `bytes_seen` is (start, end, sha256) of the page's bytes, for a file too large to be hashed whole. `encoding` is
        the one that was named: what is changed later must be decoded as it was shown.
        """
        note: Note = {"do": "saw", "path": rel, "version": version, "size": size, "span": [*span[0], *span[1]]}
        if bytes_seen:
            note["bytes"] = list(bytes_seen)
        if key:
            note["key"] = key
        if encoding:
            note["encoding"] = encoding
        with self._lock:
            self._apply(note)
            self._keep_text(version, content)
        return note

    def repeated(self, rel: str, version: str, key: str) -> bool:
        """The same answer about the same version is still in the conversation."""
        with self._lock:
            file = self._files.get(rel)
            return file is not None and file.version == version and key in file.answers

    def encoding(self, rel: str) -> str | None:
        """The encoding that was named when the file was last read; None when it was detected."""
        with self._lock:
            file = self._files.get(rel)
            return (file.encoding or None) if file else None

    def check(self, rel: str, content: bytes, need: Sequence[Lines] | None) -> None:
        """May this session change `rel`, whose bytes are `content` now?

        `need` are the lines that the change touches, None when it replaces the whole file. Refused: `not_read` when the
        file or one of those lines was never seen, `stale` (with `diff` when it is known) when it changed since.
        An empty file needs no lines, but it must have been read too.
        """
        self.check_version(rel, content)
        self.check_lines(rel, need, last_line(content))

    def check_version(self, rel: str, content: bytes) -> None:
        """The first half of `check`: the file was read, and is still what was read."""
        with self._lock:
            file = self._known(rel)
            self._files.move_to_end(rel)
            if not _same(file, content):
                self._refuse_stale(rel, file, content)

    def check_lines(self, rel: str, need: Sequence[Lines] | None, total: int) -> None:
        """The second half of `check`: the lines were seen; `total` is how many the file has."""
        with self._lock:
            lacking = missing(self._known(rel).spans, [(0, total)] if need is None else need)
        if lacking:
            first, end = lacking[0]
            more = f" and {len(lacking) - 1} more ranges" if len(lacking) > 1 else ""
            what = "replaces the whole file" if need is None else "touches lines"
            raise Refused(
                "not_read",
                f"The change {what} that this session has not seen: lines {first + 1} to {end} of {total}{more}. "
                f"Read them first: read_file with offset={first}, limit={end - first}.",
                path=rel,
                unseen=[[a + 1, b] for a, b in lacking[:20]],
            )

    def _known(self, rel: str) -> _File:
        file = self._files.get(rel)
        if file is None:
            raise Refused("not_read", f"{rel} was not read in this session. Read it with read_file first.", path=rel)
        return file

    def wrote(self, rel: str, content: bytes, changes: Sequence[Change] | None, *, version: str = "") -> Note:
        """This session wrote `content`. `changes` ascend, in old line numbers; None when all of it is known. `version`
        is the hash of the content where the caller has it already."""
        version = version or hashlib.sha256(content).hexdigest()
        with self._lock:
            file = self._files.get(rel)
            if changes is None or file is None:
                spans: tuple[Span, ...] = (((0, 0), (last_line(content), 0)),) if changes is None else ()
            else:
                spans = shifted(file.spans, [(c.first, c.old, c.new) for c in changes])
            note: Note = {"do": "set", "path": rel, "version": version, "size": len(content)}
            note["spans"] = [[*a, *b] for a, b in spans]
            if file and file.encoding:
                note["encoding"] = file.encoding
            self._apply(note)
            self._keep_text(version, content)
        return note

    def moved(self, rel: str, to: str) -> Note:
        note: Note = {"do": "moved", "path": rel, "to": to}
        with self._lock:
            self._apply(note)
        return note

    def forget(self, rel: str) -> Note:
        """The file is gone."""
        note: Note = {"do": "forget", "path": rel}
        with self._lock:
            self._apply(note)
        return note

    def apply(self, notes: Iterable[Mapping[str, Any]]) -> None:
        """Replay notes in the order in which they were made. A note that is not understood is passed over."""
        with self._lock:
            for note in notes:
                try:
                    self._apply(note)
                except (KeyError, TypeError, ValueError):
                    continue

    def forget_shown(self) -> None:
        """Earlier answers are no longer in the conversation: `repeated` is False for them from here on."""
        with self._lock:
            for rel, file in self._files.items():
                self._files[rel] = replace(file, answers=frozenset())

    def copy(self) -> "Seen":
        """For a subagent: it has read what its parent has read, but its own conversation holds none of it."""
        other = Seen(self.limit)
        with self._lock:
            other._files = OrderedDict(self._files)
            other._texts, other._kept = OrderedDict(self._texts), self._kept
        other.forget_shown()
        return other

    def _apply(self, note: Mapping[str, Any]) -> None:
        rel = str(note["path"])
        match note["do"]:
            case "saw":
                self._put(rel, self._saw(self._files.get(rel), note))
            case "set":
                spans = merged([((a, b), (c, d)) for a, b, c, d in note["spans"]])
                encoding = str(note.get("encoding", ""))
                self._put(rel, _File(str(note["version"]), int(note["size"]), spans, encoding=encoding))
            case "forget":
                self._files.pop(rel, None)
            case "moved":
                if file := self._files.pop(rel, None):
                    self._put(str(note["to"]), file)

    def _saw(self, before: _File | None, note: Mapping[str, Any]) -> _File:
        a, b, c, d = (int(n) for n in note["span"])
        version = str(note["version"])
        if before is None or before.version != version:
            before = _File(version, int(note["size"]))
        spans = merged([*before.spans, ((a, b), (c, d))])
        hashes = before.hashes
        if "bytes" in note:
            start, end, sha256 = note["bytes"]
            hashes = (*hashes[-_RANGES:], (int(start), int(end), str(sha256)))
        answers = before.answers if len(before.answers) < _ANSWERS else frozenset()
        answers |= {str(note.get("key", ""))} - {""}
        return replace(before, spans=spans, hashes=hashes, answers=answers, encoding=str(note.get("encoding", "")))

    def _put(self, rel: str, file: _File) -> None:
        self._files[rel] = file
        self._files.move_to_end(rel)
        while len(self._files) > self.limit:
            self._files.popitem(last=False)

    def _keep_text(self, version: str, content: bytes | None) -> None:
        if content is None or len(content) > _TEXT:
            return
        if version not in self._texts:
            self._kept += len(content)
        self._texts[version] = content
        self._texts.move_to_end(version)
        while self._kept > _TEXTS:
            self._kept -= len(self._texts.popitem(last=False)[1])

    def _refuse_stale(self, rel: str, file: _File, content: bytes) -> None:
        before = self._texts.get(file.version)
        diff = changed_lines(before, content) if before is not None else ""
        what = "diff shows how" if diff else f"it had {file.size:,} bytes and has {len(content):,} now"
        raise Refused(
            "stale",
            f"{rel} changed after this session read it ({what}). Read it again with read_file, then repeat the change.",
            path=rel,
            **({"diff": diff} if diff else {}),
        )


def _same(file: _File, content: bytes) -> bool:
    if not file.hashes:
        return hashlib.sha256(content).hexdigest() == file.version
    return file.size == len(content) and all(
        hashlib.sha256(memoryview(content)[start:end]).hexdigest() == sha256 for start, end, sha256 in file.hashes
    )
