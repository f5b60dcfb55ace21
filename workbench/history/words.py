"""Which words changed inside changed lines: partner lines are found by what they share, then compared word by word."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

Span = tuple[int, int]
Marks = tuple[Span, ...]

ALIGNED = 900
"""removed x added lines up to which partners are sought freely; beyond it the n-th line goes with the n-th"""
ALIKE = 0.5
"""share that two lines must have in common to be partners"""
LONG = 400
"""words of a line beyond which only its common head and tail are taken off"""
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


def partners(removed: list[str], added: list[str]) -> Iterator[tuple[int, int, Marks, Marks]]:
    """(index of a removed line, of its partner among the added ones, marks in each). Partners never cross."""
    if len(removed) * len(added) <= ALIGNED:
        pairs = _aligned(removed, added)
    else:
        pairs = [(i, i) for i, (a, b) in enumerate(zip(removed, added, strict=False)) if _alike(_bag(a), _bag(b)) > 0]
    for i, j in pairs:
        yield i, j, *marks(removed[i], added[j])


def marks(old: str, new: str) -> tuple[Marks, Marks]:
    """The spans of each line that the other has not."""
    a, b = _WORD.findall(old), _WORD.findall(new)
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    a, b, at = a[head : len(a) - tail], b[head : len(b) - tail], sum(map(len, a[:head]))
    if max(len(a), len(b)) > LONG:
        return _span(at, "".join(a)), _span(at, "".join(b))
    left: list[Span] = []
    right: list[Span] = []
    at_a = at_b = at
    for op, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        end_a, end_b = at_a + sum(map(len, a[i:j])), at_b + sum(map(len, b[k:m]))
        if op != "equal":
            _add(left, at_a, end_a)
            _add(right, at_b, end_b)
        at_a, at_b = end_a, end_b
    return tuple(left), tuple(right)


def _span(at: int, text: str) -> Marks:
    return ((at, at + len(text)),) if text else ()


def _add(spans: list[Span], start: int, end: int) -> None:
    if end > start:
        spans.append((start, end))


def _bag(line: str) -> Counter[str]:
    return Counter(w for w in _WORD.findall(line) if not w.isspace())


def _alike(a: Counter[str], b: Counter[str]) -> float:
    """Common share by length; 0 when below `ALIKE`. Lines of blanks only are alike."""
    whole = sum(len(w) * n for w, n in a.items()) + sum(len(w) * n for w, n in b.items())
    if not whole:
        return 1.0
    share = 2 * sum(len(w) * n for w, n in (a & b).items()) / whole
    return share if share >= ALIKE else 0.0


def _aligned(removed: list[str], added: list[str]) -> list[tuple[int, int]]:
    """The pairs, in order on both sides, with the greatest common share in all."""
    left, right = [_bag(t) for t in removed], [_bag(t) for t in added]
    alike = [[_alike(a, b) for b in right] for a in left]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            both = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0.0
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
