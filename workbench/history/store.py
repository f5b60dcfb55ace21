"""Bytes by their SHA-256, durable before `put` returns. Lies in the data directory, outside every workspace.

`objects/ab/cdef…` holds one object each, `objects/ab/+…` what is being written (folders 0700, files 0600); `lock` keeps
a collection away from a running put. The first byte of an object tells how the rest is held: `=` as is, `z` zstandard.
What a first look at a workspace keeps goes into packs (`history/packs.py`) instead of thousands of files.

Plain files, and not git's object database: taking a leaked secret out is one unlink, damage stays in one object, there
is nothing to repack, and a durable put costs one journal commit. The name becomes visible by rename before the fsync,
so after a power loss it may stand for torn bytes; therefore nothing counts as stored until its hash fits.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol, Self

import zstandard

from workbench.files import Refused
from workbench.history.disk import CHUNK, pieces, sync, sync_all, write
from workbench.history.packs import Packs, PackWriter

MAX_SIZE = 64 * 1024 * 1024
SMALL = 96
"""bytes below which compressing cannot pay"""
REMEMBERED = 50_000
MANY = 32
"""objects from which one sync of the file system is cheaper than one for each"""


class Damaged(Refused):
    """What lies in the store under a hash is not what was put there, or is gone. Never read as `there was no file`."""

    def __init__(self, sha256: str, why: str) -> None:
        super().__init__("io", f"The kept content {sha256[:12]} cannot be used: {why}. Nothing was changed.")
        self.sha256 = sha256


class Store:
    def __init__(self, root: Path, *, max_size: int = MAX_SIZE) -> None:
        """Makes the folders. `max_size`: the largest object that callers should put; `put` itself takes any."""
        self.root = root
        self.max_size = max_size
        self.objects = root / "objects"
        self._at = str(self.objects)
        self.packs = Packs(root / "packs")
        self._folders: set[str] = set()
        """those of `objects` that this process knows to be on disk"""
        self._synced: set[tuple[str, int]] = set()
        """(name, inode) of objects that this process knows to be on disk"""
        try:
            for folder in (root, self.objects, self.packs.folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            root.chmod(0o700)
        except OSError as e:
            raise _cannot_write(e) from e

    @staticmethod
    def name(data: bytes) -> str:
        """The name that `data` has, or would have, in a store."""
        return hashlib.sha256(data).hexdigest()

    def put(self, data: bytes, *, durable: bool = True) -> str:
        """Keep `data`; its name. Refused `io` when the disk will not take it.

        `durable=False` leaves the time of writing to the system; `sync` makes good for many at once.
        """
        sha = self.name(data)
        try:
            with self._using():
                if not self._again(sha, durable=durable):
                    with self._new(sha[:2]) as new:
                        write(new.fd, held(data))
                        self._place(new, sha, durable=durable)
        except OSError as e:
            raise _cannot_write(e) from e
        return sha

    def put_fd(self, fd: int, *, durable: bool = True) -> tuple[str, int]:
        """Keep what an open file holds from its start; (name, size). Memory stays flat for any size."""
        size = os.fstat(fd).st_size
        if size <= CHUNK:
            data = b"".join(pieces(fd))
            return self.put(data, durable=durable), len(data)
        digest, size = hashlib.sha256(), 0
        press = zstandard.ZstdCompressor(level=1).compressobj()
        try:
            with self._using(), self._new("00") as new:
                write(new.fd, b"z")
                for piece in pieces(fd):
                    digest.update(piece)
                    size += len(piece)
                    write(new.fd, press.compress(piece))
                write(new.fd, press.flush())
                if not self._again(sha := digest.hexdigest(), durable=durable):
                    self._place(new, sha, durable=durable)
        except OSError as e:
            raise _cannot_write(e) from e
        return sha, size

    @contextmanager
    def batch(self) -> Iterator["Batch"]:
        """Many puts of small contents in one file. They are there, durably, when the block ends; not before."""
        batch = Batch(self)
        try:
            yield batch
            batch.finish()
        except OSError as e:
            raise _cannot_write(e) from e
        finally:
            batch.close()

    def get(self, sha256: str) -> bytes:
        """The bytes. Damaged when they are gone or do not fit their name."""
        return b"".join(self.chunks(sha256))

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes piece by piece; Damaged may come at the end, so act on nothing before that."""
        digest = hashlib.sha256()
        try:
            with self._open(sha256) as f:
                how = f.read(1)
                if how == b"z":
                    source: Iterable[bytes] = zstandard.ZstdDecompressor().read_to_iter(f, write_size=CHUNK)
                elif how == b"=":
                    source = iter(lambda: f.read(CHUNK), b"")
                else:
                    raise Damaged(sha256, "it is torn")
                for piece in source:
                    digest.update(piece)
                    yield piece
        except FileNotFoundError:
            raise Damaged(sha256, "it is no longer in the history") from None
        except zstandard.ZstdError:
            raise Damaged(sha256, "it is torn") from None
        except OSError as e:
            raise Damaged(sha256, f"reading it failed ({e.strerror})") from e
        if digest.hexdigest() != sha256:
            raise Damaged(sha256, "its bytes do not fit their hash")

    def has(self, sha256: str) -> bool:
        """Something lies under this name; whether it is whole is seen when it is read."""
        return self._path(sha256).exists() or self.packs.has(sha256)

    def stored_size(self, sha256: str) -> int:
        """Bytes that it takes on disk; 0 when it is not there."""
        try:
            return self._path(sha256).stat().st_size
        except FileNotFoundError:
            return len(self.packs.read(sha256) or b"")

    def sync(self, names: Collection[str]) -> None:
        """Make objects durable that were put with `durable=False`."""
        try:
            if len(names) > MANY and sync_all(self.objects):
                return
            for sha in names:
                self._again(sha, durable=True)
        except OSError as e:
            raise _cannot_write(e) from e

    def delete(self, sha256: str) -> bool:
        """Take the bytes away for good; False when they were not there."""
        path = self._path(sha256)
        with self._using(alone=True):
            found = path.exists()
            if found:
                path.unlink()
                sync(path.parent)
            return bool(self.packs.drop([sha256])) or found

    def names(self) -> Iterator[str]:
        """Each name; one that lies in two places comes twice."""
        yield from self.packs.names()
        yield from self._loose()

    def _loose(self) -> Iterator[str]:
        for folder in self.objects.iterdir():
            for file in folder.iterdir():
                if not file.name.startswith("+"):
                    yield folder.name + file.name

    def size(self) -> int:
        """Bytes that all objects take."""
        return sum(f.stat().st_size for d in self.objects.iterdir() for f in d.iterdir()) + self.packs.size()

    def collect(self, live: Collection[str], *, grace: float = 3600.0) -> tuple[int, int]:
        """Remove what is not `live` and was not put within `grace` seconds; (objects, bytes) removed.

        A put of bytes that are here already makes them young again, so a row that is about to name them is safe.
        """
        count = freed = 0
        oldest = time.time() - grace
        for sha in list(self._loose()):
            if sha in live:
                continue
            with self._using(alone=True):
                info = self._path(sha).stat()
                if info.st_mtime <= oldest:
                    self._path(sha).unlink()
                    count, freed = count + 1, freed + info.st_size
        with self._using(alone=True):
            before = self.packs.size()
            count += self.packs.drop([sha for sha in self.packs.old(oldest) if sha not in live])
            freed += before - self.packs.size()
        return count, freed

    def sweep(self, *, grace: float = 3600.0) -> int:
        """Remove what a crash left half written; how many."""
        old = [f for f in self.objects.glob("*/+*") if f.stat().st_mtime <= time.time() - grace]
        for file in old:
            file.unlink(missing_ok=True)
        with self._using(alone=True):
            return len(old) + self.packs.sweep(time.time() - grace)

    def purge(self) -> None:
        """Take everything away."""
        with self._using(alone=True):
            for folder in (self.objects, self.packs.folder):
                shutil.rmtree(folder)
                folder.mkdir(mode=0o700)
            self._folders.clear()

    def _path(self, sha256: str) -> Path:
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise Damaged(sha256, "that is not a name in the store")
        return self.objects / sha256[:2] / sha256[2:]

    def _open(self, sha256: str) -> BinaryIO:
        try:
            return self._path(sha256).open("rb")
        except FileNotFoundError:
            held = self.packs.read(sha256)
            if held is None:
                raise
            return BytesIO(held)

    @contextmanager
    def _using(self, *, alone: bool = False) -> Iterator[None]:
        fd = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(fd)

    def _again(self, sha: str, *, durable: bool) -> bool:
        """True when `sha` lies here whole already; then it is young again, and durable if asked for."""
        path = f"{self._at}/{sha[:2]}/{sha[2:]}"
        try:
            inode = os.stat(path).st_ino  # noqa: PTH116 - hot
        except FileNotFoundError:
            inode = 0
        if not inode and not self.packs.has(sha):
            return False
        try:
            for _ in self.chunks(sha):
                pass
        except Damaged:
            return False
        if not inode:
            self.packs.touch(sha)
            return True
        os.utime(path)
        if durable and (sha, inode) not in self._synced:
            sync(path)
            sync(f"{self._at}/{sha[:2]}")
            self._remember(sha, inode)
        return True

    def _remember(self, sha: str, inode: int) -> None:
        if len(self._synced) > REMEMBERED:
            self._synced.clear()
        self._synced.add((sha, inode))

    def _new(self, folder: str) -> "_New":
        """A new file in a folder of `objects`; gone when the block ends, unless it was placed."""
        self._make(folder)
        path = f"{self._at}/{folder}/+{secrets.token_hex(8)}"
        return _New(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))

    def _place(self, new: "_New", sha: str, *, durable: bool) -> None:
        """Rename first and sync after: one journal commit carries bytes, name and folder."""
        self._make(sha[:2])
        os.rename(new.path, f"{self._at}/{sha[:2]}/{sha[2:]}")  # noqa: PTH104 - hot
        new.path = ""
        if durable:
            os.fsync(new.fd)
            sync(f"{self._at}/{sha[:2]}")
            self._remember(sha, os.fstat(new.fd).st_ino)

    def _make(self, folder: str) -> None:
        if folder not in self._folders:
            (self.objects / folder).mkdir(mode=0o700, exist_ok=True)
            sync(self.objects)
            self._folders.add(folder)


