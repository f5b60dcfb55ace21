"""One writer a path: locks between the threads and the processes of the workbench.

Each path is one byte of an empty file, locked through a descriptor of its own (open-file-description locks), so a lock
goes with the process that held it and nothing is left to clear away.
"""

import fcntl
import hashlib
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.files import Refused

WAIT = 10.0
"""seconds until a writer gives up"""


@dataclass
class Lock:
    """A held lock; `release` may be called twice."""

    fd: int

    def release(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def hold(file: Path, name: str, *, wait: float = WAIT) -> Lock:
    """Lock `name`. Refused `conflict` when someone else holds it for longer than `wait` seconds."""
    offset = int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()[:7]) & ~1
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
    try:
        fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise Refused("io", f"The history cannot be written ({e.strerror}), so nothing is changed.") from e
    end = time.monotonic() + wait
    pause = 0.001
    while True:
        try:
            fcntl.fcntl(fd, fcntl.F_OFD_SETLK, asked)
            return Lock(fd)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > end:
                os.close(fd)
                raise Refused(
                    "conflict", f"Another writer has held this file for {wait:g} s. Wait a little and try again."
                ) from None
        except BaseException:
            os.close(fd)
            raise
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
