"""The rows of versions keep the promises of `history.versions.Versions` (H1, W3)."""

from pathlib import Path

import pytest

from workbench.history.states import ABSENT, State
from workbench.history.versions import Change
from workbench.web import models
from workbench.web.version_rows import DatabaseVersions

pytestmark = pytest.mark.django_db(transaction=True)

A, B = State("file", "a" * 64, 1, 0o644), State("file", "b" * 64, 2, 0o644)
rows = DatabaseVersions()


def begin(session: models.Session, path: str = "f", **more: object) -> int:
    home = session.workspace.path
    return rows.begin(workspace=home, path=path, before=A, session=session.pk, call="c1", by="edit_file", **more)


def test_a_pending_one_is_seen_only_as_pending(session_row: models.Session) -> None:
    made = begin(session_row, intended="x", folders=("d",))
    found = rows.get(made)
    assert found is not None
    assert (found.status, found.after, found.intended, found.folders) == ("pending", None, "x", ("d",))
    assert [v.id for v in rows.pending(session_row.workspace.path)] == [made]
    assert rows.of_session(session_row.pk) == []


def test_a_dropped_one_never_happened(session_row: models.Session) -> None:
    made = begin(session_row)
    rows.drop(made)
    assert rows.pending(session_row.workspace.path) == []
    assert rows.of_call(session_row.pk, "c1") == []
    assert rows.kept() == []


def test_a_finished_one_is_found_by_path_session_and_call(session_row: models.Session) -> None:
    closed = rows.finish(begin(session_row), B, uncertain=True, folders=("d",))
    assert (closed.after, closed.uncertain, closed.folders, closed.status) == (B, True, ("d",), "done")
    assert rows.of_path(session_row.workspace.path, "f") == [closed]
    assert rows.of_session(session_row.pk) == rows.of_call(session_row.pk, "c1") == [closed]
    assert rows.of_path(session_row.workspace.path, "g") == []


def test_a_rollback_names_what_it_takes_back_unless_it_is_partial(session_row: models.Session) -> None:
    first = rows.finish(begin(session_row), B)
    part = rows.finish(begin(session_row, undoes=(first.id,), partial=True), A)
    assert rows.get(first.id).undone_by is None
    whole = rows.finish(begin(session_row, undoes=(first.id,)), A)
    assert rows.get(first.id).undone_by == whole.id
    assert part.undoes == whole.undoes == (first.id,)


def test_changes_of_a_command_are_recorded_in_order(session_row: models.Session) -> None:
    home = session_row.workspace.path
    changes = [Change("b", ABSENT, B), Change("a", A, ABSENT, uncertain=True)]
    made = rows.record(changes, workspace=home, session=session_row.pk, call="c2", by="bash")
    assert [(v.path, v.before, v.after, v.uncertain) for v in made] == [("b", ABSENT, B, False), ("a", A, ABSENT, True)]
    assert rows.of_call(session_row.pk, "c2") == made


@pytest.mark.parametrize("path", ["back\\slash", "\\x80", "bad \udcff name", "\\\udc80\\x41", "雪/ä", "a\nb"])
def test_a_path_comes_back_exactly_even_when_it_is_not_utf8(session_row: models.Session, path: str) -> None:
    made = begin(session_row, path)
    assert rows.get(made).path == path
    rows.finish(made, B)
    assert [v.id for v in rows.of_path(session_row.workspace.path, path)] == [made]


def test_bytes_that_are_gone_are_said_to_be_gone(session_row: models.Session) -> None:
    first, other = rows.finish(begin(session_row), B), rows.finish(begin(session_row, "g"), A)
    assert [v.id for v in rows.kept()] == [first.id, other.id]
    assert rows.forget({"b" * 64}) == 1
    assert rows.get(first.id).after.stored is False
    assert rows.get(first.id).before.stored is True
    assert rows.forget({"b" * 64}) == 0


def test_a_workspace_that_no_session_had_is_made(session_row: models.Session, tmp_path: Path) -> None:
    made = rows.begin(workspace=str(tmp_path), path="x", before=ABSENT, session=session_row.pk, call="", by="ann")
    assert rows.get(made).workspace == str(tmp_path)