class _New:
    """A file that is being written; `path` is "" once it has its name."""

    def __init__(self, path: str, fd: int) -> None:
        self.path, self.fd = path, fd

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)
        if self.path:
            os.unlink(self.path)  # noqa: PTH108


class Batch:
    """See `Store.batch`. Large contents go into the store at once, each as a file of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pack = PackWriter(store.packs.folder)
        self._large: set[str] = set()
        self._done = False

    def put(self, data: bytes, *, durable: bool = True) -> str:
        del durable
        sha = Store.name(data)
        if bytes.fromhex(sha) not in self._pack.records and not self._store._again(sha, durable=False):
            self._pack.add(bytes.fromhex(sha), held(data))
        return sha

    def put_fd(self, fd: int, *, durable: bool = True) -> tuple[str, int]:
        del durable
        if os.fstat(fd).st_size > CHUNK:
            sha, size = self._store.put_fd(fd, durable=False)
            self._large.add(sha)
            return sha, size
        data = b"".join(pieces(fd))
        return self.put(data), len(data)

    def finish(self) -> None:
        if self._pack.records:
            path = self._pack.finish()
            with self._store._using():
                self._store.packs.write(path, self._pack.records)
            self._done = True
        self._store.sync(self._large)

    def close(self) -> None:
        if not self._done:
            self._pack.give_up()


class Keeper(Protocol):
    """Where contents can be put: a store, or a batch of one."""

    def put(self, data: bytes, *, durable: bool = True) -> str: ...

    def put_fd(self, fd: int, *, durable: bool = True) -> tuple[str, int]: ...


_local = threading.local()


def _press() -> zstandard.ZstdCompressor:
    """One a thread: making one costs more than pressing a small content."""
    if not hasattr(_local, "press"):
        _local.press = zstandard.ZstdCompressor(level=3)
    press: zstandard.ZstdCompressor = _local.press
    return press


def held(data: bytes) -> bytes:
    """An object as it lies on disk: compressed when that pays."""
    if len(data) >= SMALL:
        packed = _press().compress(data)
        if len(packed) < len(data) * 9 // 10:
            return b"z" + packed
    return b"=" + data


def _cannot_write(error: OSError) -> Refused:
    return Refused(
        "io",
        f"The history cannot keep the old content ({error.strerror}), so nothing is changed. Free some space or make "
        "the data directory writable, then try again.",
    )
