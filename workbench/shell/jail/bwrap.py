"""Bubblewrap's arguments for one command, in the order that was found to hold (levels A and B).

`--cap-drop ALL` and a mapped user, or root inside could remount what is read-only. The mounts come from `mounts`;
masked folders are made read-only last, when everything inside them has its place.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.shell.jail import account, seccomp
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import Grants, Sandbox
from workbench.shell.jail.mounts import Mount

SHM_BYTES = 256 * 1024 * 1024
TMP_BYTES = 1024 * 1024 * 1024
FIRST_FD = 500
"""data for bubblewrap is passed under this number and those after it"""
KERNEL_SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")
KERNEL_SECRETS = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/acpi", "/proc/scsi")
MAPPED = 1000
"""the user inside, when the workbench runs as root: programs behave for an ordinary user as they should"""


@dataclass
class Wrapped:
    """A command inside its sandbox."""

    argv: list[str] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)
    """contents for the descriptors `FIRST_FD`, `FIRST_FD + 1` …"""

    def pass_data(self, content: bytes) -> str:
        """The number under which bubblewrap will find `content`."""
        self.data.append(content)
        return str(FIRST_FD + len(self.data) - 1)


def wrap(
    command: Sequence[str], *, sandbox: Sandbox, grants: Grants, host: Host, mounts: Sequence[Mount], cwd: Path
) -> Wrapped:
    """`command` in the sandbox that this machine allows."""
    made = Wrapped()
    made.argv += [sandbox.program, *_namespaces(sandbox, grants, host)]
    made.argv += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    made.argv += ["--ro-bind", "/", "/", "--dev", "/dev"]
    made.argv += [] if "proc" in sandbox.lacks else ["--proc", "/proc", *_kernel_files(host)]
    made.argv += [*_size(sandbox, SHM_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108 - a private one
    for mount in mounts:
        made.argv += _mount(mount, sandbox)
    _account(made, host, mounts)
    for mount in mounts:
        made.argv += ["--remount-ro", str(mount.at)] if mount.kind == "closed" else []
    made.argv += ["--chdir", str(cwd)]
    if "seccomp" not in sandbox.lacks:
        made.argv += ["--seccomp", made.pass_data(seccomp.program(_families(sandbox, grants)))]
    made.argv += ["--", *command]
    return made


def _namespaces(sandbox: Sandbox, grants: Grants, host: Host) -> Iterator[str]:
    uid, gid = (MAPPED, MAPPED) if host.uid == 0 else (host.uid, host.gid)
    yield from ("--unshare-user", "--uid", str(uid), "--gid", str(gid))
    yield from ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    if not grants.network and "net" not in sandbox.lacks:
        yield "--unshare-net"
    if "disable-userns" not in sandbox.lacks:
        yield "--disable-userns"


def _kernel_files(host: Host) -> Iterator[str]:
    """For root the kernel's settings are files of one's own, and core_pattern, for one, runs a program on the host."""
    if host.uid == 0:
        for path in filter(os.path.exists, KERNEL_SETTINGS):
            yield from ("--ro-bind", path, path)
        for path in filter(os.path.exists, KERNEL_SECRETS):
            yield from ("--tmpfs", path) if Path(path).is_dir() else ("--ro-bind", "/dev/null", path)


def _families(sandbox: Sandbox, grants: Grants) -> frozenset[int]:
    """Without a network namespace the network is held back by refusing its sockets.

    And so are Unix sockets: the abstract ones of this machine (its display, for one) are in reach without a namespace.
    """
    if "net" not in sandbox.lacks and not grants.network:
        return seccomp.FAMILIES
    agent = any(path.is_socket() for path in grants.read)
    refused = {*(() if agent else (seccomp.UNIX,)), *(() if grants.network else (seccomp.INET, seccomp.INET6))}
    return seccomp.FAMILIES - refused


def _size(sandbox: Sandbox, size: int) -> list[str]:
    return [] if "size" in sandbox.lacks else ["--size", str(size)]


def _mount(mount: Mount, sandbox: Sandbox) -> list[str]:
    at, source = str(mount.at), str(mount.source or mount.at)
    if mount.kind == "empty":
        return [*_size(sandbox, TMP_BYTES), "--tmpfs", at]
    if mount.kind == "closed":
        return ["--tmpfs", at]
    if mount.kind == "hidden":
        return ["--ro-bind", "/dev/null", at]
    return ["--bind" if mount.kind == "rw" else "--ro-bind", source, at]


def _account(made: Wrapped, host: Host, mounts: Sequence[Mount]) -> None:
    """A name for the mapped user, and who the person is to git, where their home is not shown."""
    if host.uid == 0 and (passwd := account.passwd(host, MAPPED)) is not None:
        made.argv += ["--ro-bind-data", made.pass_data(passwd), "/etc/passwd"]
    settings = host.home / ".gitconfig"
    if any(m.at == host.home and m.kind == "empty" for m in mounts) and not any(m.at == settings for m in mounts):
        made.argv += ["--file", made.pass_data(account.git_settings(host)), str(settings)]
