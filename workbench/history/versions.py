"""Which call changed which file from what to what. Rows are kept by whoever implements `Versions`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Kind = Literal["absent", "file", "link", "folder"]


@dataclass(frozen=True)
class State:
    """What lay at a path at one moment."""

    kind: Kind
    sha256: str = ""
    """of the bytes (file) or of the target text (link)"""
    size: int = 0
    mode: int = 0
    """permission bits"""
    stored: bool = True
    """the bytes are in the store; False when a rule or a limit left them out"""


ABSENT = State("absent")


@dataclass(frozen=True)
class Version:
    """One change of one path. Written as `pending` before the file is touched, closed after."""

    id: int
    workspace: str
    path: str
    """relative to the workspace, `/` between parts"""
    before: State
    after: State | None
    """None while pending"""
    session: str
    call: str
    by: str
    """tool name, or a person for a rollback"""
    at: datetime
    status: Literal["pending", "done", "dropped"] = "pending"
    undoes: int | None = None
    """the version that this one takes back"""
    undone_by: int | None = None
    uncertain: bool = False
    """another writer overlapped (SPEC H7)"""


class Versions(Protocol):
    """Rows of versions; every method is atomic and durable when it returns. Called from worker threads."""

    def begin(
        self, *, workspace: str, path: str, before: State, session: str, call: str, by: str, undoes: int | None = None
    ) -> int:
        """A new pending version; its id."""

    def finish(self, version: int, after: State, *, uncertain: bool = False) -> Version:
        """Close it. Sets `undone_by` of the one it undoes."""

    def drop(self, version: int) -> None:
        """The change did not happen."""

    def get(self, version: int) -> Version | None: ...

    def of_path(self, workspace: str, path: str) -> list[Version]:
        """Closed ones, oldest first."""

    def of_session(self, session: str) -> list[Version]:
        """Closed ones, oldest first."""

    def of_call(self, session: str, call: str) -> list[Version]:
        """Closed ones, oldest first."""

    def pending(self, workspace: str) -> list[Version]:
        """Those that a crash left open."""
