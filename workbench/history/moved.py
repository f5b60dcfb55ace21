"""Lines that were moved: gone in one place and there again, the same but for blanks at the ends, in another."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

TELLING = 20
"""letters and digits that a moved stretch must have, so that lone braces and blank lines do not count"""


def moved(rows: Iterable[tuple[str, str]]) -> set[int]:
    """Indexes of the moved ones among (kind, text) rows, kind one of "+", "-" and " "."""
    listed = [(i, kind, text.strip()) for i, (kind, text) in enumerate(rows)]
    there = {
        "+": Counter(text for _, kind, text in listed if kind == "-"),
        "-": Counter(text for _, kind, text in listed if kind == "+"),
    }
    found: set[int] = set()
    for known, run in groupby(listed, key=lambda r: (r[1], r[1] != " " and there[r[1]][r[2]] > 0)):
        stretch = list(run)
        if known[1] and sum(c.isalnum() for _, _, text in stretch for c in text) >= TELLING:
            found |= {i for i, _, _ in stretch}
    return found
