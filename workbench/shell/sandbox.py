"""How a command is contained: the level this machine allows, found by a real probe, and what a person may grant on top.

Levels. **A** user, pid, mount and network namespaces with seccomp. **B** as A, without a network namespace or a /proc of
its own. **C** no namespaces: Landlock, seccomp, no capabilities (nothing outside is written; files the user can read can be
read). **D** nothing. A level is never lowered silently: it stands in every result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["A", "B", "C", "D"]


@dataclass(frozen=True)
class Grants:
    """What one command may do beyond the sandbox's defaults. Each is a step that a person gives, per call or by rule."""

    network: bool = False
    write: tuple[Path, ...] = ()
    """further files or folders (absolute) that may be written; inside the workspace: protected files that may be"""
    read: tuple[Path, ...] = ()
    """masked files, folders or sockets (absolute) that are shown, read-only"""
    home: bool = False
    """the real home folder, read-only, instead of an empty one"""
    git: bool = False
    """`.git` writable, without config, hooks, info, modules and worktrees"""
    unconfined: bool = False
    """no sandbox at all; the process tree is still ended as one"""


NO_GRANTS = Grants()


@dataclass(frozen=True)
class Sandbox:
    """The isolation that a real probe found on this machine."""

    level: Level
    reason: str = ""
    """why it is not A, for a person, with the way to mend it"""
    program: str = ""
    """path of bubblewrap, for levels A and B"""
    lacks: frozenset[str] = frozenset()
    """what this bubblewrap or kernel cannot do: net, proc, seccomp, size, disable-userns"""
    hide: tuple[Path, ...] = ()
    """folders that no command may see, such as the workbench's own data"""

    @property
    def words(self) -> str:
        """The level for a reader, e.g. `isolated (level A)`."""
        raise NotImplementedError


def probe(*, hide: Sequence[Path] = ()) -> Sandbox:
    """Find the level by running commands in each kind of sandbox. Takes about 50 ms; the caller keeps the answer."""
    raise NotImplementedError
