"""What a contained command sees of the disk: one list of mounts, made from the account, the workspace and the grants.

Everything is read-only; homes, runtime folders, credentials, sockets and the workbench's own data are masked; the
workspace is writable but for its `.git` and the files that make something run later. A deeper mount lies on a higher
one, so a mask never hides what is shown inside it, and what is hidden inside something shown stays hidden.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.shell.jail import repository, toolchain
from workbench.shell.jail.guard import granted, protected
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import Grants
from workbench.shell.jail.repository import Repository

Kind = Literal["ro", "rw", "empty", "closed", "hidden"]
"""bind read-only; bind writable; empty folder, private; empty folder, read-only; nothing in place of a file"""

EMPTY = ("/tmp", "/var/tmp")  # noqa: S108 - private ones are put there
CLOSED = ("/run", "/var/run", "/home", "/root", "/media", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet")
SYSTEM_SECRETS = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/ssl/private", "/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/openvpn",
    "/etc/letsencrypt", "/etc/kubernetes", "/etc/rancher", "/etc/security/opasswd",
)  # fmt: skip
HOME_SECRETS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc",
    ".pgpass", ".my.cnf", ".vault-token", ".terraform.d", ".terraformrc", ".boto", ".config", ".local/share/keyrings",
    ".mozilla", ".thunderbird", ".password-store", ".bash_history", ".zsh_history", ".python_history", ".psql_history",
    ".node_repl_history", *toolchain.SECRETS,
)  # fmt: skip
"""hidden where the home itself is shown because it is, or lies in, the workspace"""
SHOWN_RUN = ("/run/current-system", "/run/opengl-driver")
"""NixOS keeps the system's programs there"""


@dataclass(frozen=True)
class Mount:
    kind: Kind
    at: Path
    source: Path | None = None
    """of a bind; None means `at` itself"""


def layout(
    host: Host, root: Path, grants: Grants, *, hide: Sequence[Path] = (), tmp: Path | None = None
) -> list[Mount]:
    """The mounts on top of a read-only `/`, in the order in which to make them. `root` is resolved."""
    masks = _masks(host, hide)
    covered = [*masks, *map(Path, EMPTY)]
    made = {mount.at: mount for mount in _system(host, root, grants, masks, covered, tmp)}
    later = [Mount("rw", root), *_workspace(host, root, grants)]
    made |= {mount.at: mount for mount in later}
    if not grants.home:
        names = HOME_SECRETS if host.home.is_relative_to(root) else toolchain.SECRETS
        secrets = [host.home / name for name in names if not root.is_relative_to(host.home / name)]
        made |= {path: _away(path) for path in secrets if os.path.lexists(path) and _is_shown(path, made)}
    made |= {mount.at: mount for mount in _granted(root, grants)}
    made |= {path: Mount("closed", path) for path in _existing(hide)}
    return sorted(made.values(), key=lambda m: len(m.at.parts))


def _system(
    host: Host, root: Path, grants: Grants, masks: Sequence[Path], covered: Sequence[Path], tmp: Path | None
) -> Iterator[Mount]:
    """The machine without what is not for commands, but with the programs that lie there."""
    yield from (Mount("closed", path) for path in masks)
    yield from (Mount("empty", path) for path in map(Path, EMPTY) if path.is_dir())
    if host.home in masks:
        yield Mount("empty", host.home)
    if tmp is not None:
        yield Mount("rw", Path("/tmp"), tmp)  # noqa: S108 - this is the private one
    yield from (_away(path) for path in map(Path, SYSTEM_SECRETS) if _holds_something(path))
    yield from (Mount("hidden", path) for path in _sockets(covered, root))
    yield from (Mount("ro", path) for path in toolchain.shown(host, root, covered))
    yield from (Mount("ro", path) for path in _existing(map(Path, SHOWN_RUN)))
    if grants.home:
        yield Mount("ro", host.home)
    if grants.network:
        yield from (Mount("ro", path) for path in _resolver(covered))


