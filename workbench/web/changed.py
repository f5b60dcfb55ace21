"""Which files a session changed, and by how many lines: its first version of a path against its last."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from workbench.history.diff import diff
from workbench.history.states import State
from workbench.history.store import Damaged
from workbench.web import runtime
from workbench.web.models import Version

LARGEST = 4_000_000
"""bytes of a side that are still counted"""


@dataclass(frozen=True)
class Changed:
    path: str
    version: int
    """the latest"""
    by: str
    """the tool, or the person, of the latest"""
    change: str
    """created, deleted, changed, or put back: nothing is left of it"""
    lines: tuple[int, int] | None
    """added and removed; None where lines can't be told"""
    uncertain: bool


def taken_back(rows: Iterable[Version]) -> set[int]:
    """Those of these versions that are taken back now: a rollback may have been taken back in turn. One query."""
    shown = list(rows)
    later: dict[int, int | None] = {}
    if any(row.undone_by for row in shown):
        where = {"workspace__in": {row.workspace_id for row in shown}, "path__in": {row.path for row in shown}}
        later = dict(Version.objects.filter(status="done", **where).values_list("pk", "undone_by"))
    return {row.pk for row in shown if _undone(row.pk, later)}


def _undone(version: int, later: dict[int, int | None]) -> bool:
    undone, at = False, later.get(version)
    while at is not None:
        undone, at = not undone, later.get(at)
    return undone


def changed_files(session: str) -> list[Changed]:
    """Newest change first."""
    rows: dict[str, list[Version]] = {}
    for row in Version.objects.filter(session=session, status="done").order_by("pk"):
        rows.setdefault(row.path, []).append(row)
    found = [_changed(path, of_path) for path, of_path in rows.items()]
    return sorted(found, key=lambda c: -c.version)


def _changed(path: str, rows: list[Version]) -> Changed:
    first, last = rows[0], rows[-1]
    before, after = State(**first.before), State(**(last.after or {"kind": "absent"}))
    return Changed(
        path=path,
        version=last.pk,
        by=last.by,
        change=_word(before, after),
        lines=lines_between(before, after),
        uncertain=any(row.uncertain for row in rows),
    )


def _word(before: State, after: State) -> str:
    if before.same_content(after):
        return "put back"
    if before.kind == "absent":
        return "created"
    return "deleted" if after.kind == "absent" else "changed"


def lines_between(before: State, after: State) -> tuple[int, int] | None:
    """Added and removed lines from one state to the other."""
    if before.same_content(after):
        return 0, 0
    if not _countable(before) or not _countable(after):
        return None
    return _lines(before.sha256, after.sha256)


def _countable(state: State) -> bool:
    return state.kind == "absent" or (state.kind == "file" and state.stored and state.size <= LARGEST)


@lru_cache(maxsize=2048)
def _lines(before: str, after: str) -> tuple[int, int] | None:
    try:
        old, new = (content(sha) for sha in (before, after))
    except Damaged:
        return None
    found = diff(old, new, words=False, context=0)
    return None if found.binary or found.cut else (found.added, found.removed)


def content(sha256: str) -> bytes:
    """Bytes of a state; none for one that was absent. Raises Damaged."""
    return runtime.store().get(sha256) if sha256 else b""
