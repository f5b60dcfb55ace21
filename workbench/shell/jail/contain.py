"""One command with everything around it: how it is started at each level, and what is watched while it runs."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from workbench.files import Refused
from workbench.shell.jail import account, bwrap, landlock, repository, seccomp
from workbench.shell.jail.cgroup import shares
from workbench.shell.jail.gather import Order
from workbench.shell.jail.guard import granted, protected
from workbench.shell.jail.host import Host, environment
from workbench.shell.jail.landlock import Confinement
from workbench.shell.jail.levels import Grants, Sandbox
from workbench.shell.jail.mounts import EMPTY, Mount, layout

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


@dataclass(frozen=True)
class Contained:
    """What the launcher gets, and what is to be looked at afterwards."""

    order: Order
    data: list[bytes] = field(default_factory=list)
    """contents of the further descriptors, in order"""
    compared: tuple[Path, ...] = ()
    """protected paths that no mount protects"""


def contain(
    command: str,
    *,
    cwd: Path,
    root: Path,
    sandbox: Sandbox,
    grants: Grants,
    host: Host,
    tmp: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Contained:
    """`command` as the level of `sandbox` and the grants have it. Paths are resolved."""
    variables = environment(host, root, network=grants.network or grants.unconfined) | dict(env or {})
    argv = [shell(variables["PATH"]), "-c", "--", command]
    order = Order(argv, variables, str(cwd))
    if grants.unconfined:
        return Contained(replace(order, gather=True))
    if sandbox.level == "D":
        return Contained(replace(order, gather=True), compared=_compared(root, grants, mounted=False))
    mounts = layout(host, root, grants, hide=sandbox.hide, tmp=tmp)
    if sandbox.level == "C":
        assert tmp is not None, "there is no /tmp of its own without mounts"
        confinement = _confinement(mounts, str(tmp), grants)
        settings = tmp / ".gitconfig"
        settings.write_bytes(account.git_settings(host))
        more = {"TMPDIR": str(tmp), "GIT_CONFIG_GLOBAL": str(settings)}
        order = replace(order, gather=True, confine=asdict(confinement), env=variables | more)
        return Contained(
            order, [seccomp.program(frozenset(confinement.families))], _compared(root, grants, mounted=False)
        )
    if host.uid != 0:
        # counted for each user namespace, so it is set inside; outside it would count all of the person's processes
        argv = [argv[0], "-c", f'ulimit -u {shares()["processes"]} 2>/dev/null; exec "$@"', "bash", *argv]
    wrapped = bwrap.wrap(argv, sandbox=sandbox, grants=grants, host=host, mounts=mounts, cwd=cwd)
    fds = [bwrap.FIRST_FD + i for i in range(len(wrapped.data))]
    order = replace(order, argv=wrapped.argv, cwd="/", fds=fds)
    return Contained(order, wrapped.data, _compared(root, grants, mounted=True))


def shell(path: str) -> str:
    """bash, else sh."""
    found = shutil.which("bash", path=f"/bin:/usr/bin:{path}") or shutil.which("sh", path=f"/bin:/usr/bin:{path}")
    if found is None:
        raise Refused("unsupported", "No shell was found on this machine: install bash.")
    return found


def _compared(root: Path, grants: Grants, *, mounted: bool) -> tuple[Path, ...]:
    """Protected paths to compare before and after: all where nothing is mounted, else those that no mount can cover."""
    compared = [
        path
        for path in protected(root, grants.write)
        if path.is_symlink() or not (mounted or (repository.at(path.parent) and path.name == ".git"))
    ]
    for repo in repository.around(root) if grants.git or not mounted else ():
        for path in dict.fromkeys(f / name for f in (repo.own, repo.common) for name in repository.PROTECTED):
            followed = grants.tracking and path.name == "config"
            small = path.name not in ("modules", "worktrees")
            if not path.exists() or followed or (small and not mounted):
                compared.append(path)
    return tuple(path for path in compared if not granted(path, grants.write))


def _confinement(mounts: Sequence[Mount], private: str, grants: Grants) -> Confinement:
    """The mounts as Landlock rules. There is no private /tmp: a folder of its own takes its place."""
    masked = ["/dev", *EMPTY, *(str(m.at) for m in mounts if m.kind in ("closed", "empty", "hidden"))]
    families = seccomp.FAMILIES if grants.network else {seccomp.NETLINK}
    return Confinement(
        read=[
            *landlock.readable_around(masked),
            *(os.path.realpath(m.source or m.at) for m in mounts if m.kind == "ro"),
        ],
        write=[*(os.path.realpath(m.source or m.at) for m in mounts if m.kind == "rw"), private, *DEVICES],
        families=sorted(families),
    )
