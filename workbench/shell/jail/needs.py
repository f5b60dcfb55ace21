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

BESIDE_GIT = frozenset(
    (
        "git",
        "cd",
        "pushd",
        "popd",
        "echo",
        "printf",
        "true",
        "false",
        ":",
        "test",
        "[",
        "pwd",
        "ls",
        "cat",
        "head",
        "tail",
    )
)
"""programs beside which git may write its folder without a person's word: none runs code of the workspace"""
SHARED = ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr", "/var", "/run", "/home", "/root", "/opt", "/srv", "/mnt")  # noqa: S108
"""folders that are never given as a whole because one file in them is to be written"""
_NETWORK = (Verb.NET_READ, Verb.EXTERNAL)
_ASKED = (Verb.HISTORY, Verb.EXTERNAL, Verb.NET_READ, Verb.PERSIST, Verb.DELETE)
"""effects of a git command that a person has seen"""
CREDENTIALS = (".ssh", ".git-credentials", ".netrc", ".config/git", ".config/gh")
"""beneath the home: what git shows to a remote"""
_TRACKS = {"branch", "checkout", "switch", "pull"}


def needed(analysis: Analysis, *, root: Path, home: Path) -> Grants:
    """The grants under which the analysed command can do what it says."""
    write, read = _paths(analysis.effects, root, home)
    dots = {repo.common for repo in repository.around(root)} | {root / ".git"}
    gits = [part for part in analysis.parts if _program(part) == "git"]
    writing = [part for part in gits if any(e.verb != Verb.READ for e in part.effects)]
    plain = all(_program(part) in BESIDE_GIT for part in analysis.parts)
    shown = any(e.verb in _ASKED for part in writing for e in part.effects)
    inside = any(w.is_relative_to(dot) for w in write for dot in dots)
    network = any(e.verb in _NETWORK for e in analysis.effects)
    remotes = [remote.reached(git_words(part.argv), root) for part in gits if _reaches(part)]
    local = [r for r in remotes if r is not None]
    if remotes and len(local) == len(remotes):
        network = any(e.verb in _NETWORK for part in analysis.parts if part not in gits for e in part.effects)
        write += local
    elif remotes and plain:
        read += [path for path in (home / name for name in CREDENTIALS) if path.exists()]
        read += _agent(os.environ.get("SSH_AUTH_SOCK", ""))
    return Grants(
        network=network,
        write=tuple(dict.fromkeys(write)),
        read=tuple(dict.fromkeys(read)),
        git=(bool(writing) and (plain or shown)) or inside,
        tracking=bool(writing) and any(_tracks(part) for part in writing),
    )


def _program(part: Part) -> str:
    return Path(part.argv[0]).name if part.argv and part.argv[0] else ""


def _reaches(part: Part) -> bool:
    return any(e.verb in _NETWORK for e in part.effects)


def _tracks(part: Part) -> bool:
    words = git_words(part.argv)
    following = any(w == "-u" or w.startswith("--set-upstream") for w in words)
    return bool(words) and (words[0] in _TRACKS or (words[0] == "push" and following))


def _agent(socket: str) -> list[Path]:
    """The person's key agent, which signs for them without showing the key."""
    return [Path(socket)] if socket.startswith("/") and Path(socket).exists() else []


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
    return write, read


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
