"""How far a command is contained, and what a person may grant on top.

**A** user, pid, mount and network namespaces with seccomp. **B** as A, without a network namespace or a /proc of its
own. **C** no namespaces: Landlock, seccomp, no capabilities; nothing outside is written, but more can be read.
**D** nothing.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["A", "B", "C", "D"]


@dataclass(frozen=True)
class Grants:
    """What one command may do beyond the defaults. Each is a step that a person gives, per call or by rule."""

    network: bool = False
    write: tuple[Path, ...] = ()
    """further files or folders (absolute) that may be written; inside the workspace: protected files that may be"""
    read: tuple[Path, ...] = ()
    """masked files, folders or sockets (absolute) that are shown, read-only"""
    home: bool = False
    """the real home folder, read-only, instead of an empty one"""
    git: bool = False
    """`.git` writable, without config, hooks, info, modules and worktrees"""
    tracking: bool = False
    """with `git`: `.git/config` may gain which remote branch a branch follows; anything else in it is put back"""
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
        """The level for a reader."""
        described = {
            "A": "isolated: only the workspace is writable, no network",
            "B": "isolated, with gaps: only the workspace is writable, no network",
            "C": "fenced: nothing outside the workspace is written, but files can be read",
            "D": "not isolated",
        }
        return f"{described[self.level]} (level {self.level})"

    @property
    def contained(self) -> bool:
        """Whether commands are isolated so well that harmless ones need not ask; at levels C and D every one does."""
        return self.level in ("A", "B")
