"""What a command printed, as a terminal would show it: colours and overwritten lines, nothing that acts.

A sequence is either SGR (colour, weight), which becomes a class; or a carriage return, a backspace, an erase in the
line, which change the line being written; or it is dropped: cursor jumps, and OSC, DCS, APC, PM and SOS with all they
carry (titles, links, the clipboard). Every other control character is drawn as its number. Concealed text is shown.
"""

import codecs
import re
from collections import deque
from itertools import groupby

from django import template
from django.utils.safestring import SafeString, mark_safe

from workbench.web.templatetags.shown import shown_html

register = template.Library()

LONGEST_LINE = 20_000
"""cells kept of the line being written; what follows starts a new line, so that one endless line stays cheap"""

_TOKEN = re.compile(
    r"(?P<sgr>\x1b\[[0-9;:]*m)"
    r"|(?P<erase>\x1b\[[0-2]?K)"
    r"|(?P<drop>\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC up to BEL or ST
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # any other CSI
    r"|\x1b[ -/]*[0-OQ-WY-Z\\`-~])"  # charset choices and single-character escapes
    r"|(?P<move>[\r\b])"
    r"|(?P<newline>\n)"
    r"|(?P<text>[^\x1b\r\n\b]+)"
    r"|(?P<stray>\x1b)"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]{0,4096}\x1b?|[ -/]*)?$")

_COLOURS = ("k", "r", "g", "y", "bl", "m", "cy", "w")
_FLAGS = {1: "b", 2: "p", 3: "it", 4: "u", 7: "inv", 9: "x"}
_OFF = {22: ("b", "p"), 23: ("it",), 24: ("u",), 27: ("inv",), 29: ("x",)}

Style = tuple[str, ...]
"""class names, sorted; the foreground is a colour, the background `on-` and a colour"""


def _nearest(red: int, green: int, blue: int) -> str:
    """The one of eight colours that lies closest: each channel is on or off."""
    if max(red, green, blue) - min(red, green, blue) < 32:
        return "w" if red > 170 else "p" if red > 60 else "k"
    half = (max(red, green, blue) + min(red, green, blue)) // 2
    return _COLOURS[(red > half) + 2 * (green > half) + 4 * (blue > half)]


