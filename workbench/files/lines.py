"""The one place that counts lines. Reading, grep, editing, diff and the viewer all use it.

A line ends at LF or CRLF and nowhere else, as in `grep -n` and `git diff`: a lone CR, form feed, NEL, U+2028 and U+2029
are characters of a line. A last line without an end counts; a final line end starts no further line; an empty text has
no lines. The *LF view* of a text is the text with each CRLF as LF, taken once: the CR CR LF of a broken file becomes
CR LF, and that CR is a character of its line.
"""

from bisect import bisect_left, bisect_right
from typing import Literal

Eol = Literal["lf", "crlf", "mixed", "cr", "none"]
"""`cr`: only lone CRs, which end no line; `none`: neither CR nor LF"""


def lf_view(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text  # one character is looked for much faster than two


def split(text: str) -> list[str]:
    """The lines of `text` without their ends."""
    return split_view(lf_view(text))


def split_view(view: str) -> list[str]:
    """The lines of a text that is in the LF view already."""
    found = view.split("\n")
    if not found[-1]:
        found.pop()
    return found


def count(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def eol(text: str) -> Eol:
    """How the lines of `text` end."""
    return eol_of(text.count("\n"), text.count("\r\n"), lone_cr="\r" in text)


def eol_of(lf: int, crlf: int, *, lone_cr: bool) -> Eol:
    """From counts: `lf` counts every LF, also those of the `crlf` pairs."""
    if not lf:
        return "cr" if lone_cr else "none"
    if not crlf:
        return "lf"
    return "crlf" if crlf == lf else "mixed"


class LineMap:
    """Line numbers (from 0) and start positions of a text."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)
        if self.starts[-1] == len(text):
            self.starts.pop()

    def __len__(self) -> int:
        return len(self.starts)

    def line_at(self, position: int) -> int:
        """The line that holds `position`; the end of the text belongs to the last line."""
        return max(0, bisect_right(self.starts, position) - 1)


class LfView:
    """The LF view of a text, with the way back: `original(p)` is where position `p` of the view lies in the text.

    The LF of a former CRLF leads to its CR, so a slice of the view taken by two positions leads to whole line ends.
    """

    def __init__(self, text: str) -> None:
        self.text = lf_view(text)
        self._ends: list[int] = []
        if len(self.text) != len(text):
            at = text.find("\r\n")
            while at >= 0:
                self._ends.append(at - len(self._ends))
                at = text.find("\r\n", at + 2)

    def original(self, position: int) -> int:
        return position + bisect_left(self._ends, position)
