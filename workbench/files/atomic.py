"""Changing one name in a folder so that it is the old or the new, whatever happens (SPEC W2).

Everything goes by the descriptor of the parent folder, which the fence opened. What holds:

* New content is written to `.wb-tmp-<16 hex digits>` in the same folder, gets mode, owner, extended attributes and ACL
  of the old file, and is synced before it takes the name; then the folder is synced.
* A new name is taken only while it is free (RENAME_NOREPLACE). An old file is exchanged for the new one
  (RENAME_EXCHANGE) and looked at afterwards: was it not what the caller saw, the exchange is taken back. So a change
  that someone makes at the last moment is not lost. Where the system cannot exchange, it is looked at just before.
* What lies on disk is read back before success is reported: it must be the very bytes whose hash is told.
* On any error nothing has changed and no temporary file is left. After a kill one may be left; `sweep` removes it at
  the next start. A temporary file in use is locked (flock), so a sweep beside a running writer leaves it alone.
"""

import ctypes
import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.files import ErrorCode, Refused

PREFIX = ".wb-tmp-"
_OURS = re.compile(re.escape(PREFIX) + r"[0-9a-f]{16}")
_NOREPLACE, _EXCHANGE = 1, 2
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 64 << 10  # larger buffers are mapped anew for every read


@dataclass(frozen=True)
class Written:
    """What a write left on disk."""

    sha256: str
    size: int
    mode: int
    created: bool
    parted: int = 0
    """other names of the old file (hard links), which keep the old content"""
    notes: tuple[str, ...] = ()
    """sentences about what could not be kept"""


def write(
    parent: int,
    name: str,
    data: bytes,
    *,
    rel: str,
    expect: bytes | str | None,
    mode: int | None = None,
    sha256: str = "",
) -> Written:
    """`name` in the open folder `parent` becomes a regular file that holds `data`.

    `expect`: the content that lies there, or its SHA-256; None when nothing does. `mode`: permission bits, else those
    of the old file, or what the umask makes of a new one. `rel`: the path for messages. `sha256`: of `data`, if known.
    Refused: stale (something else lies there), permission, is_directory, device, io. Then nothing has changed.
    """
    with _errors(rel, "written"):
        _writable_folder(parent, rel)
        old = None if expect is None else _open_old(parent, name, rel)
        try:
            return _replace(parent, name, data, rel, expect or b"", old, mode, sha256)
        finally:
            if old is not None:
                os.close(old)


def delete(parent: int, name: str, *, rel: str, expect: str) -> None:
    """Remove the file or link. `expect`: SHA-256 of its content (of a link: of its target). Refused as in `write`."""
    with _errors(rel, "deleted"):
        _writable_folder(parent, rel)
        if _hash(parent, name) != expect:
            raise _stale(rel)
        os.unlink(name, dir_fd=parent)
    _sync_folder(parent, rel)


def move(parent: int, name: str, to_parent: int, to_name: str, *, rel: str, to_rel: str, expect: str) -> None:
    """Give the file or link another name, never over something. `expect` as in `delete`. Refused also: exists."""
    with _errors(rel, "moved"):
        _writable_folder(parent, rel)
        _writable_folder(to_parent, to_rel)
        if _hash(parent, name) != expect:
            raise _stale(rel)
        try:
            _take_free_name(parent, name, to_parent, to_name)
        except FileExistsError:
            raise Refused(
                "exists",
                f"{to_rel} exists already and is never overwritten by a move. Choose another name, or delete it first.",
                path=to_rel,
            ) from None
    _sync_folder(to_parent, to_rel)
    _sync_folder(parent, rel)


def sweep(root: Path) -> list[str]:
    """Remove the temporary files that earlier runs left anywhere under `root`; their paths, relative.

    Only regular files of this user under our kind of name, which no running writer holds. Links are not followed.
    """
    removed = []
    for folder, subfolders, names, fd in os.fwalk(root, follow_symlinks=False, onerror=None):
        if ".git" in subfolders:
            subfolders.remove(".git")
        for name in filter(_OURS.fullmatch, names):
            with suppress(OSError), _opened(os.open(name, _LOOK, dir_fd=fd)) as file:
                info = os.fstat(file)
                if stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid():
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(name, dir_fd=fd)
                    removed.append(os.path.relpath(Path(folder, name), root))
    return removed


# --- the steps of a write --------------------------------------------------------------------------------------------


