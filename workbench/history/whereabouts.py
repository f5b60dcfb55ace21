"""Where a file went that is no longer where it was: the same bytes under another name, if a short look finds them."""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.history.disk import hash_fd
from workbench.history.states import State

SECONDS = 0.5
SKIPPED = {".git", "node_modules", ".venv", "__pycache__"}


def find_content(root: Path, state: State, *, seconds: float = SECONDS) -> str:
    """The path, relative to `root`, of a file with the content of `state`; "" when none is found in time."""
    if state.kind != "file" or not state.size:
        return ""
    end = time.monotonic() + seconds
    for path in _same_size(root, state.size, end):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if hash_fd(fd)[0] == state.sha256:
                return os.path.relpath(path, root)
        finally:
            os.close(fd)
    return ""


def _same_size(root: Path, size: int, end: float) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIPPED]
        for name in names:
            if time.monotonic() > end:
                return
            path = f"{folder}/{name}"
            try:
                info = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and info.st_size == size:
                yield path
