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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Place = tuple[int, int]
"""(line, column), both from 0; the end of line 4 with its line end is (5, 0)"""
Span = tuple[Place, Place]
"""half-open"""
Lines = tuple[int, int]
"""half-open range of lines, from 0"""
Note = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """`old` lines from line `first` (before the write) became `new` lines."""

    first: int
    old: int
    new: int


class Seen:
    """Read state of one session; bounded, safe to use from several threads."""

    def __init__(self, limit: int = 1000) -> None:
        self.limit = limit

    def shown(
        self,
        rel: str,
        version: str,
        span: Span,
        *,
        size: int,
        total: int | None,
        key: str = "",
        content: bytes | None = None,
    ) -> Note:
        """A page was shown. `key` names the exact answer, for `repeated`; `content` is the whole file if small."""
        raise NotImplementedError

    def repeated(self, rel: str, version: str, key: str) -> bool:
        """The same answer about the same version is still in the conversation."""
        raise NotImplementedError

    def check(self, rel: str, content: bytes, need: Sequence[Lines] | None) -> None:
        """May this session change `rel`, whose bytes are `content` now?

        `need` are the lines that the change touches, None when it replaces the whole file. Refused: `not_read` when the
        file or one of those lines was never seen, `stale` (with `diff` when it is known) when it changed since.
        An empty file needs no lines, but it must have been read too.
        """
        raise NotImplementedError

    def wrote(self, rel: str, content: bytes, changes: Sequence[Change] | None) -> Note:
        """This session wrote `content`. `changes` ascend, in old line numbers; None when all of it is known."""
        raise NotImplementedError

    def moved(self, rel: str, to: str) -> Note:
        raise NotImplementedError

    def forget(self, rel: str) -> Note:
        """The file is gone."""
        raise NotImplementedError

    def apply(self, notes: Iterable[Mapping[str, Any]]) -> None:
        """Replay notes in the order in which they were made. A note that is not understood is passed over."""
        raise NotImplementedError

    def forget_shown(self) -> None:
        """Earlier answers are no longer in the conversation: `repeated` is False for them from here on."""
        raise NotImplementedError

    def copy(self) -> "Seen":
        """For a subagent: it has read what its parent has read, but its own conversation holds none of it."""
        raise NotImplementedError
