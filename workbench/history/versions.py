"""Which call changed which file from what to what, and the door through which every change passes.

A change goes like this, and a crash between any two steps is settled by `recover` (see `history/recover.py`):

    with ctx.history.before(place, becomes=new_bytes) as pending:   # old bytes durable, pending row, path locked
        if pending.before.sha256 != what_the_edit_was_made_for: pending.dropped(); raise …stale…
        … one atomic write of new_bytes …
        version = pending.done(new_bytes)                            # or pending.dropped() when nothing was written

Rows are kept by whoever implements `Versions` (web/adapters.py with the database).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from workbench.files import Refused
from workbench.files.fence import Fence, Place
from workbench.history.locks import Lock, hold
from workbench.history.look import Found, look, missing_parents
from workbench.history.states import ABSENT, Kind, State
from workbench.history.store import Store

__all__ = ["ABSENT", "Change", "History", "Kind", "Pending", "State", "Version", "Versions"]


@dataclass(frozen=True)
class Version:
    """One change of one path. Written as `pending` before the file is touched, closed after."""

    id: int
    workspace: str
    """absolute path of the root"""
    path: str
    """relative to the workspace, `/` between parts; a name that is not UTF-8 carries surrogate escapes, and a row
    gives back exactly what it was given"""
    before: State
    after: State | None
    """None while pending"""
    session: str
    call: str
    """"" when a person did it"""
    by: str
    """tool name, or a person for a rollback"""
    at: datetime
    status: Literal["pending", "done", "dropped"] = "pending"
    undoes: tuple[int, ...] = ()
    """the versions that this one takes back"""
    partial: bool = False
    """only some hunks of `undoes` were taken back, so it does not count as undone"""
    undone_by: int | None = None
    """the latest version that took this one back; whether that still holds is `rollback.is_undone`"""
    uncertain: bool = False
    """another writer overlapped (SPEC H7)"""
    intended: str = ""
    """sha256 of what the change was going to leave, "" when not known beforehand"""
    folders: tuple[str, ...] = ()
    """folders that the change made on the way, outermost first; a rollback removes them when they are empty"""


@dataclass(frozen=True)
class Change:
    """A change seen afterwards: what a command left."""

    path: str
    before: State
    after: State
    uncertain: bool = False
    folders: tuple[str, ...] = ()


class Versions(Protocol):
    """Rows of versions; every method is atomic and durable when it returns. Called from worker threads."""

    def begin(
        self,
        *,
        workspace: str,
        path: str,
        before: State,
        session: str,
        call: str,
        by: str,
        undoes: tuple[int, ...] = (),
        partial: bool = False,
        intended: str = "",
        folders: tuple[str, ...] = (),
    ) -> int:
        """A new pending version; its id. Ids grow and are never used again."""

    def finish(self, version: int, after: State, *, uncertain: bool = False, folders: tuple[str, ...] = ()) -> Version:
        """Close it. Sets `undone_by` of those it undoes, unless `partial`. `folders` replaces the ones of `begin`."""

    def drop(self, version: int) -> None:
        """The change did not happen."""

    def record(self, changes: Sequence[Change], *, workspace: str, session: str, call: str, by: str) -> list[Version]:
        """Closed versions, all in one transaction, in the order given."""

    def get(self, version: int) -> Version | None: ...

    def of_path(self, workspace: str, path: str) -> list[Version]:
        """Closed ones, oldest first."""

    def of_session(self, session: str) -> list[Version]:
        """Closed ones, oldest first."""

    def of_call(self, session: str, call: str) -> list[Version]:
        """Closed ones, oldest first."""

    def pending(self, workspace: str) -> list[Version]:
        """Those that a crash left open, oldest first."""

    def kept(self) -> list[Version]:
        """Those (pending ones too) with a state whose bytes are in the store, oldest first: what retention and
        collection go by."""

    def forget(self, sha256s: Collection[str]) -> int:
        """These bytes are gone: `stored=False` in every state that names one. How many versions that touched."""


Keeps = Callable[[str, int], str]
"""(path, size) -> why the content is not kept, as a clause for a sentence; "" when it is"""


def keeps_all(_path: str, _size: int) -> str:
    """The rule of a history that leaves nothing out."""
    return ""


@dataclass
class History:
    """The history of one workspace as one call sees it. Made anew for each call, like the tool's context."""

    store: Store
    versions: Versions
    fence: Fence
    session: str
    call: str
    by: str
    """the tool's name, or the person"""
    keeps: Keeps = keeps_all

    @property
    def workspace(self) -> str:
        return str(self.fence.root)

    def unkept(self, place: Place) -> str:
        """Why what lies there could not be taken back, "" when it can: for a tool's `effects`, so the gate asks."""
        with look(self.fence, place) as found:
            return self._unkept(place, found)

    def before(
        self,
        place: Place,
        *,
        becomes: bytes | None = None,
        anyway: bool = False,
        undoes: tuple[int, ...] = (),
        partial: bool = False,
    ) -> "Pending":
        """Keep what lies at `place` now, durably, and open a pending version. The path stays locked for every other
        writer of the workbench, in this process and others, until the pending one is done, dropped or left.

        `becomes`: the bytes that the change is going to leave, for a recovery that need not guess.
        `anyway`: go on when the content cannot be kept (a person said yes); the version then says `stored=False`.
        Refused: `too_large` (by size) or `denied` (by rule) when it cannot be kept, `io` when the store cannot be
        written, `conflict` when another writer holds the path for longer than ten seconds, and what the fence refuses.
        """
        lock = hold(self.store.root / "locks", f"{self.workspace}\0{place.rel}")
        try:
            with look(self.fence, place) as found:
                state = self._keep(place, found, anyway=anyway)
            folders = missing_parents(self.fence.root, place.rel)
            version = self.versions.begin(
                workspace=self.workspace,
                path=place.rel,
                before=state,
                session=self.session,
                call=self.call,
                by=self.by,
                undoes=undoes,
                partial=partial,
                intended=(intended := "" if becomes is None else self.store.name(becomes)),
                folders=folders,
            )
        except BaseException:
            lock.release()
            raise
        return Pending(self, place, version, state, folders, lock, intended)

    def _unkept(self, place: Place, found: Found) -> str:
        if found.state.kind != "file":
            return ""
        if why := self.keeps(place.rel, found.state.size):
            return why
        if found.state.size > self.store.max_size:
            return f"it is {found.state.size:,} bytes long and the history keeps files up to {self.store.max_size:,}"
        return ""

    def _keep(self, place: Place, found: Found, *, anyway: bool) -> State:
        """The state found, its bytes in the store."""
        why = self._unkept(place, found)
        if why and not anyway:
            raise Refused(
                "too_large" if found.state.size > self.store.max_size else "denied",
                f"{place.rel} would be changed without a way back: {why}. A person has to agree first.",
                path=place.rel,
                size_bytes=found.state.size,
            )
        return found.kept(None if why else self.store, durable=True)


