"""Three-way merge of bytes, line by line, as careful as git: changes that touch are a conflict.

Changes of the two sides are brought together into regions of the base. A region that one side left alone, or that both
changed to the same lines, is settled; any other is a conflict. A pure function of the three contents, symmetric in its
sides, that never makes up a line.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.history.changes import Block, TooHard, blocks, lines_of

SNIFFED = 8000
"""bytes within which a NUL makes a content binary, as in git"""
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Conflict:
    """A place where both sides changed the same lines differently."""

    base: bytes
    theirs: bytes
    mine: bytes
    base_line: int
    """number (from 1) of the first line in the base; of the line after, where the text is empty"""
    theirs_line: int
    mine_line: int


@dataclass(frozen=True)
class Merge:
    data: bytes | None
    """the merged bytes; None when there is a conflict"""
    conflicts: tuple[Conflict, ...] = ()
    binary: bool = False
    """a side is not text, so nothing was merged line by line"""
    too_hard: bool = False
    """given up: the contents differ too much to be compared in time"""


def is_binary(data: bytes) -> bool:
    return b"\0" in data[:SNIFFED] and not wide(data)


def wide(data: bytes) -> str:
    """The codec of a UTF-16 or UTF-32 content that says so by its BOM, "" for any other."""
    return next((name for bom, name in _WIDE if data.startswith(bom)), "")


def merge(base: bytes, theirs: bytes, mine: bytes) -> Merge:
    """`mine` with the change from `base` to `theirs` applied."""
    if theirs == mine or base == theirs:
        return Merge(mine)
    if base == mine:
        return Merge(theirs)
    codec = wide(mine)
    if codec and codec == wide(base) == wide(theirs):
        return _merge_wide(base, theirs, mine, codec)
    if is_binary(base) or is_binary(theirs) or is_binary(mine) or codec:
        return Merge(None, (Conflict(base, theirs, mine, 1, 1, 1),), binary=True)
    return _merge_lines(base, theirs, mine)


def _merge_wide(base: bytes, theirs: bytes, mine: bytes, codec: str) -> Merge:
    """In UTF-16 and UTF-32 a byte 0x0A need not end a line, so the text is merged and written as before."""
    try:
        narrow = [side.decode(codec).encode() for side in (base, theirs, mine)]
    except UnicodeError:
        return Merge(None, (Conflict(base, theirs, mine, 1, 1, 1),), binary=True)
    found = _merge_lines(narrow[0], narrow[1], narrow[2])
    return found if found.data is None else Merge(found.data.decode().encode(codec))


def _merge_lines(base: bytes, theirs: bytes, mine: bytes) -> Merge:
    try:
        a, b = blocks(base, theirs), blocks(base, mine)
    except TooHard:
        return Merge(None, (Conflict(base, theirs, mine, 1, 1, 1),), too_hard=True)
    old, left, right = lines_of(base), lines_of(theirs), lines_of(mine)
    out: list[bytes] = []
    conflicts: list[Conflict] = []
    at = 0
    for start, end, (c, d), (e, f) in regions(a, b):
        out += old[at:start]
        was, ours, yours = old[start:end], left[c:d], right[e:f]
        if ours == yours or yours == was:
            out += ours
        elif ours == was:
            out += yours
        else:
            conflicts.append(Conflict(b"".join(was), b"".join(ours), b"".join(yours), start + 1, c + 1, e + 1))
        at = end
    out += old[at:]
    return Merge(None if conflicts else b"".join(out), tuple(conflicts))


def regions(a: list[Block], b: list[Block]) -> Iterator[tuple[int, int, tuple[int, int], tuple[int, int]]]:
    """(start, end, lines of side a, lines of side b): the stretches of the base that a side changed, blocks that touch
    or overlap taken together. The ranges of a side include the unchanged lines that it has there."""
    i = j = shift_a = shift_b = 0
    while i < len(a) or j < len(b):
        start = min(side[k][0] for side, k in ((a, i), (b, j)) if k < len(side))
        end = start
        from_a, from_b = start + shift_a, start + shift_b
        while True:
            if i < len(a) and a[i][0] <= end:
                end, shift_a, i = max(end, a[i][1]), a[i][3] - a[i][1], i + 1
            elif j < len(b) and b[j][0] <= end:
                end, shift_b, j = max(end, b[j][1]), b[j][3] - b[j][1], j + 1
            else:
                break
        yield start, end, (from_a, end + shift_a), (from_b, end + shift_b)
