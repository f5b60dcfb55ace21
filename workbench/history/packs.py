"""Many small objects in one file, for the first look at a workspace: one file to make and to sync instead of thousands.

`packs/<name>.pack` holds the objects one after the other, each as it would lie in a file of its own; `<name>.idx` is a
sorted list of (hash, offset, length). A pack counts once its index is there, which is written last. Taking an object
out overwrites its bytes with zeros; a pack that is mostly dead is written anew.
"""

import os
import secrets
import struct
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.history.disk import settled, sync

_RECORD = struct.Struct(">32sQQ")


@dataclass(frozen=True)
class Index:
    """The index of one pack, in memory."""

    pack: Path
    records: bytes

    def find(self, sha: bytes) -> tuple[int, int] | None:
        """(offset, length)"""
        low, high = 0, len(self.records) // _RECORD.size
        while low < high:
            middle = (low + high) // 2
            at = middle * _RECORD.size
            if self.records[at : at + 32] < sha:
                low = middle + 1
            else:
                high = middle
        at = low * _RECORD.size
        if self.records[at : at + 32] != sha:
            return None
        _, offset, length = _RECORD.unpack_from(self.records, at)
        return offset, length

    def __iter__(self) -> Iterator[tuple[bytes, int, int]]:
        yield from _RECORD.iter_unpack(self.records)


class Packs:
    """All packs of a store. Writing is done under the store's lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._at = str(folder)
        self._known: dict[tuple[str, int, int], Index | None] = {}
        self._stamp = -1

    def read(self, sha256: str) -> bytes | None:
        """An object as it is held; None when no pack has it."""
        for _ in range(2):
            for index, (offset, length) in self._find(sha256):
                try:
                    fd = os.open(index.pack, os.O_RDONLY | os.O_CLOEXEC)
                except FileNotFoundError:  # written anew by another process
                    self._stamp = -1
                    break
                try:
                    return os.pread(fd, length, offset)
                finally:
                    os.close(fd)
            else:
                return None
        return None

    def has(self, sha256: str) -> bool:
        return any(True for _ in self._find(sha256))

    def touch(self, sha256: str) -> None:
        """Make the pack young again that holds it."""
        for index, _ in self._find(sha256):
            os.utime(index.pack)

    def names(self) -> Iterator[str]:
        for index in self._indexes():
            for sha, _, _ in index:
                yield sha.hex()

    def size(self) -> int:
        return sum(index.pack.stat().st_size for index in self._indexes())

    def write(self, pack: Path, records: dict[bytes, tuple[int, int]]) -> None:
        """Let a pack count whose bytes are synced."""
        index = pack.with_suffix(".idx")
        temp = pack.with_suffix(f".{secrets.token_hex(4)}.tmp")
        packed = b"".join(_RECORD.pack(sha, *place) for sha, place in sorted(records.items()))
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as f:
            f.write(packed)
            f.flush()
            os.fsync(fd)
        temp.replace(index)
        sync(self.folder)
        self._stamp = -1

    def drop(self, sha256s: Collection[str]) -> int:
        """Take objects out, their bytes overwritten; how many there were."""
        gone = {bytes.fromhex(sha) for sha in sha256s}
        count = 0
        for index in self._indexes():
            kept = {sha: (offset, length) for sha, offset, length in index}
            dead = {sha: kept.pop(sha) for sha in gone & kept.keys()}
            if not dead:
                continue
            count += len(dead)
            self.write(index.pack, kept)
            fd = os.open(index.pack, os.O_WRONLY | os.O_CLOEXEC)
            for offset, length in dead.values():
                os.pwrite(fd, bytes(length), offset)
            os.fsync(fd)
            os.close(fd)
            self._shrink(Index(index.pack, index.pack.with_suffix(".idx").read_bytes()))
        return count

    def old(self, oldest: float) -> list[str]:
        """Names in packs that were last used before `oldest`."""
        return [sha.hex() for index in self._indexes() if index.pack.stat().st_mtime <= oldest for sha, _, _ in index]

    def sweep(self, oldest: float) -> int:
        """Remove packs without an index and half-written indexes."""
        left = [
            file for file in self.folder.iterdir()
            if (file.suffix == ".tmp" or (file.suffix == ".pack" and not file.with_suffix(".idx").exists()))
            and file.stat().st_mtime <= oldest
        ]  # fmt: skip
        for file in left:
            file.unlink(missing_ok=True)
        return len(left)

    def _shrink(self, index: Index) -> None:
        """Write a pack anew of which less than half is in use."""
        used = sum(length for _, _, length in index)
        if used * 2 >= index.pack.stat().st_size:
            return
        if used:
            batch = PackWriter(self.folder)
            fd = os.open(index.pack, os.O_RDONLY | os.O_CLOEXEC)
            for sha, offset, length in index:
                batch.add(sha, os.pread(fd, length, offset))
            os.close(fd)
            self.write(batch.finish(), batch.records)
        index.pack.with_suffix(".idx").unlink(missing_ok=True)
        index.pack.unlink(missing_ok=True)
        sync(self.folder)
        self._stamp = -1

    def _find(self, sha256: str) -> Iterator[tuple[Index, tuple[int, int]]]:
        sha = bytes.fromhex(sha256)
        for index in self._indexes():
            if place := index.find(sha):
                yield index, place

    def _indexes(self) -> list[Index]:
        """Read again when the folder changed; a stamp that is as young as the look is not trusted."""
        changed = os.stat(self._at).st_mtime_ns  # noqa: PTH116 - hot
        if changed != self._stamp:
            self._known = dict(self._read_index(file) for file in sorted(self.folder.glob("*.idx")))
            self._stamp = changed if settled(changed, time.time_ns()) else -1
        return [index for index in self._known.values() if index]

    def _read_index(self, file: Path) -> tuple[tuple[str, int, int], Index | None]:
        """By name and inode: an index is replaced, never changed."""
        try:
            info = file.stat()
            key = (file.name, info.st_ino, info.st_mtime_ns)
            return key, self._known.get(key) or Index(file.with_suffix(".pack"), file.read_bytes())
        except FileNotFoundError:
            return (file.name, 0, 0), None


class PackWriter:
    """A pack that is being filled."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{secrets.token_hex(8)}.pack"
        self.records: dict[bytes, tuple[int, int]] = {}
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
        self._at = 0

    def add(self, sha: bytes, held: bytes) -> None:
        self._file.write(held)
        self.records[sha] = (self._at, len(held))
        self._at += len(held)

    def finish(self) -> Path:
        """Sync the bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return self.path

    def give_up(self) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)
