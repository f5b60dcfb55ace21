"""The path fence: every path that a tool or the browser names passes here, and is opened by descriptor."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Access(StrEnum):
    READ = "read"
    WRITE = "write"


Check = Callable[[str, Access], None]
"""called with the resolved path (relative to the root, `/` between parts); raises Refused("denied") to stop it"""


def allow_all(_path: str, _access: Access) -> None:
    """The check of a fence without rules."""


@dataclass(frozen=True)
class Place:
    """Where a path leads, after links were followed beneath the root."""

    asked: str
    """as it was given"""
    rel: str
    """resolved, relative to the root, `/` between parts; "" is the root itself"""
    exists: bool
    via_link: bool
    """a symbolic link was followed on the way"""


class Fence:
    """A workspace root that nothing leaves."""

    def __init__(self, root: Path, *, check: Check = allow_all, home: Path | None = None) -> None:
        self.root = root
        self.check = check
        self.home = home

    def resolve(self, path: str) -> Place:
        """Where `path` leads. Refused: `bad_path`, `outside`, `loop`. Follows links, opens no file."""
        raise NotImplementedError

    def open(self, place: Place, access: Access = Access.READ) -> int:
        """A read descriptor of a regular file; the caller closes it.

        Refused: no_file, is_directory, device, not_regular, permission, denied.
        """
        raise NotImplementedError

    def open_parent(self, place: Place, *, create: bool = False) -> tuple[int, str]:
        """(descriptor of the parent folder, last name) for a write by `dir_fd=`; the caller closes the descriptor.

        `create` makes missing parents.
        """
        raise NotImplementedError