def _replace(
    parent: int, name: str, data: bytes, rel: str, expect: bytes | str, old: int | None, mode: int | None, sha256: str
) -> Written:
    temp = PREFIX + secrets.token_hex(8)
    rights = 0o600 if old is not None else 0o666  # a new file gets what umask and the folder's ACL make of 0666
    fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, rights, dir_fd=parent)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _fill(fd, data)
        was = None if old is None else os.fstat(old)
        notes = [] if old is None or was is None else _keep(old, was, fd)
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
        if not _holds(fd, data):
            raise OSError(errno.EIO, "what lies on disk is not what was written")
        if old is None or was is None:
            _create(parent, temp, name, rel)
        else:
            _exchange(parent, temp, name, rel, expect, old, was, fd)
        rights = stat.S_IMODE(os.fstat(fd).st_mode)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp, dir_fd=parent)
        os.close(fd)
    _sync_folder(parent, rel)
    sha256 = sha256 or hashlib.sha256(data).hexdigest()
    return Written(sha256, len(data), rights, old is None, was.st_nlink - 1 if was else 0, tuple(notes))


def _sync_folder(parent: int, rel: str) -> None:
    try:
        os.fsync(parent)
    except OSError as e:
        raise Refused(
            "io",
            f"{rel} was changed, but the disk did not confirm it ({e.strerror}). Read it to see what lies there.",
            path=rel,
        ) from e


