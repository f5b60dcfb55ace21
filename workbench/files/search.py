"""Matches of a regular expression in one file, line by line as `lines` counts them, in linear time.

RE2 is the dialect: no look-around and no back references, and no pattern that hangs. A match never spans lines. The
file is searched as it is shown: decoded, CRLF as LF. Large files go window by window.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import re2

from workbench.files import Refused, lines
from workbench.files.decode import Encoding, shown
from workbench.files.dialect import for_ripgrep
from workbench.files.find import Deadline
from workbench.files.index import decoded_part, line_ends
from workbench.files.opened import Opened

_WINDOW = 1 << 20
_LOOK_AHEAD = 64 << 10
_LINE = 8 << 20
"""bytes from which a line is searched in parts"""
_FIRST, _SLICE = 1 << 10, 256 << 10
"""bytes that one call into RE2 goes over, at first and at most"""
_PROGRAM = 20_000


@dataclass(frozen=True)
class Hit:
    """A line that matches. Numbers count from 1."""

    line: int
    column: int
    """characters before the match"""
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class _Pace:
    """How much RE2 is given at once: a call can't be interrupted, and its speed differs by a factor of 100,000."""

    def __init__(self) -> None:
        self.size = _FIRST
        self.rate = 0.0
        """bytes a second, of the last call that took time"""

    def until(self, window: bytes, at: int, end: int) -> int:
        """The end of the next piece: whole lines, at least one."""
        return window.find(b"\n", min(end, at + self.size) - 1, end) + 1 or end

    def in_time(self, length: int, deadline: Deadline) -> bool:
        if self.rate and length / self.rate > deadline.left() + 0.05:
            deadline.met = True
        return not deadline.over()

    def took(self, length: int, seconds: float) -> None:
        if length >= self.size // 2 and seconds < 0.005:
            self.size = min(4 * self.size, _SLICE)
        elif seconds > 0.05:
            self.size = max(self.size // 4, _FIRST)
        if seconds > 0.001:
            self.rate = (length + 1) / seconds


class Pattern:
    """A compiled expression. Refused `bad_args` with what is wrong with it."""

    def __init__(self, text: str) -> None:
        options = re2.Options()
        options.never_nl = True
        options.log_errors = False
        options.never_capture = True
        try:
            self._regex = re2.compile(f"(?m){text}", options)
        except (re2.error, UnicodeEncodeError) as e:
            reason = e.args[0] if e.args else "it can't be compiled"
            reason = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
            reason = reason.replace("(?m)", "", 1)
            raise Refused(
                "bad_args",
                f"The pattern {text!r} is not valid (RE2 syntax): {reason}. Escape special characters with a "
                "backslash; look-around and back references do not exist.",
            ) from None
        if self._regex.programsize > _PROGRAM:
            raise Refused("bad_args", f"The pattern {text!r} is too large; use fewer or smaller repetitions.")
        self.text = text
        self._pace = _Pace()

    def lines_in(self, window: bytes, start: int, end: int, deadline: Deadline) -> Iterator[tuple[int, int]]:
        """(position of the match, end of its line) of each matching line between `start` and `end`, line starts both.

        Ends early, and marks it in `deadline`, when what is left of a piece would take longer than there is time.
        """
        at = start
        while at < end:
            stop = self._pace.until(window, at, end)
            if not self._pace.in_time(stop - at, deadline):
                return
            while at < stop:
                last = stop - 1 if window[stop - 1 : stop] == b"\n" else stop
                began = time.perf_counter()
                match = self._regex.search(window, at, last)
                self._pace.took((match.start() if match else last) - at, time.perf_counter() - began)
                if match is None:
                    break
                line_end = window.find(b"\n", match.start(), stop)
                line_end = stop if line_end < 0 else line_end
                yield match.start(), line_end
                at = line_end + 1
            at = max(at, stop)

    def hints(self) -> tuple[str, ...]:
        """Expressions for ripgrep that find all files this may match in, in any encoding; () when there are none."""
        return for_ripgrep(self.text)


def hits(file: Opened, pattern: Pattern, deadline: Deadline, *, context: int = 0) -> Iterator[Hit]:
    """Matching lines in order; ends early when the deadline is over."""
    for window, number, at, line_end in _matches(file, pattern, deadline, context):
        yield _hit(window, number, at, line_end, context)


def count(file: Opened, pattern: Pattern, deadline: Deadline) -> int:
    """How many lines match."""
    return sum(1 for _ in _matches(file, pattern, deadline, 0))


def _matches(
    file: Opened, pattern: Pattern, deadline: Deadline, context: int
) -> "Iterator[tuple[_Window, int, int, int]]":
    """(window, line from 0, position of the match, end of its line)"""
    last = -1
    for window in _windows(file, context):
        number, counted = window.first, window.start
        for at, line_end in pattern.lines_in(window.text, window.start, window.end, deadline):
            number += window.text.count(b"\n", counted, at)
            counted = at
            if number > last:
                yield window, number, at, line_end
            last = number
            if number % 64 == 0 and deadline.over():
                return
        if deadline.over():
            return


@dataclass(frozen=True)
class _Window:
    """UTF-8 with LF. Searched from `start`, which lies on line `first` (from 0), to `end`; around it is context."""

    text: bytes
    start: int
    end: int
    first: int


def _windows(file: Opened, context: int) -> Iterator[_Window]:
    encoding = file.facts.encoding
    at, first, before = len(encoding.bom), 0, b""
    while chunk := _whole_lines(file, at):
        at += len(chunk)
        body = _plain(chunk, encoding)
        ahead = (
            _plain(file.pread(min(_LOOK_AHEAD, file.size - at), at), encoding) if context and at < file.size else b""
        )
        yield _Window(before + body + ahead, len(before), len(before) + len(body), first)
        first += body.count(b"\n")
        before = _last_lines(before + body, context)


def _whole_lines(file: Opened, at: int) -> bytes:
    size, encoding = _WINDOW, file.facts.encoding
    while True:
        chunk = file.pread(min(size, file.size - at), at)
        if len(chunk) < size or at + len(chunk) >= file.size:
            return chunk
        if end := line_ends(chunk, encoding)[1]:
            return chunk[:end]
        if size >= _LINE:
            return chunk[: decoded_part(chunk, encoding)[1]]
        size *= 4


def _plain(chunk: bytes, encoding: Encoding) -> bytes:
    if encoding.name != "utf-8" or encoding.lossy:
        chunk = shown(chunk.decode(encoding.name, encoding.errors)).encode()
    return chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk


def _last_lines(text: bytes, number: int) -> bytes:
    if not number or not text.endswith(b"\n"):
        return b""
    return b"\n".join(text[-_LOOK_AHEAD:].split(b"\n")[-number - 1 :])


def _hit(window: _Window, number: int, at: int, line_end: int, context: int) -> Hit:
    start = window.text.rfind(b"\n", 0, at) + 1
    before: list[str] = []
    after: list[str] = []
    if context:
        near = window.text[max(0, start - _LOOK_AHEAD) : start].decode(errors="replace")
        before = lines.split_view(near)[-context:]
        following = window.text[line_end + 1 : line_end + 1 + _LOOK_AHEAD].decode(errors="replace")
        after = lines.split_view(following)[:context]
    column = len(window.text[start:at].decode(errors="replace"))
    text = window.text[start:line_end].decode(errors="replace")
    return Hit(number + 1, column, text, tuple(before), tuple(after))
