"""How a tool changes the text of one file: look, plan, keep the old content, replace, record (SPEC S2-S4, W2-W4, E5).

The tool brings the plan, a function from the bytes that lie there now to what shall lie there. It runs before the
decision (`foresee`, for the effects), again when the change is carried out (`change`), and once more whenever another
writer came between looking and locking. So what is written was always planned for what it replaces.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from workbench.files import Refused, atomic, lines
from workbench.files.decode import Encoding, shown
from workbench.files.fence import Access, Fence, Place
from workbench.files.seen import Change, Seen
from workbench.files.tolerate import shared
from workbench.history.look import recorded
from workbench.history.patch import unified
from workbench.history.versions import History
from workbench.policy.call import Effect, Verb
from workbench.policy.rules import path_effects
from workbench.policy.secrets import introduced

MAX_SIZE = 1 << 30
DIFF_CHARS = 8_000
"""of a diff in a result; the whole one is in the history"""
_DIFFED = 4 << 20
"""characters of a changed region that are compared line by line"""
_CONTEXT = 3
_TRIES = 5
_HEADER = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@", re.MULTILINE)


@dataclass(frozen=True)
class Planned:
    """What shall lie at a place."""

    data: bytes
    encoding: Encoding
    before: str
    """the text that lies there, "" when nothing does"""
    after: str
    changes: Sequence[Change] | None
    """lines, for the read state; None when the session knows all of the new content"""
    facts: dict[str, Any] = field(default_factory=dict)
    """for the result"""


Plan = Callable[[bytes | None], Planned]
"""from the content that lies there, None for nothing; raises Refused"""


def read(fence: Fence, place: Place) -> bytes | None:
    """The whole content of a file that is to be changed; None when there is none.

    Refused: `too_large` above 1 GiB, and what the fence refuses.
    """
    try:
        fd = fence.open(place, Access.WRITE)
    except Refused as e:
        if e.code == "no_file":
            return None
        raise
    with os.fdopen(fd, "rb") as file:
        size = os.fstat(fd).st_size
        if size > MAX_SIZE:
            raise Refused(
                "too_large",
                f"{place.rel} is {size:,} bytes long; files up to {MAX_SIZE:,} can be edited. Use a program for it.",
                path=place.rel,
                size_bytes=size,
            )
        return file.read()


def foresee(history: History, place: Place, plan: Plan) -> tuple[Effect, ...]:
    """The effects of a change that `plan` describes, or the refusal that it would end in."""
    planned = plan(read(history.fence, place))
    effects = list(path_effects(place.rel, "write"))
    effects += [Effect(Verb.SECRET, place.rel, found) for found in _secrets(planned)]
    if why := history.unkept(place):
        effects.append(Effect(Verb.DELETE, place.rel, f"it cannot be taken back: {why}"))
    return tuple(effects)


def change(history: History, seen: Seen, place: Place, plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Carry it out: (data, view) of the result."""
    for _ in range(_TRIES):
        data = read(history.fence, place)
        planned = plan(data)
        with history.before(place, becomes=planned.data, anyway=True) as pending:
            there = pending.before
            if data is None and there.kind != "absent":
                raise atomic.appeared(place.rel)
            if data is not None and (there.kind != "file" or there.sha256 != history.store.name(data)):
                pending.dropped()
                continue
            parent, name = history.fence.open_parent(place, create=True)
            try:
                sha = pending.intended
                written = atomic.write(parent, name, planned.data, rel=place.rel, expect=data, sha256=sha)
            except Refused:
                _drop(history.fence, pending.folders)
                raise
            finally:
                os.close(parent)
            version = pending.done(planned.data)
            note = seen.wrote(place.rel, planned.data, planned.changes, version=sha)
        result = _result(place, planned, written)
        return result, {"versions": [version.id], "seen": [note]}
    raise Refused(
        "conflict", f"{place.rel} is being changed by others again and again. Wait, read it, then repeat the change."
    )


def _drop(fence: Fence, folders: Sequence[str]) -> None:
    """Remove the folders that were made for a file that could not be, unless someone uses them by now."""
    for folder in reversed(folders):
        with suppress(Refused, OSError):
            parent, name = fence.open_parent(recorded(fence, folder))
            try:
                os.rmdir(name, dir_fd=parent)
            finally:
                os.close(parent)


def _result(place: Place, planned: Planned, written: atomic.Written) -> dict[str, Any]:
    notes = list(written.notes)
    if place.via_link:
        notes.append(f"{place.asked} leads through a symbolic link to {place.rel}; the link was kept.")
    if written.parted:
        names = "another name" if written.parted == 1 else f"{written.parted} other names"
        notes.append(f"The file had {names} (hard links), parted from it now: the old content stays there.")
    data: dict[str, Any] = {"path": place.rel, "version": written.sha256, "size_bytes": written.size}
    if written.created:
        data["created"] = True
    if planned.encoding.name != "utf-8" or planned.encoding.bom:
        data["encoding"] = planned.encoding.name + (" with BOM" if planned.encoding.bom else "")
    data.update(planned.facts)
    data["total_lines"] = lines.count(planned.after)
    data["diff"] = text_diff(planned.before, planned.after, place.rel)
    if not data["diff"] and planned.before != planned.after:
        notes.append("What changed is too large for a diff; page through it with read_file.")
    if notes:
        data["notes"] = notes
    return data


def _region(before: str, after: str, context: int) -> tuple[str, str, int]:
    """What differs, in whole lines with some around it: (old, new, number of its first line from 0)."""
    head, tail = shared(before, after)
    start = before.rfind("\n", 0, head) + 1
    for _ in range(context):
        start = before.rfind("\n", 0, max(start - 1, 0)) + 1 if start else 0
    end = before.find("\n", len(before) - tail)
    for _ in range(context):
        end = before.find("\n", end + 1) if end >= 0 else -1
    kept = len(before) - end - 1 if end >= 0 else 0
    return before[start : len(before) - kept], after[start : len(after) - kept], before.count("\n", 0, start)


def text_diff(before: str, after: str, path: str) -> str:
    """The unified diff of two texts for the model, cut with a word about it when it is long; "" when what changed is
    too large to be compared."""
    old, new, skipped = _region(before, after, _CONTEXT)
    if (views := (lines.lf_view(old), lines.lf_view(new)))[0] != views[1]:
        old, new = views
    if len(old) + len(new) > _DIFFED:
        return ""
    sides = [shown(text).encode("utf-8", "replace") for text in (old, new)]
    diff = unified(sides[0], sides[1], path, context=_CONTEXT, limit=DIFF_CHARS)

    def renumbered(found: re.Match[str]) -> str:
        first, second = int(found[1]) + skipped, int(found[3]) + skipped
        return f"@@ -{first}{found[2] or ''} +{second}{found[4] or ''} @@"

    return _HEADER.sub(renumbered, diff) if skipped else diff


def _secrets(planned: Planned) -> list[str]:
    """The secrets that the change brings in, each as words for the person."""
    _, new, skipped = _region(planned.before, planned.after, 0)
    return [str(found) for found in introduced(planned.before, new, first_line=skipped + 1)]


def missing(fence: Fence, path: str) -> Refused:
    """The refusal for a file that should be there: the fence's own, which names similar ones."""
    try:
        os.close(fence.open(fence.resolve(path), Access.WRITE))
    except Refused as e:
        return e
    return Refused("conflict", f"{path} was missing a moment ago and is there now. Read it, then try again.", path=path)
