"""What versions changed in all, path by path, as a patch that `git apply` takes (H5)."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.history.inverse import Read, reader
from workbench.history.merge import merge
from workbench.history.patch import Side, file_patch, git_mode
from workbench.history.states import State
from workbench.history.store import Damaged, Store
from workbench.history.versions import Version


@dataclass(frozen=True)
class Net:
    """One path before the first and after the last of the versions, changes by others in between left out."""

    path: str
    old: Side | None
    new: Side | None
    note: str = ""
    """why it is not exact or not there at all"""


@dataclass(frozen=True)
class Export:
    patch: bytes
    notes: tuple[str, ...]
    """sentences on what the patch does not hold"""


def export(versions: Iterable[Version], store: Store) -> Export:
    """A session's (or call's) changes as one patch."""
    found = net(versions, store)
    return Export(
        b"".join(file_patch(n.path, n.old, n.new) for n in found), tuple(f"{n.path}: {n.note}" for n in found if n.note)
    )


def net(versions: Iterable[Version], store: Store) -> list[Net]:
    paths: dict[str, list[Version]] = {}
    for version in sorted(versions, key=lambda v: v.id):
        if version.status == "done" and version.after:
            paths.setdefault(version.path, []).append(version)
    read = reader(store)
    return [_net(path, group, read) for path, group in sorted(paths.items())]


def _net(path: str, group: list[Version], read: Read) -> Net:
    note = ""
    try:
        first = _side(group[0].before, read)
        there = first
        for version in group:
            assert version.after is not None
            there, odd = _replayed(version.before, version.after, there, read)
            note = odd or note
    except Damaged as e:
        return Net(path, None, None, f"left out, {e.message}")
    return Net(path, first, there, note)


def _replayed(before: State, after: State, there: Side | None, read: Read) -> tuple[Side | None, str]:
    """`there` with one change applied, whoever wrote in between."""
    old, new = _side(before, read), _side(after, read)
    if there == old or there is None or old is None or new is None:
        return new, ""
    if "120000" in (there.mode, old.mode, new.mode):
        return new, ""
    found = merge(old.data, new.data, there.data)
    if found.data is None:
        return new, "changes of others to the same lines are in the patch too"
    return Side(found.data, new.mode if new.mode != old.mode else there.mode), ""


def _side(state: State, read: Read) -> Side | None:
    if state.kind not in ("file", "link"):
        return None
    return Side(read(state), git_mode(state.kind, state.mode))
