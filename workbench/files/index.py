"""A sparse index of one version of one file: where every so many bytes a line starts, found while scanning.

A mark is (line, column, byte). It is the start of a line wherever a chunk holds a line end; inside a line that is
longer than a chunk it is a clean character with its column, so that a page amid a huge line costs no more.
Lines are counted at LF alone, which is where CRLF ends too; in every encoding that is read page by page the byte 0x0A
is nothing but LF, except in UTF-16 and UTF-32, which are decoded to count.
"""

import codecs
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from workbench.files.decode import Encoding

Pread = Callable[[int, int], bytes]
"""(length, position) -> bytes, fewer at the end"""
Mark = tuple[int, int, int]
CHUNK = 96 << 10
"""below the size from which malloc maps and unmaps fresh pages for every chunk"""
_MARKS = 1 << 15
_SPARSE = 40
"""bytes a line from which `replace`, which hops from one LF to the next, counts faster than `count`, which looks at
every byte: 4 times at 100 bytes a line"""


class Index:
    """Grows as far as it was asked to. Safe to use from several threads."""

    def __init__(self, encoding: Encoding, size: int) -> None:
        self.encoding = encoding
        self.size = size
        self.at: Mark = (0, 0, len(encoding.bom))
        """up to where it was scanned"""
        self.total: int | None = None
        """lines of the file, once the end was met"""
        self._stride = CHUNK
        self._sparse = True
        """the lines of the last chunk were long ones"""
        self._lines, self._columns, self._bytes = array("q"), array("q"), array("q")
        self._lock = threading.Lock()
        self._mark()

    def scan(self, pread: Pread, *, until: tuple[int, int] | None, budget: int, stop: Callable[[], bool]) -> int:
        """Scan on until `until` (line, column) was passed, the end met, or `budget` bytes read; bytes read."""
        used = 0
        with self._lock:
            while self.total is None and used < budget and not stop():
                if until is not None and self.at[:2] > until:
                    break
                used += self._step(pread)
        return used

    def before(self, line: int, column: int) -> Mark:
        """The last mark that is not after the place."""
        with self._lock:
            first, end = bisect_left(self._lines, line), bisect_right(self._lines, line)
            found = bisect_right(self._columns, column, first, end) - 1
            return self._lines[found], self._columns[found], self._bytes[found]

    def _step(self, pread: Pread) -> int:
        line, column, at = self.at
        chunk = pread(min(CHUNK, self.size - at), at)
        last = len(chunk) < CHUNK or at + len(chunk) >= self.size
        count, end = line_ends(chunk, self.encoding, sparse=self._sparse)
        self._sparse = count * _SPARSE < len(chunk)
        if count:
            self.at = line + count, 0, at + end
        elif not last:
            text, used = decoded_part(chunk, self.encoding)
            self.at = line, column + len(text), at + used
        if last:
            rest = len(chunk) > end if count else bool(chunk) or column > 0
            self.total = line + count + rest
        elif self.at[2] - self._bytes[-1] >= self._stride // 2:
            self._mark()
        return len(chunk)

    def _mark(self) -> None:
        for values, value in zip((self._lines, self._columns, self._bytes), self.at, strict=True):
            values.append(value)
        if len(self._bytes) > _MARKS:
            del self._lines[1::2], self._columns[1::2], self._bytes[1::2]
            self._stride *= 2


def line_ends(chunk: bytes, encoding: Encoding, *, sparse: bool = False) -> tuple[int, int]:
    """(number of LFs, end of the last one) in a chunk that begins at a character. `sparse` is a hint for speed."""
    if encoding.unit == 1:
        found = len(chunk) - len(chunk.replace(b"\n", b"")) if sparse else chunk.count(b"\n")
        return found, chunk.rfind(b"\n") + 1
    text, _ = decoded_part(chunk, encoding)
    return text.count("\n"), len(text[: text.rfind("\n") + 1].encode(encoding.name))


def after_lines(chunk: bytes, lines: int, encoding: Encoding) -> int:
    """Where in the chunk, which has that many, the LF number `lines` ends."""
    if encoding.unit == 1:
        return len(chunk) - len(chunk.split(b"\n", lines)[-1])
    text, _ = decoded_part(chunk, encoding)
    return len(text[: len(text) - len(text.split("\n", lines)[-1])].encode(encoding.name))


def decoded_part(chunk: bytes, encoding: Encoding) -> tuple[str, int]:
    """The characters that are whole in the chunk, and their bytes. A CR at its end waits for its LF."""
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    text = decoder.decode(chunk)
    used = len(chunk) - len(decoder.getstate()[0])
    if text.endswith("\r"):
        text, used = text[:-1], used - encoding.unit
    return text, used
