"""What a command needs beyond the sandbox's defaults, from what its analysis found: only what the gate has seen.

Whoever runs a command has its decision: what would need a person's word was allowed by one, or by a rule they made. So
an effect that the analysis names is granted, in the narrowest way in which the command can work, and nothing else is.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.policy.call import Effect, Verb
from workbench.shell.effects import Analysis, Part
from workbench.shell.jail import remote, repository
from workbench.shell.jail.levels import Grants
from workbench.shell.jail.remote import git_words

SHARED = ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr", "/var", "/run", "/home", "/root", "/opt", "/srv", "/mnt")  # noqa: S108
"""folders that are never given as a whole because one file in them is to be written"""
_NETWORK = (Verb.NET_READ, Verb.EXTERNAL)
_ASKED = (Verb.HISTORY, Verb.EXTERNAL, Verb.NET_READ, Verb.PERSIST, Verb.DELETE)
"""effects of a git command that a person has seen"""
CREDENTIALS = (".ssh", ".gitconfig", ".git-credentials", ".netrc", ".config/git", ".config/gh")
"""beneath the home: what git shows to a remote"""
ENGINES = {
    "docker": ("/run/docker.sock", "/var/run/docker.sock"),
    "docker-compose": ("/run/docker.sock", "/var/run/docker.sock"),
    "podman": ("/run/podman/podman.sock",),
}
"""programs that only talk to a daemon, and where that listens"""
_TRACKS = {"branch", "checkout", "switch", "pull"}


def needed(analysis: Analysis, *, root: Path, home: Path) -> Grants:
    """The grants under which the analysed command can do what it says."""
    write, read = _paths(analysis.effects, root, home)
    gits = [part for part in analysis.parts if _program(part) == "git"]
    writing = [part for part in gits if any(e.verb != Verb.READ for e in part.effects)]
    plain = all(part in gits or _runs_nothing(part) for part in analysis.parts)
    seen = any(e.verb in _ASKED for part in writing for e in part.effects)
    if any(e.verb == Verb.PERSIST for part in gits for e in part.effects):
        write += [repo.common / "config" for repo in [repository.find(root)] if repo]
    network, far_read, far_write = _far(analysis, gits, root, home, plain=plain)
    dots = [root / ".git", *(repo.common for repo in repository.around(root))]
    inside = any(path.is_relative_to(dot) for path in write for dot in dots)
    return Grants(
        network=network,
        write=tuple(dict.fromkeys([*write, *far_write])),
        read=tuple(dict.fromkeys([*read, *far_read])),
        git=(bool(writing) and (plain or seen)) or inside,
        tracking=any(_tracks(part) for part in writing),
    )


def _far(
    analysis: Analysis, gits: Sequence[Part], root: Path, home: Path, *, plain: bool
) -> tuple[bool, list[Path], list[Path]]:
    """(network, to read, to write) for what lies beyond this machine, or in a repository beside the workspace.

    What git shows to a remote, and the socket of a container engine, are in reach only of a command that runs nothing
    of the workspace besides.
    """
    reaching = [part for part in analysis.parts if any(e.verb in _NETWORK for e in part.effects)]
    if not reaching:
        return any(e.verb in _NETWORK for e in analysis.effects), [], []
    local = {id(part): remote.reached(git_words(part.argv), root) for part in gits if part in reaching}
    beside = [path for path in local.values() if path is not None]
    if len(beside) == len(reaching):
        return False, [], beside
    read: list[Path] = []
    if plain and None in local.values():
        read += [path for path in (home / name for name in CREDENTIALS) if path.exists()]
        read += _socket(os.environ.get("SSH_AUTH_SOCK", ""))
    if all(_program(part) in ENGINES or _runs_nothing(part) for part in analysis.parts):
        read += [path for part in reaching for name in ENGINES.get(_program(part), ()) for path in _socket(name)]
    return True, read, beside


def _program(part: Part) -> str:
    return Path(part.argv[0]).name if part.argv and part.argv[0] else ""


def _runs_nothing(part: Part) -> bool:
    """Whether a command is known to run no code of the workspace: beside it git may write without a person's word."""
    return all(e.verb in (Verb.READ, Verb.WRITE_WS) and e.kind != "run" for e in part.effects)


def _tracks(part: Part) -> bool:
    words = git_words(part.argv)
    following = any(w == "-u" or w.startswith("--set-upstream") for w in words)
    return bool(words) and (words[0] in _TRACKS or (words[0] == "push" and following))


def _socket(name: str) -> list[Path]:
    path = Path(name)
    return [path] if path.is_absolute() and path.is_socket() else []


def _paths(effects: Sequence[Effect], root: Path, home: Path) -> tuple[list[Path], list[Path]]:
    """(to write, to read) beyond the workspace's ordinary files."""
    write: list[Path] = []
    read: list[Path] = []
    for effect in effects:
        if not effect.target or "\0" in effect.target:
            continue
        path = root / effect.target
        if effect.verb == Verb.PERSIST and path.is_relative_to(root):
            write.append(path)
        elif effect.verb in (Verb.WRITE_OUT, Verb.PERSIST) and effect.target.startswith("/"):
            write += _writable(path, home)
        elif effect.verb == Verb.DELETE and effect.target.startswith("/") and not path.is_relative_to(root):
            write += _writable(path, home, whole=True)
        elif effect.verb == Verb.SECRET and effect.target.startswith("/") and path.exists():
            read.append(path)
    # a file that is a mount of its own cannot be deleted or replaced: where its folder is open it needs none
    return [w for w in write if not any(w != other and w.is_relative_to(other) for other in write)], read


def _writable(path: Path, home: Path, *, whole: bool = False) -> Iterator[Path]:
    """What must be writable so that `path` can be written; `whole`: so that it can go away."""
    if path.exists() and not (whole or path == home or str(path) in SHARED):
        yield path
        return
    folder = path.parent
    if folder.is_dir() and folder != home and str(folder) not in SHARED:
        yield folder
    elif path.exists() and path != home and str(path) not in SHARED:
        yield path
