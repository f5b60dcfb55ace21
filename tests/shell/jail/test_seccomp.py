"""The filter for system calls, run by a small machine of our own and by the kernel (`test_sandbox`)."""

import errno
import struct

import pytest

from workbench.shell.jail.seccomp import DENIED, FAMILIES, INET, MACHINES, NETLINK, UNIX, program, supported

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
X86, ARM = MACHINES["x86_64"][1], MACHINES["aarch64"][1]


def judge(code: bytes, arch: int, number: int, *args: int) -> int:
    """What the filter returns for one call: an interpreter of the few operations that it uses."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *(*args, 0, 0, 0, 0, 0, 0)[:6])
    operations = list(struct.iter_unpack("HBBI", code))
    at = held = 0
    while True:
        kind, yes, no, value = operations[at]
        if kind == 0x06:
            return value
        if kind == 0x20:
            held = struct.unpack_from("<I", data, value)[0]
            at += 1
            continue
        hit = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[kind]
        at += 1 + (yes if hit else no)


ALL_MACHINES = [(name, column, arch) for name, (column, arch) in MACHINES.items()]


@pytest.mark.parametrize(("name", "column", "arch"), ALL_MACHINES)
def test_every_listed_call_is_refused(name: str, column: int, arch: int) -> None:
    code = program(FAMILIES, name)
    for call, numbers in DENIED.items():
        if numbers[column] is not None:
            assert judge(code, arch, numbers[column]) == ERRNO | errno.EPERM, call


@pytest.mark.parametrize(("name", "column", "arch"), ALL_MACHINES)
def test_every_other_call_is_allowed(name: str, column: int, arch: int) -> None:
    code = program(FAMILIES, name)
    special = {56, 435, 272, 16, 41} if name == "x86_64" else {220, 435, 97, 29, 198}
    listed = {numbers[column] for numbers in DENIED.values()} | special
    refused = [n for n in range(470) if n not in listed and judge(code, arch, n) != ALLOW]
    assert refused == []


def test_another_machines_calls_and_the_x32_ones_are_not_mistaken_for_ours() -> None:
    code = program(FAMILIES, "x86_64")
    assert judge(code, 0x40000003, 4) == KILL
    assert judge(code, ARM, 4) == KILL
    assert judge(code, X86, 0x40000000 | 101) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize(
    ("number", "args", "verdict"),
    [
        (56, (0x01200011,), ALLOW),  # fork by the C library
        (56, (0x003D0F00,), ALLOW),  # a thread
        (56, (0x10000000 | 17,), ERRNO | errno.EPERM),  # a user namespace
        (56, (0x00020000,), ERRNO | errno.EPERM),
        (435, (), ERRNO | errno.ENOSYS),
        (272, (0x400,), ALLOW),
        (272, (0x10000000,), ERRNO | errno.EPERM),
        (272, (0x80,), ERRNO | errno.EPERM),
        (16, (0, 0x5401), ALLOW),
        (16, (0, 0x5412), ERRNO | errno.EPERM),
        (16, (0, 0x541C), ERRNO | errno.EPERM),
        (16, (0, 0xFFFFFFFF00005412), ERRNO | errno.EPERM),  # the kernel looks at the low half only
        (41, (1,), ALLOW),
        (41, (2,), ALLOW),
        (41, (16,), ALLOW),
        (41, (40,), ERRNO | errno.EACCES),
        (41, (17,), ERRNO | errno.EACCES),
        (41, (38,), ERRNO | errno.EACCES),
    ],
)
def test_calls_that_depend_on_their_arguments(number: int, args: tuple[int, ...], verdict: int) -> None:
    assert judge(program(FAMILIES, "x86_64"), X86, number, *args) == verdict


def test_families_can_be_held_back() -> None:
    code = program(frozenset({NETLINK}), "x86_64")
    assert judge(code, X86, 41, NETLINK) == ALLOW
    assert {judge(code, X86, 41, family) for family in (UNIX, INET, 10, 40)} == {ERRNO | errno.EACCES}
    assert judge(code, X86, 53, UNIX) == ALLOW, "socketpair reaches nobody"


def test_a_machine_that_the_table_does_not_know_is_not_claimed() -> None:
    assert supported("x86_64")
    assert supported("aarch64")
    assert not supported("riscv64")
