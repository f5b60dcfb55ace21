"""Reading small files that a workspace may have made: no pipe is waited for, nothing large is taken in."""

import os
import stat
from pathlib import Path

MOST = 256 * 1024


def read_small(path: Path, most: int = MOST) -> bytes | None:
    """The bytes of a regular file, or None: not there, not readable, something else, or larger than `most`."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with open(fd, "rb") as file:  # noqa: PTH123 - by descriptor
        data = file.read(most + 1)
    return data if len(data) <= most else None


def text_of(path: Path, most: int = MOST) -> str:
    """The same as text, bytes that are none kept as surrogates; empty where there is nothing to read."""
    return (read_small(path, most) or b"").decode(errors="surrogateescape")
