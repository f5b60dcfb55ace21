"""Sets of places in a text, as sorted half-open ranges of (line, column) that neither touch nor overlap."""

from collections.abc import Iterable, Sequence

Place = tuple[int, int]
"""(line, column), both from 0; the end of line 4 with its line end is (5, 0)"""
Span = tuple[Place, Place]
"""half-open"""
Lines = tuple[int, int]
"""half-open range of lines, from 0"""
END: Place = (1 << 62, 0)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def missing(spans: Sequence[Span], need: Iterable[Lines]) -> list[Lines]:
    """The lines of `need` that do not lie wholly in `spans` (merged ones), as ranges."""
    found: list[Lines] = []
    for first, end in sorted(need):
        at = first
        for (line, column), (last, _) in spans:
            whole = line + (column > 0)
            if last <= at or whole >= end:
                continue
            if whole > at:
                found.append((at, whole))
            at = max(at, last)
        if at < end:
            found.append((at, end))
    return found


def shifted(spans: Sequence[Span], changes: Sequence[tuple[int, int, int]]) -> tuple[Span, ...]:
    """`spans` after changes (first line, old lines, new lines), ascending, in old line numbers. New lines are seen."""
    found: list[Span] = []
    at, moved = (0, 0), 0
    for first, old, new in [*changes, (END[0], 0, 0)]:
        found += [((a[0] + moved, a[1]), (b[0] + moved, b[1])) for a, b in cut(spans, at, (first, 0))]
        found.append(((first + moved, 0), (first + moved + new, 0)))
        at, moved = (first + old, 0), moved + new - old
    return merged(found)


def cut(spans: Iterable[Span], start: Place, end: Place) -> list[Span]:
    """The part of `spans` that lies between `start` and `end`."""
    return [(max(a, start), min(b, end)) for a, b in spans if max(a, start) < min(b, end)]
