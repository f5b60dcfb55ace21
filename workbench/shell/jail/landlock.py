"""Confining a process without namespaces (level C): Landlock, no capabilities, a seccomp filter.

`confine` runs in a freshly forked, single-threaded child, just before it becomes the command. What the kernel does not
hold back at this level (chmod and utime of one's own files outside, reading what is not masked) is said in the level's
reason, not hidden.
"""

import ctypes
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""system calls, the same number on every machine"""
NEEDED = 3
"""the first version that holds back truncate(2)"""
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, list a folder
_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # the rights that a rule on a single file may hold
_PR_SET_SECUREBITS, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 28, 24, 38, 22
_NO_ROOT_LOCKED = 0b1011  # uid 0 gets no capabilities from exec, and the bit cannot be taken back


@dataclass(frozen=True)
class Confinement:
    """What a command at level C may reach."""

    read: Sequence[str] = ()
    write: Sequence[str] = ()
    families: Sequence[int] = field(default=())
    """socket families that it may open"""


def version() -> int:
    """Version of Landlock in this kernel; 0 when there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def confine(limits: Confinement, filter_: bytes) -> None:
    """Confine the calling process and all it will start, for good. OSError when the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _ruleset(libc)
    for path in limits.read:
        _allow(libc, ruleset, path, _READ)
    for path in limits.write:
        _allow(libc, ruleset, path, _rights(version()))
    _drop_capabilities(libc)
    _must(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _must(libc.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)
    code = ctypes.create_string_buffer(filter_, len(filter_))
    head = struct.pack("HxxxxxxP", len(filter_) // 8, ctypes.addressof(code))
    _must(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.c_char_p(head), 0, 0))


def _must(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _rights(abi: int) -> int:
    """Every right on files that this version knows."""
    return (1 << (16 if abi >= 5 else 15)) - 1


def _ruleset(libc: ctypes.CDLL) -> int:
    abi = version()
    scoped = 0b11 if abi >= 6 else 0  # no signals and no abstract sockets to outside
    attributes = struct.pack("QQQ", _rights(abi), 0, scoped)[: 24 if abi >= 6 else 8]
    return _must(libc.syscall(CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), 0))


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """A path that is not there needs no rule."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        folder = os.path.isdir(f"/proc/self/fd/{fd}")  # noqa: PTH112 - by descriptor
        allowed = rights if folder else rights & _FILE & _rights(version())
        rule = struct.pack("=Qi", allowed, fd)
        _must(libc.syscall(ADD_RULE, ruleset, 1, ctypes.c_char_p(rule), 0))
    finally:
        os.close(fd)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Root without capabilities is an ordinary owner of root's files. For anyone else this changes nothing."""
    if os.geteuid() != 0:
        return
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    _must(libc.prctl(_PR_SET_SECUREBITS, _NO_ROOT_LOCKED, 0, 0, 0))
    header = struct.pack("Ii", 0x20080522, 0)
    _must(libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))))


def readable_around(masked: Iterable[str]) -> list[str]:
    """The fewest paths that together show everything except `masked` and what lies beneath.

    Landlock rules only give; so what surrounds a masked folder is given piece by piece.
    """
    hidden = {os.path.realpath(m) for m in masked}
    shown: list[str] = []

    def visit(folder: str) -> None:
        if not any(h.startswith(folder.rstrip("/") + "/") for h in hidden):
            shown.append(folder)
            return
        for entry in sorted(os.scandir(folder), key=lambda e: e.name):
            if entry.path in hidden or entry.is_symlink():  # a rule on a link would hold for what it points to
                continue
            if entry.is_dir():
                visit(entry.path)
            else:
                shown.append(entry.path)

    visit("/")
    return shown
