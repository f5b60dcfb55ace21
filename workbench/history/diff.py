"""Line diffs with word-level marks, in types of our own that the timeline, the queue, the history and a conflict draw.

d = diff(before, after, old_path="a.py", new_path="a.py")
for hunk in d.hunks:
    for row in hunk.rows: …
context(d, 40, 60)          # unchanged rows between hunks, by line numbers of the new side
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One line of a hunk."""

    kind: Literal[" ", "+", "-"]
    old_no: int | None
    new_no: int | None
    text: str
    """without its line end"""
    marks: tuple[tuple[int, int], ...] = ()
    """changed spans [start, end) inside `text`, when a partner line was found"""
    eol: Literal["\n", "\r\n", ""] = "\n"
    """"" = no newline at the end of the file"""
    note: Literal["", "whitespace", "eol", "moved"] = ""
    """whitespace: differs from its partner in blanks only; eol: in its line end only; moved: the same line is on the
    other side elsewhere"""


@dataclass(frozen=True)
class Hunk:
    old_start: int
    """as in `@@ -old_start,old_lines +new_start,new_lines @@ section`"""
    old_lines: int
    new_start: int
    new_lines: int
    section: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Diff:
    old_path: str
    """"" when it did not exist before"""
    new_path: str
    """"" when it does not exist after"""
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    binary: bool = False
    """told by sizes only"""
    old_size: int = 0
    new_size: int = 0
    old_mode: int | None = None
    new_mode: int | None = None
    """permission bits, when they differ"""
    eol_change: str = ""
    """e.g. "LF → CRLF", when all line ends changed"""
    whitespace_only: bool = False
    cut: str = ""
    """what is not shown and why, "" when all is"""


def diff(
    old: bytes,
    new: bytes,
    *,
    old_path: str = "",
    new_path: str = "",
    old_mode: int | None = None,
    new_mode: int | None = None,
    context: int = 3,
    words: bool = True,
) -> Diff:
    """What changed from `old` to `new`."""
    raise NotImplementedError


def context_rows(old: bytes, new: bytes, first: int, last: int) -> Sequence[Row]:
    """The unchanged rows first..last by line numbers (from 1) of the new side, to expand between hunks."""
    raise NotImplementedError
