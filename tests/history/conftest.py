"""A workspace with a history whose rows lie in a small SQLite file, so that several processes can share them."""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.files import atomic
from workbench.files.fence import Fence
from workbench.history.apply import Outcome, apply
from workbench.history.rollback import Plan, Rollback
from workbench.history.states import State
from workbench.history.store import Store
from workbench.history.versions import Change, History, Keeps, Version, keeps_all

_FIELDS = (
    "id, workspace, path, before, after, session, call, by, at, status, undoes, partial, undone_by, uncertain, "
    "intended, folders"
)


class Rows:
    """`Versions` in SQLite; one connection a method, so that any thread or process may call."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with self._open() as db:
            db.execute(f"CREATE TABLE IF NOT EXISTS v ({_FIELDS.replace('id,', 'id INTEGER PRIMARY KEY,', 1)})")

    def _open(self) -> "_Closing":
        return _Closing(self.file)

    def begin(self, *, workspace: str, path: str, before: State, session: str, call: str, by: str,
              undoes: tuple[int, ...] = (), partial: bool = False, intended: str = "",
              folders: tuple[str, ...] = ()) -> int:  # fmt: skip
        with self._open() as db:
            return self._insert(db, workspace, Change(path, before, before, False, folders), session, call, by,
                                "pending", undoes, partial, intended)  # fmt: skip

    @staticmethod
    def _insert(db: sqlite3.Connection, workspace: str, change: Change, session: str, call: str, by: str,
                status: str, undoes: tuple[int, ...] = (), partial: bool = False,
                intended: str = "") -> int:  # fmt: skip
        after = None if status == "pending" else json.dumps(asdict(change.after))
        values = (None, workspace, json.dumps(change.path), json.dumps(asdict(change.before)), after, session, call, by,
                  datetime.now(UTC).isoformat(), status, json.dumps(undoes), partial, None, change.uncertain, intended,
                  json.dumps(change.folders))  # fmt: skip
        made = db.execute(f"INSERT INTO v VALUES ({','.join('?' * 16)})", values).lastrowid
        assert made
        return made

    def finish(self, version: int, after: State, *, uncertain: bool = False, folders: tuple[str, ...] = ()) -> Version:
        with self._open() as db:
            db.execute("UPDATE v SET after=?, uncertain=?, folders=?, status='done' WHERE id=?",
                       (json.dumps(asdict(after)), uncertain, json.dumps(folders), version))  # fmt: skip
            row = db.execute("SELECT undoes, partial FROM v WHERE id=?", (version,)).fetchone()
            for undone in [] if row[1] else json.loads(row[0]):
                db.execute("UPDATE v SET undone_by=? WHERE id=?", (version, undone))
        found = self.get(version)
        assert found
        return found

    def drop(self, version: int) -> None:
        with self._open() as db:
            db.execute("UPDATE v SET status='dropped' WHERE id=? AND status='pending'", (version,))

    def record(self, changes: Sequence[Change], *, workspace: str, session: str, call: str, by: str) -> list[Version]:
        with self._open() as db:
            made = [self._insert(db, workspace, change, session, call, by, "done") for change in changes]
        return [v for v in map(self.get, made) if v]

    def _select(self, where: str, *values: Any) -> list[Version]:
        with self._open() as db:
            return [_version(row) for row in db.execute(f"SELECT {_FIELDS} FROM v WHERE {where} ORDER BY id", values)]

    def get(self, version: int) -> Version | None:
        return next(iter(self._select("id=?", version)), None)

    def of_path(self, workspace: str, path: str) -> list[Version]:
        return self._select("status='done' AND workspace=? AND path=?", workspace, json.dumps(path))

    def of_session(self, session: str) -> list[Version]:
        return self._select("status='done' AND session=?", session)

    def of_call(self, session: str, call: str) -> list[Version]:
        return self._select("status='done' AND session=? AND call=?", session, call)

    def pending(self, workspace: str) -> list[Version]:
        return self._select("status='pending' AND workspace=?", workspace)

    def kept(self) -> list[Version]:
        return [v for v in self._select("status!='dropped'") if any(s.sha256 and s.stored for s in states(v))]

    def forget(self, sha256s: Collection[str]) -> int:
        touched = 0
        with self._open() as db:
            for row in db.execute("SELECT id, before, after FROM v").fetchall():
                old = [json.loads(side) if side else None for side in row[1:]]
                new = [{**s, "stored": False} if s and s["sha256"] in sha256s else s for s in old]
                if new != old:
                    touched += 1
                    db.execute("UPDATE v SET before=?, after=? WHERE id=?",
                               (json.dumps(new[0]), json.dumps(new[1]) if new[1] else None, row[0]))  # fmt: skip
        return touched


class _Closing:
    def __init__(self, file: Path) -> None:
        self.db = sqlite3.connect(file, timeout=20, isolation_level="IMMEDIATE")
        self.db.execute("PRAGMA synchronous=OFF")

    def __enter__(self) -> sqlite3.Connection:
        return self.db

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.db.commit()
        self.db.close()


def states(version: Version) -> list[State]:
    return [s for s in (version.before, version.after) if s]


def _version(row: Sequence[Any]) -> Version:
    return Version(
        row[0], row[1], json.loads(row[2]), State(**json.loads(row[3])),
        State(**json.loads(row[4])) if row[4] else None, row[5], row[6], row[7], datetime.fromisoformat(row[8]),
        row[9], tuple(json.loads(row[10])), bool(row[11]), row[12], bool(row[13]), row[14], tuple(json.loads(row[15])),
    )  # fmt: skip


class Work:
    """A workspace in which an agent, a person and commands change files."""

    def __init__(self, base: Path, *, keeps: Keeps = keeps_all, max_size: int = 1 << 20) -> None:
        self.root = base / "ws"
        self.root.mkdir(exist_ok=True, parents=True)
        self.fence = Fence(self.root)
        self.store = Store(base / "data" / "store", max_size=max_size)
        self.rows = Rows(base / "rows.sqlite")
        self.keeps = keeps
        self.session = "s1"
        self.call = 0

    def history(self, by: str = "edit_file", *, session: str = "", call: str = "") -> History:
        return History(
            self.store, self.rows, self.fence, session or self.session, call or f"c{self.call}", by, self.keeps
        )

    def path(self, rel: str) -> Path:
        return self.root / rel

    def person(self, rel: str, data: bytes) -> None:
        """A person saves a file, as an editor does."""
        file = self.path(rel)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def edit(self, rel: str, data: bytes, *, session: str = "", call: str = "", mode: int | None = None) -> Version:
        """The agent gives a file new content, as the tools do."""
        self.call += 1
        place = self.fence.resolve(rel)
        with self.history(session=session, call=call).before(place, becomes=data) as pending:
            parent, name = self.fence.open_parent(place, create=True)
            try:
                expect = pending.before.sha256 if pending.before.kind == "file" else None
                atomic.write(parent, name, data, rel=rel, expect=expect, mode=mode)
            finally:
                os.close(parent)
            return pending.done(data)

    def delete(self, rel: str, *, call: str = "") -> Version:
        self.call += 1
        place = self.fence.resolve(rel, follow=False)
        with self.history("delete_file", call=call).before(place) as pending:
            parent, name = self.fence.open_parent(place)
            try:
                atomic.delete(parent, name, rel=rel, expect=pending.before.sha256)
            finally:
                os.close(parent)
            return pending.done()

    def rollback(self, **more: Any) -> Rollback:
        return Rollback(self.history("person", call="-"), **more)

    def undo(self, version: Version | int, **more: Any) -> Outcome:
        """Plan and apply for one version; its only outcome."""
        rb = self.rollback(**more)
        (outcome,) = apply(rb, rb.version(version if isinstance(version, int) else version.id))
        return outcome

    def undo_all(self, plan: Plan, rb: Rollback | None = None, **how: Any) -> dict[str, Outcome]:
        return {o.path: o for o in apply(rb or self.rollback(), plan, **how)}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    yield Work(tmp_path)
