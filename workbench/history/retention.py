"""How long contents are kept, and how one is taken out for good (H5).

Rows stay for ever; only bytes go, and a version whose bytes are gone says so (`stored=False`) before they are deleted,
so that a crash in between never leaves a promise that cannot be held.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.history.entries import TreeFile, named_by
from workbench.history.states import State
from workbench.history.store import Store
from workbench.history.versions import Version, Versions


@dataclass(frozen=True)
class Keeping:
    """Limits; None is no limit. The newest version of each path is always kept."""

    days: float | None = None
    count: int | None = None
    """versions of one path"""
    bytes: int | None = None
    """of all contents, uncompressed, each counted once"""


@dataclass(frozen=True)
class Dropped:
    versions: int
    objects: int
    bytes: int
    """freed on disk"""


@dataclass(frozen=True)
class Purged:
    gone: tuple[str, ...]
    """hashes whose bytes are no longer anywhere in the history"""
    held: dict[str, tuple[str, ...]]
    """hash -> other paths that still hold the same content, so it stays"""


def expired(kept: Sequence[Version], keeping: Keeping, now: datetime, *, gone: Collection[str] = ()) -> list[Version]:
    """Those of `kept` (oldest first) whose bytes are to go, oldest first. Pending ones never are.

    `gone`: workspaces that no longer exist; of these the newest goes too when it is due.
    """
    newest = {(v.workspace, v.path): v.id for v in kept if v.workspace not in gone}
    drop: dict[int, Version] = {}
    after: dict[tuple[str, str], int] = {}
    for v in reversed(kept):
        key = (v.workspace, v.path)
        after[key] = after.get(key, 0) + 1
        old = keeping.days is not None and v.at < now - timedelta(days=keeping.days)
        many = keeping.count is not None and after[key] > keeping.count
        if (old or many) and _may_go(v, newest):
            drop[v.id] = v
    if keeping.bytes is not None:
        left = [v for v in kept if v.id not in drop]
        total = sum({s.sha256: s.size for v in left for s in contents(v)}.values())
        users = _users(left)
        for v in left:
            if total <= keeping.bytes:
                break
            if _may_go(v, newest):
                drop[v.id] = v
                for s in contents(v):
                    users[s.sha256].discard(v.id)
                    total -= 0 if users[s.sha256] else s.size
    return [v for v in kept if v.id in drop]


def enforce(
    versions: Versions,
    store: Store,
    keeping: Keeping,
    now: datetime,
    *,
    also: Collection[str] = (),
    gone: Collection[str] = (),
) -> Dropped:
    """Let go what is beyond the limits, and sweep what nothing names.

    `also`: hashes that others count on (media of the journal). `gone`: workspaces that no longer exist.
    """
    trees = store.root / "trees"
    for workspace in gone:
        TreeFile(trees, workspace).path.unlink(missing_ok=True)
    kept = versions.kept()
    drop = {v.id: v for v in expired(kept, keeping, now, gone=gone)}
    live = {s.sha256 for v in kept if v.id not in drop for s in contents(v)}
    live |= named_by(trees) | set(also)
    dead = {s.sha256 for v in drop.values() for s in contents(v)} - live
    versions.forget(dead)
    freed = 0
    for sha in dead:
        freed += store.stored_size(sha)
        store.delete(sha)
    objects, more = store.collect(live)
    store.sweep()
    return Dropped(len(drop), len(dead) + objects, freed + more)


def purge(versions: Versions, store: Store, *, workspace: str, path: str) -> Purged:
    """Take every kept content of one path out of the history, for a secret that leaked into it."""
    kept = versions.kept()
    mine = {s.sha256 for v in kept if (v.workspace, v.path) == (workspace, path) for s in contents(v)}
    return _purge(versions, store, mine, [v for v in kept if (v.workspace, v.path) != (workspace, path)])


def purge_version(versions: Versions, store: Store, version: Version) -> Purged:
    """Take what one version holds out of the history; other versions with the same content lose it too."""
    mine = {s.sha256 for s in contents(version)}
    others = [v for v in versions.kept() if v.path != version.path or v.workspace != version.workspace]
    return _purge(versions, store, mine, others)


def _purge(versions: Versions, store: Store, mine: set[str], others: Iterable[Version]) -> Purged:
    held: dict[str, set[str]] = {}
    for v in others:
        for s in contents(v):
            if s.sha256 in mine:
                held.setdefault(s.sha256, set()).add(v.path)
    gone = mine - held.keys()
    versions.forget(gone)
    for sha in gone:
        store.delete(sha)
    return Purged(tuple(sorted(gone)), {sha: tuple(sorted(paths)) for sha, paths in held.items()})


def contents(version: Version) -> Iterator[State]:
    """The states of a version whose bytes are in the store."""
    for state in (version.before, version.after):
        if state and state.stored and state.sha256:
            yield state


def _may_go(version: Version, newest: dict[tuple[str, str], int]) -> bool:
    return version.status != "pending" and newest.get((version.workspace, version.path)) != version.id


def _users(versions: Iterable[Version]) -> dict[str, set[int]]:
    users: dict[str, set[int]] = {}
    for v in versions:
        for s in contents(v):
            users.setdefault(s.sha256, set()).add(v.id)
    return users
