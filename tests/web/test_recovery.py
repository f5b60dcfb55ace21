"""After a kill the rows, the files and the journals agree again (A7, W2, W3)."""

from pathlib import Path

import pytest

from workbench.files import atomic
from workbench.history.versions import History
from workbench.web import models, recovery, runtime
from workbench.web.version_rows import DatabaseVersions

pytestmark = pytest.mark.django_db(transaction=True)


def history(session: models.Session, call: str = "c1") -> History:
    wall = runtime.fence(Path(session.workspace.path), runtime.rules(session))
    return History(runtime.store(), DatabaseVersions(), wall, session.pk, call, "write_file")


def begin(session: models.Session, name: str, becomes: bytes) -> None:
    """A write that a kill cuts off after its row was made."""
    mine = history(session)
    pending = mine.before(mine.fence.resolve(name), becomes=becomes)
    pending.lock.release()


def test_nothing_to_do_is_nothing_done(session_row: models.Session) -> None:
    recovery.recover()
    assert not models.Version.objects.exists()


def test_a_change_that_happened_is_closed_and_one_that_did_not_is_dropped(
    session_row: models.Session, workspace: Path
) -> None:
    (workspace / "a").write_text("old")
    (workspace / "b").write_text("old")
    begin(session_row, "a", b"new")
    begin(session_row, "b", b"new")
    (workspace / "a").write_text("new")
    recovery.recover()
    assert {v.path: v.status for v in models.Version.objects.all()} == {"a": "done", "b": "dropped"}
    assert not models.Version.objects.get(path="a").uncertain


def test_temporary_files_of_the_cut_off_write_go(session_row: models.Session, workspace: Path) -> None:
    begin(session_row, "a", b"new")
    left = workspace / f"{atomic.PREFIX}{'0' * 16}"
    left.write_text("half")
    (workspace / "other").write_text("mine")
    recovery.recover()
    assert sorted(p.name for p in workspace.iterdir()) == ["other"]


def test_a_workspace_that_is_gone_stays_open_and_stops_nothing(session_row: models.Session, workspace: Path) -> None:
    begin(session_row, "a", b"new")
    workspace.rename(workspace.with_name("elsewhere"))
    recovery.recover()
    assert models.Version.objects.get().status == "pending"
    workspace.with_name("elsewhere").rename(workspace)
    recovery.recover()
    assert models.Version.objects.get().status == "dropped"