def _workspace(host: Host, root: Path, grants: Grants) -> Iterator[Mount]:
    """What is not writable in the workspace although all around it is."""
    for repo in repository.around(root):
        yield from _git(host, root, repo, grants)
    for path in protected(root, grants.write):
        if path.is_symlink() or (path.name == ".git" and repository.at(path.parent)):
            continue
        for above in path.parents:
            if above == root or above.is_symlink():
                break
            yield Mount("rw", above)  # a mount point cannot be renamed
        yield Mount("ro", path)


def _granted(root: Path, grants: Grants) -> Iterator[Mount]:
    yield from (Mount("ro", path) for path in _existing(grants.read))
    for path in _existing(grants.write):
        if not path.is_relative_to(root):  # inside it is writable, and a file that is a mount cannot be replaced
            yield Mount("rw", path)
        if (path / "objects").is_dir() and (path / "HEAD").is_file():  # a repository that is pushed to
            yield from (Mount("ro", inner) for inner in _existing(path / name for name in repository.PROTECTED))


def _holds_something(path: Path) -> bool:
    """Whether there is anything to hide; each mount takes its time."""
    try:
        return any(path.iterdir()) if path.is_dir() else path.stat().st_size > 0 and os.access(path, os.R_OK)
    except OSError:
        return False


def _away(path: Path) -> Mount:
    return Mount("closed" if path.is_dir() else "hidden", path)


def _masks(host: Host, hide: Sequence[Path]) -> list[Path]:
    """Folders whose content is not for commands."""
    runtime = [Path(host.env[n]) for n in ("XDG_RUNTIME_DIR",) if host.env.get(n, "").startswith("/")]
    wanted = [*map(Path, CLOSED), host.home, *runtime, *hide]
    real = [w for w in wanted if w.is_dir() and not w.is_symlink() and w != Path("/")]
    return list(dict.fromkeys(real))


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [p for p in paths if p.exists()]


def _is_shown(path: Path, mounts: dict[Path, Mount]) -> bool:
    """Whether the nearest mount above a path shows the disk."""
    for above in path.parents:
        if above in mounts:
            return mounts[above].kind in ("ro", "rw")
    return True


def _sockets(covered: Sequence[Path], root: Path) -> list[Path]:
    """Unix sockets that someone on this machine holds outside what is masked: a read-only path stops no `connect`."""
    try:
        table = Path("/proc/net/unix").read_text(errors="surrogateescape")
    except OSError:
        return []
    named = {Path(words[7]) for line in table.splitlines() if len(words := line.split(maxsplit=7)) == 8}
    covered = (*covered, root, Path("/dev"))
    return sorted(p for p in named if p.is_absolute() and not any(map(p.is_relative_to, covered)) and _socket(p))


def _socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False


def _resolver(covered: Sequence[Path]) -> list[Path]:
    """The file with the name servers, where a mask would hide it."""
    real = Path(os.path.realpath("/etc/resolv.conf"))
    return [real] if real.is_file() and any(real.is_relative_to(c) for c in covered) else []


def _git(host: Host, root: Path, repo: Repository, grants: Grants) -> Iterator[Mount]:
    """A repository: shown whole, its `.git` read-only, or writable without what makes git run something later."""
    inside = repo.top.is_relative_to(root)
    if not inside and host.home.is_relative_to(repo.top):
        return
    if not inside:
        yield Mount("ro", repo.top)
    if repo.dot.is_file():
        yield Mount("ro", repo.dot)
    elif repo.top != root and inside:
        yield Mount("rw", repo.top)  # a mount point cannot be renamed
    for folder in dict.fromkeys((repo.common, repo.own)):
        yield Mount("rw" if grants.git else "ro", folder)
        for name in repository.PROTECTED if grants.git else ():
            path = folder / name
            if repo.own != folder and repo.own.is_relative_to(path):
                yield Mount("rw", path)
                yield from (Mount("ro", other) for other in path.iterdir() if other != repo.own)
            elif path.exists() and not granted(path, grants.write) and not (grants.tracking and name == "config"):
                yield Mount("ro", path)
