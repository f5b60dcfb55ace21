"""The end of a stream, in one piece of memory that never grows: what is read goes there and nowhere else."""

import os

WINDOW = 256 * 1024
"""bytes of one read; small enough to stay in the processor's cache"""


class Ring:
    """Holds at least the last `keep` bytes."""

    def __init__(self, keep: int, window: int = WINDOW) -> None:
        self._window = window
        self._memory = bytearray(keep + 2 * window)
        self._view = memoryview(self._memory)
        self._at = 0
        """where the next read goes; before it lies the newest"""
        self._lap = 0
        """where the round before ended: older bytes lie between `_at` and here"""

    def read(self, fd: int, most: int | None = None) -> memoryview:
        """One read from `fd`, of at most `most` bytes. What it gives is gone with the next one."""
        size = self._window if most is None else min(most, self._window)
        start = self._at
        self._at += os.readv(fd, [self._view[start : start + size]])
        piece = self._view[start : self._at]
        if self._at + self._window > len(self._memory):
            self._lap, self._at = self._at, 0
        return piece

    def end(self, size: int) -> bytes:
        """The last bytes, at most `size` of them, and no more than are still held."""
        newest = self._view[max(0, self._at - size) : self._at]
        older = self._view[max(self._at, self._lap - (size - len(newest))) : self._lap]
        return bytes(older) + bytes(newest)
