"""Opening beneath a folder by descriptor, so that no link swapped in between leads elsewhere.

Two ways with one result: `openat2` where the kernel has it (Linux 5.6), else one `O_NOFOLLOW` step a component. Neither
follows any symbolic link: the fence has followed those before, and what is opened is what was checked.
"""

import contextlib
import ctypes
import errno
import os
from functools import cache

O_PATH = getattr(os, "O_PATH", os.O_RDONLY)
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SYS_OPENAT2 = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 8


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _openat2(folder: int, path: str, flags: int) -> int:
    how = _OpenHow(flags | os.O_CLOEXEC, 0, _BENEATH | _NO_MAGICLINKS | _NO_SYMLINKS)
    for _ in range(_TRIES):
        found: int = _libc().syscall(
            ctypes.c_long(_SYS_OPENAT2),
            ctypes.c_int(folder),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if found >= 0:
            return found
        if ctypes.get_errno() not in (errno.EAGAIN, errno.EINTR):
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), path)


@cache
def kernel_has_openat2() -> bool:
    """Asked of the kernel once; old kernels say ENOSYS, some containers EPERM."""
    try:
        root = os.open("/", O_PATH | os.O_CLOEXEC)
        try:
            os.close(_openat2(root, ".", O_PATH))
        finally:
            os.close(root)
    except (OSError, AttributeError):
        return False
    return True


def open_beneath(folder: int, path: str, flags: int, *, openat2: bool) -> int:
    """A descriptor of `path` (no `..`, no links, `/` between parts, "" = the folder itself) beneath `folder`.

    OSError with ELOOP, ENOTDIR or EXDEV when a link stands on the way.
    """
    if openat2:
        return _openat2(folder, path or ".", flags | os.O_NOFOLLOW)
    return _walk(folder, path, flags)


def _walk(folder: int, path: str, flags: int) -> int:
    parts = path.split("/") if path else ["."]
    at = os.dup(folder)
    try:
        for part in parts[:-1]:
            above, at = at, os.open(part, O_PATH | _FOLDER, dir_fd=at)
            os.close(above)
        found = os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
    finally:
        os.close(at)
    return found


def make_folders(folder: int, parts: list[str]) -> int:
    """A readable descriptor of the folder that `parts` lead to, missing ones made and made durable."""
    at = os.dup(folder)
    try:
        for part in parts:
            made = False
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=at)
                made = True
            if made:
                os.fsync(at)
            above, at = at, os.open(part, os.O_RDONLY | _FOLDER, dir_fd=at)
            os.close(above)
    except BaseException:
        os.close(at)
        raise
    return at
