"""Counting line ends without slowing the stream down.

Small outputs are counted here. When much comes, the kernel copies the pipe (tee(2), no bytes move) to `wc -l`, which
counts on another core several times faster than Python can.
"""

import ctypes
import fcntl
import os
import shutil
import subprocess

SMALL = 4 * 1024 * 1024
"""bytes that are counted here before `wc` is started"""
_PIPE = 1024 * 1024
_PIECE = 256 * 1024


class Counter:
    """Counts what passes through a pipe."""

    def __init__(self) -> None:
        self.newlines = 0
        self._seen = 0
        self._wc: subprocess.Popen[bytes] | None = None
        self._to = -1
        self._able = True

    def count(self, piece: memoryview) -> None:
        """Count what was read from the pipe."""
        self._seen += len(piece)
        self.newlines += bytes(piece).count(b"\n")

    def copy(self, pipe: int) -> int | None:
        """Have the next bytes of `pipe` counted before they are read: how many, 0 at its end. None: count them."""
        if not self._able or self._seen < SMALL:
            return None
        if self._wc is None and not self._start():
            return None
        copied = int(_libc().tee(pipe, self._to, ctypes.c_size_t(_PIECE), 0))
        if copied >= 0:
            return copied
        self._able = False  # not a pipe, or `wc` is gone: from here on it is done here
        return None

    def _start(self) -> bool:
        program = shutil.which("wc", path="/usr/bin:/bin")
        self._able = program is not None and hasattr(_libc(), "tee")
        if program is None or not self._able:
            return False
        read, self._to = os.pipe2(os.O_CLOEXEC)
        try:
            fcntl.fcntl(self._to, fcntl.F_SETPIPE_SZ, _PIPE)
        except OSError:
            pass  # a person's share of pipe memory may be used up
        self._wc = subprocess.Popen([program, "-l"], stdin=read, stdout=subprocess.PIPE, env={"LC_ALL": "C"}, cwd="/")
        os.close(read)
        return True

    def close(self) -> None:
        """No more comes: the count is complete."""
        if self._wc is not None:
            os.close(self._to)
            counted, _ = self._wc.communicate()
            self.newlines += int(counted or 0)
            self._wc = None


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
