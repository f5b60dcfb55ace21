"""Three-way merge of bytes, line by line, as careful as git: changes that touch are a conflict."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Conflict:
    """A place where both sides changed the same lines differently."""

    base: bytes
    theirs: bytes
    mine: bytes
    base_line: int
    """number (from 1) of the first line in the base"""
    theirs_line: int
    mine_line: int


@dataclass(frozen=True)
class Merge:
    data: bytes | None
    """the merged bytes; None when there is a conflict"""
    conflicts: tuple[Conflict, ...] = ()
    binary: bool = False
    """a side is not text, so nothing was merged line by line"""


def merge(base: bytes, theirs: bytes, mine: bytes) -> Merge:
    """`mine` with the change base -> theirs applied."""
    raise NotImplementedError
