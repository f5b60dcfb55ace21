"""Bytes by their SHA-256, durable before `put` returns. Lies in the data directory, outside every workspace.

Layout under `root` (folders 0700, files 0600): `objects/ab/cdef…` one object each, `packs/` many in one file, `tmp/`
for what is being written. The first byte of an object tells how the rest is held: `=` as it is, `z` zstandard.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

MAX_SIZE = 64 * 1024 * 1024


class Damaged(Exception):
    """What lies in the store under a hash is not what was put there, or is gone. Never read as `there was no file`."""


class Store:
    def __init__(self, root: Path, *, max_size: int = MAX_SIZE) -> None:
        self.root = root
        self.max_size = max_size

    @staticmethod
    def name(data: bytes) -> str:
        """The name that `data` has, or would have, in a store."""
        raise NotImplementedError

    def put(self, data: bytes, *, durable: bool = True) -> str:
        raise NotImplementedError

    def put_fd(self, fd: int, *, durable: bool = True) -> tuple[str, int]:
        """(name, size)"""
        raise NotImplementedError

    def get(self, sha256: str) -> bytes:
        """The bytes. Damaged when they are gone or do not fit their name."""
        raise NotImplementedError

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes piece by piece; Damaged may come at the end, so act on nothing before that."""
        raise NotImplementedError

    def has(self, sha256: str) -> bool:
        raise NotImplementedError

    def delete(self, sha256: str) -> bool:
        raise NotImplementedError

    def collect(self, live: Collection[str], *, grace: float = 3600.0) -> tuple[int, int]:
        """(objects, bytes) removed"""
        raise NotImplementedError


def hash_fd(fd: int) -> tuple[str, int]:
    """(SHA-256, size) of an open file from its start."""
    raise NotImplementedError