@dataclass
class Pending:
    """A change under way. As a context manager it settles itself: left without `done` or `dropped` (an error came up),
    it looks at the disk and closes the version as what really happened."""

    history: History
    place: Place
    id: int
    before: State
    """what lies there, read under the lock: compare its `sha256` with what the change was made for"""
    folders: tuple[str, ...]
    lock: Lock
    intended: str = ""
    """sha256 of what the change is going to leave, "" when not known"""
    closed: bool = field(default=False, init=False)

    def done(self, data: bytes | None = None) -> Version:
        """The change is on disk. Reads what lies there now and keeps it too, since a later merge needs it.

        `data`: the bytes just written. When the disk already shows something else, another writer came between: the
        version then ends at `data` and is marked uncertain.
        """
        history = self.history
        with look(history.fence, self.place) as found:
            after = found.kept(None if history._unkept(self.place, found) else history.store, durable=False)
            mine = data is None or (
                after.kind == "file" and after.sha256 == (self.intended or history.store.name(data))
            )
            if not mine:
                assert data is not None
                sha = history.store.put(data, durable=False)
                after = State("file", sha, len(data), found.state.mode or self.before.mode)
        made = tuple(f for f in self.folders if (Path(history.workspace) / f).is_dir())
        version = history.versions.finish(self.id, after, uncertain=not mine, folders=made)
        self._close()
        return version

    def dropped(self) -> None:
        """Nothing was changed."""
        if not self.closed:
            self.history.versions.drop(self.id)
            self._close()

    def settle(self) -> Version | None:
        """Close it by what the disk shows: done when something changed, dropped when not."""
        if self.closed:
            return None
        with look(self.history.fence, self.place) as found:
            same = found.hashed().same_as(self.before)
        if same:
            self.dropped()
            return None
        return self.done()

    def _close(self) -> None:
        self.closed = True
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.settle()
        finally:
            self.lock.release()
