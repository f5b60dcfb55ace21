"""What becomes of a command's output while it comes: counted, spooled up to a quota, shown live, its tail kept.

Memory stays flat whatever comes: it is read into one ring, and what the page, the model and the end of the spool get is
cut from there.
"""

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from workbench.shell.jail.count import Counter
from workbench.shell.jail.ring import Ring

log = logging.getLogger(__name__)

TAIL = 8 * 1024
"""bytes of output that the model gets"""
LIVE_EVERY = 0.05
"""seconds between two pieces for the page"""
LIVE_MOST = 64 * 1024
"""bytes of one piece; the page has the spool for the rest"""
SPOOL_END = 512 * 1024
"""when the quota is met the beginning is kept, and this much of the end"""


class Output:
    """Takes one command's output from its pipe."""

    def __init__(self, spool: Path, quota: int, live: Callable[[bytes], None]) -> None:
        self.total = 0
        self.spooled = 0
        self.full = ""
        """why not everything is in the spool"""
        self._quota = quota
        self._kept_end = min(SPOOL_END, quota // 4)
        self._live = live
        self._ring = Ring(SPOOL_END)
        self._counter = Counter()
        self._shown = 0
        self._shown_at = 0.0
        spool.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._spool = os.open(spool, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def take(self, pipe: int) -> bool:
        """Read what is there, a bounded piece of it. False when the pipe has ended."""
        copied = self._counter.copy(pipe)
        if copied is None:
            piece = self._ring.read(pipe)
            self._counter.count(piece)
            self._keep(piece)
            more = len(piece) > 0
        else:
            more = copied > 0
            while copied:
                piece = self._ring.read(pipe, copied)
                copied -= len(piece)
                self._keep(piece)
        self.show()
        return more

    def _keep(self, piece: memoryview) -> None:
        self.total += len(piece)
        if not self.full:
            room = self._quota - self._kept_end - self.spooled
            self._write(piece[:room])
            if len(piece) > room and not self.full:
                self.full = f"The quota of {self._quota:,} bytes for one output was met"

    def show(self, *, now: bool = False) -> None:
        """Send what waits to the page, when it is time."""
        moment = time.monotonic()
        waits = self.total - self._shown
        if not waits or (not now and moment - self._shown_at < LIVE_EVERY):
            return
        piece = self._ring.end(min(waits, LIVE_MOST))
        if len(piece) < waits:
            piece = piece[piece.find(b"\n") + 1 :]
            skipped = b"\n[\xe2\x80\xa6 %d bytes went by too fast to show \xe2\x80\xa6]\n" % (waits - len(piece))
            piece = skipped + piece
        self._shown = self.total
        self._shown_at = moment
        try:
            self._live(piece)
        except Exception:  # a page that cannot be told must not end a command
            log.exception("live output was not shown")

    @property
    def due(self) -> float | None:
        """Seconds until `show` has something to do."""
        return max(0.0, self._shown_at + LIVE_EVERY - time.monotonic()) if self.total > self._shown else None

    def close(self) -> None:
        """No more comes: the end goes into the spool, and the lines are known."""
        self.show(now=True)
        if self.full:
            end = self._ring.end(min(self._kept_end, self.total - self.spooled))
            left_out = self.total - self.spooled - len(end)
            if left_out:
                self._write(b"\n[\xe2\x80\xa6 %d bytes not kept \xe2\x80\xa6]\n" % left_out, counts=False)
            self._write(end)
        os.close(self._spool)
        self._counter.close()

    def _write(self, data: bytes | memoryview, *, counts: bool = True) -> None:
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
        return cut_tail(self._ring.end(TAIL), self.total)

    @property
    def lines(self) -> int:
        """Lines as an editor counts them, known once it is closed: a last one without a line end counts too."""
        last = self._ring.end(1)
        return self._counter.newlines + (1 if last and last != b"\n" else 0)


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
