"""Where `old` stands in a text, and what of it changes: exactly, or by one tolerance.

The rules (SPEC E1-E3), held by this file alone:

* The exact match comes first. Only when it finds nothing are the tolerances tried, one at a time, in the order of
  `TOLERANCES`; the first that finds anything is the answer, also when it finds several places. They never combine.
* A tolerance folds the whole file and `old` the same way and compares the folded texts, so its count is over the file.
* Positions are mapped back to the text itself. A match that would begin or end inside a folded unit is no match.
* Head and tail that `old` and `new` share literally stay as they are in the file; only the middle is new.
* On an exact match the middle is verbatim. Only the quote tolerance may restyle it, only its quotes.

Texts here have LF line ends; positions are indexes of `str`. Never folded: indentation, inner blanks, dashes, NBSP,
full-width forms, case, escapes.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

Tolerance = Literal["quotes", "line_end_blanks", "tokens", "unicode"]

TOKENS: Mapping[str, str] = {
    "<fnr>": "<function_results>",
    "<n>": "<name>",
    "</n>": "</name>",
    "<o>": "<output>",
    "</o>": "</output>",
    "<e>": "<error>",
    "</e>": "</error>",
    "<s>": "<system>",
    "</s>": "</system>",
    "<r>": "<result>",
    "</r>": "</result>",
    "< META_START >": "<META_START>",
    "< META_END >": "<META_END>",
    "< EOT >": "<EOT>",
    "< META >": "<META>",
    "< SOS >": "<SOS>",
    "\n\nH:": "\n\nHuman:",
    "\n\nA:": "\n\nAssistant:",
}
"""What a provider shortens before the model sees it -> what really stands in the file."""


@dataclass(frozen=True)
class Hit:
    """One place where `old` stands."""

    start: int
    end: int
    """the match, in the LF text of the file"""
    cut: int
    cut_end: int
    """the part of it that changes"""
    insert: str
    """what stands there afterwards"""


@dataclass(frozen=True)
class Piece:
    """A stretch that folding changed; between pieces text and folded text run in step."""

    at: int
    length: int
    """in the text"""
    folded_at: int
    folded_length: int
    """in the folded text"""


class Folded:
    """A folded text with the way back."""

    def __init__(self, text: str, pieces: list[Piece]) -> None:
        self.text = text
        self.pieces = pieces
        self._folded_ends = [p.folded_at + p.folded_length for p in pieces]
        self._starts = [p.at for p in pieces]

    def back(self, at: int, *, after: bool) -> int | None:
        """Where folded position `at` is in the text; None inside a unit.

        A unit that folded away lies at one folded position: `after` gives its far side, else its near side.
        """
        i = bisect_left(self._folded_ends, at)  # the first piece that ends at or behind `at`
        while after and i < len(self.pieces) and self._folded_ends[i] == at:
            i += 1
        if i < len(self.pieces):
            piece = self.pieces[i]
            if piece.folded_at < at < piece.folded_at + piece.folded_length:
                return None
            if at == piece.folded_at + piece.folded_length and piece.folded_length:
                return piece.at + piece.length
        if not i:
            return at
        before = self.pieces[i - 1]
        return before.at + before.length + at - self._folded_ends[i - 1]

    def forth(self, at: int) -> int | None:
        """Where text position `at` is in the folded text; None inside a unit that did not fold away."""
        i = bisect_right(self._starts, at) - 1
        if i < 0:
            return at
        piece = self.pieces[i]
        if at >= piece.at + piece.length:
            return piece.folded_at + piece.folded_length + at - piece.at - piece.length
        return piece.folded_at if at == piece.at or not piece.folded_length else None

    def vanishes(self, at: int) -> bool:
        """Whether the character at text position `at` folded away."""
        i = bisect_right(self._starts, at) - 1
        return i >= 0 and not self.pieces[i].folded_length and at < self.pieces[i].at + self.pieces[i].length


def positions(text: str, needle: str, *, overlapping: bool) -> Iterator[int]:
    """Where `needle` starts, left to right."""
    step = 1 if overlapping else len(needle)
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + step)


def shared(old: str, new: str) -> tuple[int, int]:
    """Lengths of the head and of the tail that both have in common; they do not overlap."""
    most = min(len(old), len(new))
    head = _longest(most, lambda low, high: old[low:high] == new[low:high])
    a, b = len(old), len(new)
    tail = _longest(most - head, lambda low, high: old[a - high : a - low] == new[b - high : b - low])
    return head, tail


_STEP = 256 << 10


def _longest(most: int, equal: Callable[[int, int], bool]) -> int:
    """How far two texts are equal: in growing steps, then by halves; slices that fit a cache compare fastest."""
    low, step = 0, 64
    while low < most and equal(low, min(low + step, most)):
        low, step = min(low + step, most), min(step * 4, _STEP)
    high = min(low + step, most)
    while low < high:
        middle = (low + high + 1) // 2
        if equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


# --- exact -----------------------------------------------------------------------------------------------------------


def exact(text: str, old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    head, tail = shared(old, new)
    middle = new[head : len(new) - tail]
    for at in positions(text, old, overlapping=overlapping):
        yield Hit(at, at + len(old), at + head, at + len(old) - tail, middle)


# --- quotes ----------------------------------------------------------------------------------------------------------

STRAIGHT = {"‘": "'", "’": "'", "“": '"', "”": '"'}
_FOLD_QUOTES = str.maketrans(STRAIGHT)
_OPENERS = "([{<«‘“—–-=/（【「『《"
_CLOSERS = ")]}>»’”,.;:!?…。，、；：！？）】」』》"
CONTEXT = 400
"""characters before a quote that decide whether it opens or closes"""


def quotes(text: str, old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    """Curly and straight quotes count as equal; those of the file stay, added ones take its style."""
    head, tail = shared(old, new)
    middle = new[head : len(new) - tail]
    folded_old, folded_text = old.translate(_FOLD_QUOTES), text.translate(_FOLD_QUOTES)
    if folded_old == old and folded_text == text:
        return
    for at in positions(folded_text, folded_old, overlapping=overlapping):
        end = at + len(old)
        before, behind = text[max(0, at + head - CONTEXT) : at + head], text[end - tail : end - tail + 1]
        styled = _styled(middle, text[at:end], before, behind)
        yield Hit(at, end, at + head, end - tail, styled)


def _styled(middle: str, region: str, before: str, behind: str) -> str:
    """`middle` with its quotes in the style of `region`, where that is uniform."""
    styles = {kind: _style(region, kind) for kind in "'\""}
    present = [s for s in styles.values() if s]
    out = ""
    for i, char in enumerate(middle):
        kind = STRAIGHT.get(char, char)
        style = ""
        if kind in styles:
            style = styles[kind] or (present[0] if len(present) == 1 else "")
        if style == "straight":
            out += kind
        elif style == "curly" and char == kind:
            out += _curly(kind, before + out, (middle[i + 1 :] + behind)[:1])
        else:
            out += char
    return out


def _style(region: str, kind: str) -> str:
    """`straight` or `curly` when all quotes of this kind are, `mixed`, or nothing when there is none."""
    straight = kind in region
    curly = any(c in region for c, plain in STRAIGHT.items() if plain == kind)
    return "mixed" if straight and curly else "straight" if straight else "curly" if curly else ""


def _curly(kind: str, before: str, after: str) -> str:
    """The opening or closing form that fits between `before` and `after`."""
    opening, closing = "“”" if kind == '"' else "‘’"
    last = before[-1:]
    if kind == "'" and last.isalnum() and after.isalnum() and last < "⺀" and after < "⺀":
        return closing  # an apostrophe; scripts from U+2E80 on set no blanks around quotes
    opens = not last or last.isspace() or last in _OPENERS
    closes = not after or after.isspace() or after in _CLOSERS
    if opens != closes:
        return opening if opens else closing
    line = before[before.rfind("\n") + 1 :]
    return closing if line.count(opening) > line.count(closing) else opening


# --- blanks at line ends ---------------------------------------------------------------------------------------------

_LINE_END_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=\n)")


def _trimmed(text: str) -> Folded:
    pieces, kept, last, length = [], [], 0, 0
    for found in _LINE_END_BLANKS.finditer(text):
        kept.append(text[last : found.start()])
        length += found.start() - last
        pieces.append(Piece(found.start(), found.end() - found.start(), length, 0))
        last = found.end()
    return Folded("".join([*kept, text[last:]]), pieces)


def line_end_blanks(text: str, old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    """Spaces and tabs before a line break do not count. `old` must hold more than blanks.

    Blanks at the very end of `old` have no line break behind them, so they are content.
    """
    folded_text, folded_old = _trimmed(text), _trimmed(old)
    if old.strip(" \t\n") and (folded_text.pieces or folded_old.pieces):
        yield from _mapped(folded_text, folded_old, old, new, overlapping=overlapping)


# --- desanitised tokens ----------------------------------------------------------------------------------------------


def tokens(text: str, old: str, new: str, *, overlapping: bool, names: Mapping[str, str] = TOKENS) -> Iterator[Hit]:
    """Tokens that the model only ever sees shortened stand in the file in full; those of `old` are written so too."""
    used = {short: real for short, real in names.items() if short in old}
    if not used:
        return
    pattern = re.compile("|".join(re.escape(short) for short in sorted(used, key=len, reverse=True)))
    full_old, full_new = (pattern.sub(lambda m: used[m[0]], s) for s in (old, new))
    yield from exact(text, full_old, full_new, overlapping=overlapping)


# --- canonical Unicode -----------------------------------------------------------------------------------------------

_NON_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


@cache
def _joining() -> frozenset[str]:
    """Characters that may join with the one before: combining marks and second parts of compositions."""
    found = set()
    for code in range(0x80, 0x20000):
        char = chr(code)
        if unicodedata.combining(char):
            found.add(char)
        parts = unicodedata.decomposition(char)
        if parts and not parts.startswith("<") and " " in parts:
            found.add(chr(int(parts.split()[1], 16)))
    found.update(map(chr, range(0x1161, 0x1176)))  # Hangul vowels and finals compose by rule
    found.update(map(chr, range(0x11A8, 0x11C3)))
    return frozenset(found)


def _units(text: str) -> Iterator[tuple[int, int]]:
    """Stretches (start, end) that normalise on their own, where that may change something."""
    joining = _joining()
    for run in _NON_ASCII.finditer(text):
        start = run.start()
        for i in range(run.start() + 1, run.end()):
            if text[i] not in joining:
                yield start, i
                start = i
        yield start, run.end()


def _composed(text: str) -> Folded:
    if unicodedata.is_normalized("NFC", text):
        return Folded(text, [])
    pieces, kept, last, length = [], [], 0, 0
    for start, end in _units(text):
        unit = text[start:end]
        folded = unicodedata.normalize("NFC", unit)
        if folded == unit:
            continue
        kept += [text[last:start], folded]
        length += start - last
        pieces.append(Piece(start, end - start, length, len(folded)))
        length += len(folded)
        last = end
    return Folded("".join([*kept, text[last:]]), pieces)


def canonical(text: str, old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    """Composed and decomposed characters count as equal (NFC, never NFKC)."""
    folded_text, folded_old = _composed(text), _composed(old)
    if folded_text.pieces or folded_old.pieces:
        yield from _mapped(folded_text, folded_old, old, new, overlapping=overlapping)


# --- all of them -----------------------------------------------------------------------------------------------------


def _mapped(text: Folded, old: Folded, plain_old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    """Hits of the folded `old` in the folded text, mapped back; those that split a unit are none."""
    head, tail = shared(plain_old, new)
    size = len(plain_old)
    for at in positions(text.text, old.text, overlapping=overlapping):
        start, end = _begin(text, old, at, 0), _end(text, old, at, size)
        if start is None or end is None:
            continue
        kept_head, cut = _nearest(range(head, -1, -1), partial(_end, text, old, at))
        kept_until, cut_end = _nearest(range(size - tail, size + 1), partial(_begin, text, old, at))
        cut = max(start, cut)
        cut_end = max(cut, min(end, cut_end))
        yield Hit(start, end, cut, cut_end, new[kept_head : len(new) - (size - kept_until)])


def _begin(text: Folded, old: Folded, at: int, here: int) -> int | None:
    """Where in the text a stretch of `old` from `here` on begins, for a match at folded `at`.

    Blanks that folded away belong to it when it begins with such blanks itself.
    """
    folded = old.forth(here)
    return None if folded is None else text.back(at + folded, after=not old.vanishes(here))


def _end(text: Folded, old: Folded, at: int, here: int) -> int | None:
    """Where in the text a stretch of `old` up to `here` ends; the mirror of `_begin`."""
    folded = old.forth(here)
    return None if folded is None else text.back(at + folded, after=old.vanishes(here - 1))


def _nearest(candidates: range, find: Callable[[int], int | None]) -> tuple[int, int]:
    """The first candidate in `old` that is a boundary in the text as well, and where it is there."""
    return next((here, there) for here in candidates if (there := find(here)) is not None)


Finder = Callable[..., Iterator[Hit]]

TOLERANCES: Mapping[Tolerance, Finder] = {
    "quotes": quotes,
    "line_end_blanks": line_end_blanks,
    "tokens": tokens,
    "unicode": canonical,
}
"""in the order in which they are tried"""
