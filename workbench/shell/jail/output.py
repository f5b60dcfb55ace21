"""What becomes of a command's output while it comes: counted, spooled up to a quota, shown live, its tail kept.

Memory stays flat whatever comes: the tail, the last part for the spool and what waits for the page are all bounded.
"""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger(__name__)

TAIL = 8 * 1024
"""bytes of output that the model gets"""
LIVE_EVERY = 0.05
"""seconds between two pieces for the page"""
LIVE_MOST = 64 * 1024
"""bytes of one piece; the page has the spool for the rest"""
SPOOL_END = 512 * 1024
"""when the quota is met the beginning is kept, and this much of the end"""


class Last:
    """The last `size` bytes of a stream."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._held = bytearray()

    def add(self, data: bytes) -> None:
        if len(data) >= self.size:
            self._held[:] = data[-self.size :]
            return
        self._held += data
        if len(self._held) > 2 * self.size:
            del self._held[: -self.size]

    def bytes(self) -> bytes:
        return bytes(self._held[-self.size :])

    def clear(self) -> None:
        self._held.clear()


class Output:
    """Takes the pieces of one command's output."""

    def __init__(self, spool: Path, quota: int, live: Callable[[bytes], None]) -> None:
        self.total = 0
        self.newlines = 0
        self.spooled = 0
        self.full = ""
        """why not everything is in the spool"""
        self._quota = quota
        self._live = live
        self._tail = Last(TAIL)
        self._end = Last(min(SPOOL_END, quota // 4))
        self._waiting = Last(LIVE_MOST)
        self._waits = 0
        self._shown_at = 0.0
        spool.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._spool = os.open(spool, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.newlines += data.count(b"\n")
        self._tail.add(data)
        self._waiting.add(data)
        self._waits += len(data)
        room = self._quota - self._end.size - self.spooled
        if not self.full and (now := data[:room]):
            self._write(now)
        if len(data) > room or self.full:
            self.full = self.full or f"The quota of {self._quota:,} bytes for one output was met"
            self._end.add(data[max(0, room) :])
        self.show()

    def show(self, *, now: bool = False) -> None:
        """Send what waits to the page, when it is time."""
        moment = time.monotonic()
        if not self._waits or (not now and moment - self._shown_at < LIVE_EVERY):
            return
        piece = self._waiting.bytes()
        if len(piece) < self._waits:
            piece = piece[piece.find(b"\n") + 1 :]
            piece = (
                b"\n[\xe2\x80\xa6 %d bytes went by too fast to show \xe2\x80\xa6]\n" % (self._waits - len(piece))
                + piece
            )
        self._waiting.clear()
        self._waits = 0
        self._shown_at = moment
        try:
            self._live(piece)
        except Exception:  # a page that cannot be told must not end a command
            log.exception("live output was not shown")

    @property
    def due(self) -> float | None:
        """Seconds until `show` has something to do."""
        return max(0.0, self._shown_at + LIVE_EVERY - time.monotonic()) if self._waits else None

    def close(self) -> None:
        """No more comes: the end goes into the spool."""
        self.show(now=True)
        if self.full:
            end = self._end.bytes()
            left_out = self.total - self.spooled - len(end)
            if left_out:
                self._write(b"\n[\xe2\x80\xa6 %d bytes not kept \xe2\x80\xa6]\n" % left_out, counts=False)
            self._write(end)
        os.close(self._spool)

    def _write(self, data: bytes, *, counts: bool = True) -> None:
        view = memoryview(data)
        try:
            while view:
                done = os.write(self._spool, view)
                self.spooled += done if counts else 0
                view = view[done:]
        except OSError as e:  # a full disk must not stop the command; what is missing is said
            self.full = f"The output could not be kept whole ({e.strerror})"

    def tail(self) -> bytes:
        """The last bytes, from the start of a line on where one begins among them, else of a character."""
        return cut_tail(self._tail.bytes(), self.total)

    @property
    def lines(self) -> int:
        """Lines as an editor counts them: a last one without a line end counts too."""
        last = self._tail.bytes()[-1:]
        return self.newlines + (1 if last and last != b"\n" else 0)


def cut_tail(last: bytes, total: int) -> bytes:
    """`last` bytes of `total`, without a torn first line; a line longer than all of it is cut at a character."""
    if len(last) == total:
        return last
    line = last.find(b"\n") + 1
    if 0 < line < len(last):
        return last[line:]
    start = 0
    while start < min(3, len(last)) and last[start] & 0xC0 == 0x80:
        start += 1
    return last[start:]
