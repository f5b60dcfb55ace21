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
    lines = min(limit, caps.lines)
    found = text.split("\n", lines)
    rest = found.pop() if len(found) > lines else None
    if rest is None and whole and not found[-1]:
        rest = found.pop()
    head = text if rest is None else text[: len(text) - len(rest) - 1]
    running_out = rest is None and not whole
    if running_out or len(head) > caps.chars or tokens(head) > caps.tokens:
        shorter = _shorter(found, offset, column, caps, running_out=running_out)
        if shorter:
            return shorter
    if rest is None:
        return Cut(tuple(found), None)
    more = Next(offset + len(found)) if rest or not whole else None
    return Cut(tuple(found), more, ended=bool(found), by="lines" if more and limit > lines else "")


def _shorter(found: list[str], offset: int, column: int, caps: Caps, *, running_out: bool) -> Cut | None:
    """The page cut by characters or tokens, None when they are not met after all. `running_out`: the last of the
    lines is not read to its end."""
    chars = cost = 0
    for n, line in enumerate(found):
        at = Next(offset + n, 0 if n else column)
        chars += len(line) + (n > 0)
        cost += tokens(line)
        if chars > caps.chars or cost > caps.tokens:
            by = "chars" if chars > caps.chars else "tokens"
            if n:
                return Cut(tuple(found[:n]), at, ended=True, by=by)
            taken = _fitting(line, caps)
            return Cut((line[:taken],), Next(offset, column + taken), by=by)
    if not running_out:
        return None
    line = found.pop()
    if not line:
        return Cut(tuple(found), at, ended=True, by="chars")
    return Cut((*found, line), Next(at.offset, at.column + len(line)), by="chars")


def _fitting(line: str, caps: Caps) -> int:
    """How many characters of the line fit; at least one, so that reading gets on."""
    most = min(len(line), caps.chars)
    return max(1, bisect_right(range(most + 1), caps.tokens, key=lambda n: tokens(line[:n])) - 1)