def _indexed(index: int) -> str:
    """A colour of the 256-colour palette: 16 named, a 6x6x6 cube, 24 greys."""
    if index < 16:
        return _COLOURS[index % 8]
    if index >= 232:
        return _nearest(*(3 * (8 + 10 * (index - 232),)))
    cube = index - 16
    return _nearest(*(0 if n == 0 else 55 + 40 * n for n in (cube // 36, cube // 6 % 6, cube % 6)))


def _restyle(style: Style, sequence: str) -> Style:
    """`style` after one SGR sequence."""
    codes = [int(code or 0) for code in re.split("[;:]", sequence[2:-1])]
    now = set(style)
    while codes:
        code = codes.pop(0)
        if code in (38, 48) and codes:
            layer = "on-" if code == 48 else ""
            now = {name for name in now if not _is_colour(name, layer)} | {layer + _extended(codes)}
        elif code == 0:
            now.clear()
        elif code in _FLAGS:
            now.add(_FLAGS[code])
        elif code in _OFF:
            now.difference_update(_OFF[code])
        else:
            now = _basic_colour(now, code)
    return tuple(sorted(now))


def _is_colour(name: str, layer: str) -> bool:
    return name.removeprefix(layer) in _COLOURS and name.startswith("on-") == bool(layer)


def _basic_colour(now: set[str], code: int) -> set[str]:
    for first, layer in ((30, ""), (90, ""), (40, "on-"), (100, "on-")):
        if first <= code <= first + 9 and (first < 90 or code < first + 8):
            kept = {name for name in now if not _is_colour(name, layer)}
            return kept if code == first + 9 else kept | {layer + _COLOURS[code - first]} if code < first + 8 else kept
    return now


def _extended(codes: list[int]) -> str:
    """The colour named by `5;n` or `2;r;g;b`; takes what it reads off `codes`."""
    form = codes.pop(0)
    if form == 5 and codes:
        return _indexed(codes.pop(0))
    if form == 2 and len(codes) >= 3:
        rgb, codes[:3] = codes[:3], []
        return _nearest(*rgb)
    return "w"


class Screen:
    """A terminal that only ever grows downwards. Feed it bytes as they come; a cut sequence waits for its rest."""

    def __init__(self, *, keep: int = 400) -> None:
        self.lines: deque[str] = deque(maxlen=keep)
        """HTML of the last `keep` finished lines"""
        self.finished = 0
        """lines finished so far"""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pending = ""
        self._cells: list[tuple[Style, str]] = []
        self._at = 0
        self._style: Style = ()
        self._overwritten = 0
        self._moved = False
        """back in the line since something was last written over"""

    def feed(self, data: bytes, *, final: bool = False) -> None:
        text = self._pending + self._decode(data, final)
        cut = None if final else _UNFINISHED.search(text)
        self._pending = text[cut.start() :] if cut else ""
        for token in _TOKEN.finditer(text[: cut.start()] if cut else text):
            self._take(token.lastgroup or "", token[0])

    def _take(self, group: str, text: str) -> None:
        if group == "text":
            self._write(text)
        elif group == "newline":
            self._end_line()
        elif group == "sgr":
            self._style = _restyle(self._style, text)
        elif group == "move":
            self._at = 0 if text == "\r" else max(0, self._at - 1)
            self._moved = True
        elif group == "erase":
            self._erase(text[2:-1])
        elif group == "stray":
            self._write(text)

    def _write(self, text: str) -> None:
        while self._at + len(text) > LONGEST_LINE:
            room = max(0, LONGEST_LINE - self._at)
            self._put(text[:room])
            self._end_line()
            text = text[room:]
        self._put(text)

    def _put(self, text: str) -> None:
        end = self._at + len(text)
        if self._moved and any(character != " " for _, character in self._cells[self._at : end]):
            self._overwritten += 1
            self._moved = False
        self._cells[self._at : end] = [(self._style, character) for character in text]
        self._at = end

    def _erase(self, how: str) -> None:
        self._overwritten += any(character != " " for _, character in self._cells)
        if how in ("", "0"):
            del self._cells[self._at :]
        elif how == "2":
            self._cells = [((), " ")] * self._at
        else:
            self._cells[: self._at] = [((), " ")] * min(self._at, len(self._cells))

    def _end_line(self) -> None:
        self.lines.append(self.current())
        self.finished += 1
        self._cells, self._at, self._overwritten, self._moved = [], 0, 0, False

    def current(self) -> str:
        """HTML of the line being written."""
        html = "".join(_run(style, "".join(c for _, c in run)) for style, run in groupby(self._cells, lambda c: c[0]))
        if self._overwritten:
            html += f' <span class="ow" title="written over {self._overwritten} times">↺{self._overwritten}</span>'
        return html


def _run(style: Style, text: str) -> str:
    html = shown_html(text)
    return f'<span class="{" ".join(style)}">{html}</span>' if style else html


def terminal_html(data: bytes) -> SafeString:
    """A whole output, or a page of one."""
    screen = Screen(keep=data.count(b"\n") + len(data) // LONGEST_LINE + 1)
    screen.feed(data, final=True)
    last = screen.current()
    return mark_safe("\n".join([*screen.lines, last] if last else screen.lines))  # noqa: S308 - every run is escaped


@register.filter
def terminal(text: object) -> SafeString:
    return terminal_html(str(text or "").encode("utf-8", "replace"))


@register.filter
def after_cut(output: object) -> str:
    """What a result holds of a long output, without the line that says how much was cut."""
    text = str(output or "")
    return text.split("\n", 1)[1] if text.startswith("[… first ") and "\n" in text else text
