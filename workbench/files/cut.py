"""Where a page ends: by lines, characters and estimated tokens, after a whole line unless the first is too long."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """What cuts a page, and how far one call looks."""

    lines: int = 2000
    chars: int = 12_000
    tokens: int = 10_000
    """estimated"""
    seek: int = 8 << 30
    """bytes scanned in one call to find the page"""
    ahead: int = 384 << 20
    """bytes scanned beyond the page to learn how many lines there are; not even begun when the rest is larger"""


@dataclass(frozen=True)
class Next:
    """Where to go on."""

    offset: int
    column: int = 0

    def as_data(self) -> dict[str, int]:
        return {"offset": self.offset, "column": self.column} if self.column else {"offset": self.offset}


@dataclass(frozen=True)
class Cut:
    """The lines of a page. `ended`: the last one is followed by a line end."""

    pieces: tuple[str, ...]
    next: Next | None
    ended: bool = False
    by: str = ""
    """`lines`, `chars` or `tokens` when a cap made it shorter than `limit` lines"""

    @property
    def text(self) -> str:
        return "\n".join(self.pieces) + ("\n" if self.ended else "")


def tokens(text: str) -> int:
    """An estimate of how many tokens a model makes of it: four ASCII characters, or one other, each."""
    if text.isascii():
        return (len(text) + 3) // 4
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def cut_page(text: str, *, whole: bool, offset: int, column: int, limit: int, caps: Caps) -> Cut:
    """The page that begins `text`, which is in the LF view and starts at (offset, column).

    `whole`: the text reaches the end of the file. Else it holds more than the caps let through.
    """
    pieces: list[str] = []
    chars = cost = 0
    found = text.split("\n")
    lines = min(limit, caps.lines)
    for n, line in enumerate(found):
        last = n == len(found) - 1
        if last and not line and whole:
            return Cut(tuple(pieces), None, ended=bool(pieces))
        at = Next(offset + n, 0 if n else column)
        if n == lines:
            return Cut(tuple(pieces), at, ended=True, by="lines" if limit > lines else "")
        chars += len(line) + (n > 0)
        cost += tokens(line)
        if chars > caps.chars or cost > caps.tokens:
            by = "chars" if chars > caps.chars else "tokens"
            if n:
                return Cut(tuple(pieces), at, ended=True, by=by)
            taken = _fitting(line, caps)
            return Cut((line[:taken],), Next(offset, column + taken), by=by)
        if last and not whole:
            return Cut((*pieces, line), Next(at.offset, at.column + len(line)), by="chars")
        pieces.append(line)
    return Cut(tuple(pieces), None)


def _fitting(line: str, caps: Caps) -> int:
    """How many characters of the line fit; at least one, so that reading gets on."""
    most = min(len(line), caps.chars)
    return max(1, bisect_right(range(most + 1), caps.tokens, key=lambda n: tokens(line[:n])) - 1)
