"""Small steps on open files: read by position, hash, write whole, sync."""

import ctypes
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 20
YOUNG = 50_000_000
"""nanoseconds within which a further change might get the same time stamp"""
COARSE = 2_000_000_000
"""the same where time stamps are whole seconds"""


def settled(stamp: int, now: int) -> bool:
    """A change after `now` would show in a time stamp that reads `stamp` (both in nanoseconds)."""
    return stamp < now - (YOUNG if stamp % 1_000_000_000 else COARSE)


def pieces(fd: int) -> Iterator[bytes]:
    """By position, so that the descriptor's own offset does not matter."""
    at = 0
    while piece := os.pread(fd, CHUNK, at):
        yield piece
        at += len(piece)


def hash_fd(fd: int) -> tuple[str, int]:
    """(SHA-256, size) of an open file from its start."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces(fd):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def write(fd: int, data: bytes) -> None:
    """All of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync(path: str | Path) -> None:
    """A file or folder."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_all(path: Path) -> bool:
    """The whole file system that `path` lies on; False where the system cannot."""
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:
        return False
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return bool(syncfs(fd) == 0)
    finally:
        os.close(fd)
