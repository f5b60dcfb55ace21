"""The arguments that were found to hold, word for word, level by level. A change here is a change of the fence."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.shell.jail import account, bwrap
from workbench.shell.jail.bwrap import wrap
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import NO_GRANTS, Grants, Sandbox
from workbench.shell.jail.mounts import Mount
from workbench.shell.jail.seccomp import FAMILIES, INET, INET6, UNIX, program

PERSON = Host(Path("/home/ada"), 1001, 1002, "ada", (), {})
ROOT = replace(PERSON, home=Path("/root"), uid=0, gid=0, user="root")
MOUNTS = [
    Mount("closed", Path("/run")),
    Mount("empty", Path("/home/ada")),
    Mount("rw", Path("/tmp"), Path("/data/spool/s1/tmp")),
    Mount("hidden", Path("/etc/shadow")),
    Mount("ro", Path("/home/ada/.cargo")),
    Mount("rw", Path("/home/ada/ws")),
    Mount("ro", Path("/home/ada/ws/.git")),
]
HEAD = (
    "/usr/bin/bwrap --unshare-user --uid 1001 --gid 1002 --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try"
)
ALWAYS = "--die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev"
SHM = "--size 268435456 --tmpfs /dev/shm"
SEEN = (
    "--tmpfs /run --size 1073741824 --tmpfs /home/ada --bind /data/spool/s1/tmp /tmp --ro-bind /dev/null /etc/shadow "
    "--ro-bind /home/ada/.cargo /home/ada/.cargo --bind /home/ada/ws /home/ada/ws "
    "--ro-bind /home/ada/ws/.git /home/ada/ws/.git --file 500 /home/ada/.gitconfig --remount-ro /run"
)
SECCOMP = "--seccomp 501 "
TAIL = "--chdir /home/ada/ws --seccomp 501 -- /bin/bash -c -- true"


def made(
    sandbox: Sandbox, grants: Grants = NO_GRANTS, host: Host = PERSON, mounts: list[Mount] = MOUNTS
) -> bwrap.Wrapped:
    command = ["/bin/bash", "-c", "--", "true"]
    return wrap(command, sandbox=sandbox, grants=grants, host=host, mounts=mounts, cwd=Path("/home/ada/ws"))


def box(*lacks: str) -> Sandbox:
    return Sandbox("B" if lacks else "A", program="/usr/bin/bwrap", lacks=frozenset(lacks))


NET, USERNS, PROC = "--unshare-net ", "--disable-userns ", "--proc /proc "


@pytest.mark.parametrize(
    ("sandbox", "grants", "argv"),
    [
        (box(), NO_GRANTS, f"{HEAD} {NET}{USERNS}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}"),
        (box(), Grants(network=True), f"{HEAD} {USERNS}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}"),
        (box("net"), NO_GRANTS, f"{HEAD} {USERNS}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}"),
        (box("proc"), NO_GRANTS, f"{HEAD} {NET}{USERNS}{ALWAYS} {SHM} {SEEN} {TAIL}"),
        (box("disable-userns"), NO_GRANTS, f"{HEAD} {NET}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}"),
        (box("size"), NO_GRANTS, re.sub(r"--size \d+ ", "", f"{HEAD} {NET}{USERNS}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}")),
        (box("seccomp"), NO_GRANTS, f"{HEAD} {NET}{USERNS}{ALWAYS} {PROC}{SHM} {SEEN} {TAIL}".replace(SECCOMP, "")),
    ],
)
def test_the_arguments_of_each_level(sandbox: Sandbox, grants: Grants, argv: str) -> None:
    assert made(sandbox, grants).argv == argv.split()


def test_root_is_mapped_to_an_ordinary_user_and_the_kernels_settings_are_closed() -> None:
    wrapped = made(box(), host=ROOT, mounts=MOUNTS[5:6])
    words = " ".join(wrapped.argv)
    assert "--unshare-user --uid 1000 --gid 1000" in words
    assert "--cap-drop ALL" in words
    assert "--ro-bind /proc/sys /proc/sys" in words
    assert "--ro-bind-data 500 /etc/passwd" in words
    assert words.index("--proc /proc") < words.index("--ro-bind /proc/sys")
    assert wrapped.data[0] == account.passwd(ROOT, 1000)


def test_a_home_that_is_shown_keeps_its_own_git_settings() -> None:
    assert "--file" not in made(box(), mounts=[Mount("ro", Path("/home/ada"))]).argv


@pytest.mark.parametrize(
    ("lacks", "grants", "families"),
    [
        ((), NO_GRANTS, FAMILIES),
        ((), Grants(network=True), FAMILIES - {UNIX}),
        (("net",), NO_GRANTS, FAMILIES - {UNIX, INET, INET6}),
        (("net",), Grants(network=True), FAMILIES - {UNIX}),
    ],
)
def test_sockets_that_no_namespace_holds_back_are_refused(
    lacks: tuple[str, ...], grants: Grants, families: set[int]
) -> None:
    """With this machine's network come its abstract sockets: its display, for one."""
    assert made(box(*lacks), grants).data[-1] == program(frozenset(families))
