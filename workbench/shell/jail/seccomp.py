"""The system calls that a contained command may not make, as a BPF program for the kernel.

A name that this table does not hold is allowed: namespaces, capabilities and mounts are the fence, this closes what
they leave open (typing into a terminal, reading another process, sockets that no network namespace holds back).
"""

import errno
import platform
import struct
from collections.abc import Iterator
from functools import lru_cache

DENIED = {
    # name: (x86_64, aarch64); None where the machine does not have it
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""machine: (column of the table, audit architecture)"""
CLONE, CLONE3, UNSHARE, IOCTL, SOCKET = (56, 220), (435, 435), (272, 97), (16, 29), (41, 198)
NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET"""
NEW_TIME = 0x80
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
"""they type into a terminal as if the person did"""
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
FAMILIES = frozenset({UNIX, INET, INET6, NETLINK})
"""socket families a command may open; AF_VSOCK, for one, passes every network namespace"""

_LOAD, _EQUAL, _ABOVE, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24
_X32 = 0x40000000


def supported(machine: str = platform.machine()) -> bool:
    """Whether the table knows this machine's numbers."""
    return machine in MACHINES


@lru_cache(maxsize=16)
def program(families: frozenset[int] = FAMILIES, machine: str = platform.machine()) -> bytes:
    """The filter as an array of `struct sock_filter`. `families`: socket families that may be opened."""
    column, arch = MACHINES[machine]
    return b"".join(struct.pack("HBBI", *op) for op in _operations(sorted(families), column, arch))


Op = tuple[int, int, int, int]


def _refuse(number: int) -> Op:
    return (_RETURN, 0, 0, _ERRNO | number)


def _operations(families: list[int], column: int, arch: int) -> Iterator[Op]:
    """Each test jumps over the line after it when it does not hit, so no jump is ever long."""
    yield (_LOAD, 0, 0, _ARCH)
    yield (_EQUAL, 1, 0, arch)
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_ABOVE, 0, 1, _X32)
    yield _refuse(errno.ENOSYS)
    for numbers in DENIED.values():
        if (number := numbers[column]) is not None:
            yield (_EQUAL, 0, 1, number)
            yield _refuse(errno.EPERM)
    # clone3 hides its flags in memory; without it the C library falls back to clone
    yield (_EQUAL, 0, 1, CLONE3[column])
    yield _refuse(errno.ENOSYS)
    yield from _when(CLONE[column], _ARG0, [(_ANY, NEW_NAMESPACES)])
    yield from _when(UNSHARE[column], _ARG0, [(_ANY, NEW_NAMESPACES | NEW_TIME)])
    yield from _when(IOCTL[column], _ARG1, [(_EQUAL, TIOCSTI), (_EQUAL, TIOCLINUX)])
    yield (_EQUAL, 0, 2 + 2 * len(families), SOCKET[column])
    yield (_LOAD, 0, 0, _ARG0)
    for family in families:
        yield (_EQUAL, 0, 1, family)
        yield (_RETURN, 0, 0, _ALLOW)
    yield _refuse(errno.EACCES)
    yield (_RETURN, 0, 0, _ALLOW)


def _when(number: int, argument: int, tests: list[tuple[int, int]]) -> Iterator[Op]:
    """For the call `number`: EPERM when one of the tests hits on its argument, otherwise allowed."""
    yield (_EQUAL, 0, 2 + 2 * len(tests), number)
    yield (_LOAD, 0, 0, argument)
    for kind, value in tests:
        yield (kind, 0, 1, value)
        yield _refuse(errno.EPERM)
    yield (_RETURN, 0, 0, _ALLOW)
