"""A real context for a tool: a workspace on disk, a history with its store, and read state that lasts over calls."""

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.files.fence import Check, Fence, allow_all
from workbench.files.seen import Seen
from workbench.history.states import State
from workbench.history.store import Store
from workbench.history.versions import Change, History, Version
from workbench.shell.sandbox import Sandbox
from workbench.tools import Context, Result, Tool


class KeptVersions:
    """`history.versions.Versions` in memory."""

    def __init__(self) -> None:
        self.rows: dict[int, Version] = {}

    def begin(self, *, workspace: str, path: str, before: State, session: str, call: str, by: str, **more: Any) -> int:
        number = len(self.rows) + 1
        self.rows[number] = Version(
            number, workspace, path, before, None, session, call, by, datetime.now(UTC), "pending", **more
        )
        return number

    def finish(self, version: int, after: State, *, uncertain: bool = False, folders: tuple[str, ...] = ()) -> Version:
        row = replace(self.rows[version], after=after, status="done", uncertain=uncertain, folders=folders)
        self.rows[version] = row
        if not row.partial:
            for undone in row.undoes:
                self.rows[undone] = replace(self.rows[undone], undone_by=version)
        return row

    def drop(self, version: int) -> None:
        self.rows[version] = replace(self.rows[version], status="dropped")

    def record(self, changes: Sequence[Change], *, workspace: str, session: str, call: str, by: str) -> list[Version]:
        made = []
        for c in changes:
            number = self.begin(workspace=workspace, path=c.path, before=c.before, session=session, call=call, by=by)
            made.append(self.finish(number, c.after, uncertain=c.uncertain, folders=c.folders))
        return made

    def get(self, version: int) -> Version | None:
        return self.rows.get(version)

    def _closed(self, **wanted: str) -> list[Version]:
        return [
            v for v in self.rows.values() if v.status == "done" and all(getattr(v, k) == w for k, w in wanted.items())
        ]

    def of_path(self, workspace: str, path: str) -> list[Version]:
        return self._closed(workspace=workspace, path=path)

    def of_session(self, session: str) -> list[Version]:
        return self._closed(session=session)

    def of_call(self, session: str, call: str) -> list[Version]:
        return self._closed(session=session, call=call)

    def pending(self, workspace: str) -> list[Version]:
        return [v for v in self.rows.values() if v.status == "pending" and v.workspace == workspace]

    def kept(self) -> list[Version]:
        return [v for v in self.rows.values() if v.before.stored or (v.after and v.after.stored)]

    def forget(self, sha256s: Collection[str]) -> int:
        def gone(state: State | None) -> State | None:
            return replace(state, stored=False) if state and state.sha256 in sha256s else state

        touched = 0
        for number, row in self.rows.items():
            new = replace(row, before=gone(row.before) or row.before, after=gone(row.after))
            touched += new != row
            self.rows[number] = new
        return touched


class Bench:
    """One session over one workspace. `run(tool, path=…)` makes a call the way the scheduler does, without the gate."""

    def __init__(self, root: Path, data: Path, *, home: Path | None = None) -> None:
        self.root, self.data, self.home = root, data, home
        self.seen = Seen()
        self.store = Store(data / "store")
        self.versions = KeptVersions()
        self.check: Check = allow_all
        self.limits: dict[str, int] = {}
        self._calls = itertools.count(1)

    def context(self, by: str = "test") -> Context:
        fence = Fence(self.root, check=self.check, home=self.home)
        call = f"c{next(self._calls)}"
        spool = self.data / "spool"
        spool.mkdir(exist_ok=True)
        history = History(self.store, self.versions, fence, "s1", call, by)
        return Context("s1", call, fence, self.seen, history, Sandbox("D"), spool, limits=self.limits)

    def run(self, tool: Tool, **raw: Any) -> Result:
        """Parse, effects, run; raises `Refused` as the tool does."""
        args = tool.parse(raw)
        ctx = self.context(by=tool.name)
        tool.call(args, ctx)
        result = tool.run(args, ctx)
        assert isinstance(result, Result)
        return result


@pytest.fixture
def make_bench(tmp_path: Path) -> Callable[..., Bench]:
    """A bench over `root`, by default a new folder `ws` beside its data."""

    def make(root: Path | None = None, **more: Any) -> Bench:
        root = root or tmp_path / "ws"
        root.mkdir(exist_ok=True)
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        return Bench(root, data, **more)

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
