"""Taking changes back in a person's name, with the timeline told (H2, H3)."""

from pathlib import Path

import pytest

from workbench.files import Refused
from workbench.history.versions import History
from workbench.journal.kinds import ModelTurn, RolledBack, SessionStarted, ToolCall
from workbench.web import adapters, models, rollbacks, runtime
from workbench.web.actions import Who
from workbench.web.version_rows import DatabaseVersions

pytestmark = pytest.mark.django_db(transaction=True)
ANN = Who("ann")


@pytest.fixture
def session(session_row: models.Session) -> models.Session:
    adapters.append(
        session_row.pk, [SessionStarted(task="t", workspace=str(session_row.workspace.path), model="demo", mode="ask")]
    )
    return session_row


def write(session: models.Session, call: str, name: str, text: str) -> int:
    """As a tool does it, journal included."""
    adapters.append(
        session.pk, [ModelTurn(turn=1), ToolCall(call_id=call, turn=1, tool="write_file", args={"path": name})]
    )
    wall = runtime.fence(Path(session.workspace.path), runtime.rules(session))
    history = History(runtime.store(), DatabaseVersions(), wall, session.pk, call, "write_file")
    with history.before(wall.resolve(name), becomes=text.encode()) as pending:
        (wall.root / name).write_text(text)
        return pending.done(text.encode()).id


def told(session: models.Session) -> list[RolledBack]:
    return [r.event for r in adapters.read_kind(session.pk, "rolled_back") if isinstance(r.event, RolledBack)]


LINES = "".join(f"line {n}\n" for n in range(20))


def test_one_edit_is_taken_back_byte_for_byte_and_the_timeline_is_told(
    session: models.Session, workspace: Path
) -> None:
    (workspace / "f").write_bytes(b"\xef\xbb\xbfold\r\n")
    version = write(session, "c1", "f", "new\n")
    (outcome,) = rollbacks.one(version, ANN)
    assert (outcome["status"], outcome["path"]) == ("done", "f")
    assert (workspace / "f").read_bytes() == b"\xef\xbb\xbfold\r\n"
    (event,) = told(session)
    assert (event.call_id, event.version, event.new_version, event.by, event.put_back) == (
        "c1", version, outcome["version"], "ann", False,
    )  # fmt: skip


def test_a_rollback_can_be_taken_back_and_again(session: models.Session, workspace: Path) -> None:
    version = write(session, "c1", "f", "new\n")
    back = rollbacks.one(version, ANN)[0]["version"]
    assert not (workspace / "f").exists()
    again = rollbacks.one(back, ANN)[0]["version"]
    assert (workspace / "f").read_text() == "new\n"
    rollbacks.one(again, ANN)
    assert not (workspace / "f").exists()
    assert [(e.version, e.put_back) for e in told(session)] == [(version, False), (version, True), (version, False)]


def test_a_preview_changes_nothing(session: models.Session, workspace: Path) -> None:
    version = write(session, "c1", "f", "new\n")
    (shown,) = rollbacks.one(version, ANN, preview=True)
    assert shown["status"] == "restore"
    assert (workspace / "f").read_text() == "new\n"
    assert told(session) == []


def test_a_later_edit_elsewhere_in_the_file_stays(session: models.Session, workspace: Path) -> None:
    (workspace / "f").write_text(LINES)
    version = write(session, "c1", "f", LINES.replace("line 2\n", "line two\n"))
    (workspace / "f").write_text(LINES.replace("line 2\n", "line two\n").replace("line 17\n", "mine\n"))
    rollbacks.one(version, ANN)
    assert (workspace / "f").read_text() == LINES.replace("line 17\n", "mine\n")


def test_a_conflict_writes_nothing_and_shows_the_three_texts(session: models.Session, workspace: Path) -> None:
    (workspace / "f").write_text("one\n")
    version = write(session, "c1", "f", "two\n")
    (workspace / "f").write_text("three\n")
    outcomes = rollbacks.one(version, ANN)
    assert [(o["status"], o["mine"], o["base"], o["theirs"]) for o in outcomes] == [
        ("conflict", "three\n", "two\n", "one\n")
    ]
    assert (workspace / "f").read_text() == "three\n"
    assert told(session) == []
    with pytest.raises(Refused) as refused:
        rollbacks.refuse_conflicts(outcomes)
    assert refused.value.code == "conflict"


def test_a_rewind_takes_back_what_came_after_and_only_that(session: models.Session, workspace: Path) -> None:
    (workspace / "mine").write_text("untouched")
    write(session, "c1", "a", "a1\n")
    seq = adapters.read(session.pk)[-1].seq
    write(session, "c2", "a", "a2\n")
    write(session, "c3", "b", "b1\n")
    outcomes = rollbacks.rewind(session.pk, seq, ANN)
    assert {o["path"]: o["status"] for o in outcomes} == {"a": "done", "b": "done"}
    assert (workspace / "a").read_text() == "a1\n"
    assert not (workspace / "b").exists()
    assert (workspace / "mine").read_text() == "untouched"
    assert {e.call_id for e in told(session)} == {"c2", "c3"}


def test_what_is_not_there_is_said(session: models.Session) -> None:
    with pytest.raises(models.Version.DoesNotExist):
        rollbacks.one(999, ANN)
    with pytest.raises(models.Session.DoesNotExist):
        rollbacks.rewind("nobody", 0, ANN)
    with pytest.raises(Refused, match="nothing to roll back"):
        rollbacks.rewind(session.pk, 0, ANN)