def _fill(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:  # in as few pieces as the system takes: it lays them out in larger runs, and syncs twice as fast
        view = view[os.write(fd, view) :]


def _keep(old: int, was: os.stat_result, new: int) -> list[str]:
    """Owner first, mode second (chown clears set-id bits), then attributes; what could not be kept, in sentences."""
    notes = []
    info = os.fstat(new)
    mode = stat.S_IMODE(was.st_mode)
    if (was.st_uid, was.st_gid) != (info.st_uid, info.st_gid):
        try:
            os.fchown(new, was.st_uid, was.st_gid)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
            with suppress(PermissionError):
                os.fchown(new, -1, was.st_gid)
            notes.append(f"The file belonged to user {was.st_uid} and belongs to {os.geteuid()} now.")
        os.fchmod(new, mode)
    elif mode != stat.S_IMODE(info.st_mode):
        os.fchmod(new, mode)
    kept, inherited = set(_attributes(old)), set(_attributes(new))
    for attribute in sorted(inherited - kept):
        with suppress(OSError):
            os.removexattr(new, attribute)
    for attribute in sorted(kept):
        try:
            value = os.getxattr(old, attribute)
            if attribute not in inherited or os.getxattr(new, attribute) != value:
                os.setxattr(new, attribute, value)
        except OSError as e:
            notes.append(f"The attribute {attribute} could not be kept ({e.strerror}).")
    return notes


def _attributes(fd: int) -> list[str]:
    try:
        return os.listxattr(fd)
    except OSError:  # a file system without them
        return []


def _create(parent: int, temp: str, name: str, rel: str) -> None:
    try:
        _take_free_name(parent, temp, parent, name)
    except FileExistsError:
        raise appeared(rel) from None


def _take_free_name(parent: int, name: str, to_parent: int, to_name: str) -> None:
    """Rename to a name that nothing has. FileExistsError when something has it."""
    try:
        _renameat2(parent, name, to_parent, to_name, _NOREPLACE)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise
        os.link(name, to_name, src_dir_fd=parent, dst_dir_fd=to_parent, follow_symlinks=False)
        os.unlink(name, dir_fd=parent)


def _exchange(
    parent: int, temp: str, name: str, rel: str, expect: bytes | str, old: int, was: os.stat_result, new: int
) -> None:
    """Put the new file in the place of the old one, if that is still the one the caller saw."""
    now = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if _signature(now) != _signature(was) and not (os.path.samestat(now, was) and _holds(old, expect)):
        raise _stale(rel)
    with suppress(OSError):
        fcntl.flock(old, fcntl.LOCK_SH | fcntl.LOCK_NB)  # it bears our kind of name in a moment; no sweep may take it
    try:
        _renameat2(parent, temp, parent, name, _EXCHANGE)
    except OSError as e:
        if e.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise
        if not _holds(old, expect):
            raise _stale(rel) from None
        os.rename(temp, name, src_dir_fd=parent, dst_dir_fd=parent)
        return
    if not _is(parent, temp, old) or not _holds(old, expect):
        _give_back(parent, temp, name, new)
        raise _stale(rel)


def _give_back(parent: int, temp: str, name: str, new: int) -> None:
    """Undo the exchange. Whoever replaces the file meanwhile gets theirs back in turn."""
    put, took = os.fstat(new), os.stat(temp, dir_fd=parent, follow_symlinks=False)
    while True:
        _renameat2(parent, temp, parent, name, _EXCHANGE)
        found = os.stat(temp, dir_fd=parent, follow_symlinks=False)
        if os.path.samestat(found, put):
            return
        put, took = took, found


def _signature(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _is(parent: int, name: str, fd: int) -> bool:
    try:
        return os.path.samestat(os.stat(name, dir_fd=parent, follow_symlinks=False), os.fstat(fd))
    except FileNotFoundError:
        return False


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _renameat2(parent: int, name: str, to_parent: int, to_name: str, flags: int) -> None:
    call = getattr(_libc(), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(parent, os.fsencode(name), to_parent, os.fsencode(to_name), flags):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


# --- looking and refusing --------------------------------------------------------------------------------------------


def hash_of(fd: int) -> str:
    """SHA-256 of an open file from its start."""
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(fd, _CHUNK, at):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def _holds(fd: int, content: bytes | str) -> bool:
    """Whether an open file holds these bytes, or bytes of this SHA-256."""
    if isinstance(content, str):
        return hash_of(fd) == content
    if os.fstat(fd).st_size != len(content):
        return False
    wanted, piece, at = memoryview(content), bytearray(min(_CHUNK, len(content))), 0
    while at < len(content):
        del piece[os.preadv(fd, [piece], at) :]
        if not piece or piece != wanted[at : at + len(piece)]:  # a slice of a view is no copy
            return False
        at += len(piece)
    return True


def _hash(parent: int, name: str) -> str:
    """SHA-256 of a file's content or of a link's target."""
    if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        return hashlib.sha256(os.fsencode(os.readlink(name, dir_fd=parent))).hexdigest()
    with _opened(os.open(name, _LOOK, dir_fd=parent)) as fd:
        return hash_of(fd)


@contextmanager
def _opened(fd: int) -> Iterator[int]:
    try:
        yield fd
    finally:
        os.close(fd)


def _open_old(parent: int, name: str, rel: str) -> int:
    """A descriptor of the file that is to be replaced. Refused when it is none that may be."""
    try:
        fd = os.open(name, _LOOK, dir_fd=parent)
    except OSError as e:
        if e.errno in (errno.ENOENT, errno.ELOOP):
            raise _stale(rel) from None
        raise
    info = os.fstat(fd)
    code: ErrorCode | None = None
    if stat.S_ISDIR(info.st_mode):
        code, why = "is_directory", "is a folder"
    elif not stat.S_ISREG(info.st_mode):
        code, why = "device", "is not a regular file"
    elif not info.st_mode & 0o222 or not os.access(name, os.W_OK, dir_fd=parent, effective_ids=True):
        code, why = "permission", f"is read-only (mode {stat.S_IMODE(info.st_mode):04o})"
    if code:
        os.close(fd)
        raise Refused(code, f"{rel} {why}, so it was left as it is.", path=rel)
    return fd


def _writable_folder(parent: int, rel: str) -> None:
    """Root may write anywhere, but a folder that is read-only for everyone is meant so."""
    if not os.fstat(parent).st_mode & 0o222:
        raise Refused("permission", f"The folder of {rel} is read-only, so nothing was changed in it.", path=rel)


def appeared(rel: str) -> Refused:
    """The refusal when a file was to be made and something is there."""
    return Refused(
        "stale",
        f"{rel} did not exist a moment ago and does now, so it was left as it is. Read it, then decide.",
        path=rel,
    )


def _stale(rel: str) -> Refused:
    return Refused(
        "stale",
        f"{rel} was changed by someone else just now, so it was left as it is. Read it again, then decide.",
        path=rel,
    )


_CAUSES: dict[int, tuple[ErrorCode, str]] = {
    errno.ENOSPC: ("io", "the disk is full"),
    errno.EDQUOT: ("io", "the disk quota is used up"),
    errno.EFBIG: ("io", "the file would be larger than this system allows"),
    errno.EBUSY: ("io", "it is a mount point (such as a file mounted into a container) and cannot be replaced whole"),
    errno.EXDEV: ("io", "the two places lie on different file systems"),
    errno.EROFS: ("permission", "the file system is read-only"),
    errno.EACCES: ("permission", "the folder does not let this user change it"),
    errno.EPERM: ("permission", "the system does not permit it"),
    errno.ENAMETOOLONG: ("bad_path", "the name is too long"),
    errno.ENOENT: ("stale", "it is no longer there"),
    errno.EISDIR: ("is_directory", "it is a folder"),
}


@contextmanager
def _errors(rel: str, done: str) -> Iterator[None]:
    """Errors of the system as refusals. By then nothing has changed."""
    try:
        yield
    except OSError as e:
        code, why = _CAUSES.get(e.errno or 0, ("io", e.strerror or str(e)))
        raise Refused(code, f"{rel} was not {done}: {why}. Nothing was changed.", path=rel, errno=e.errno) from e
