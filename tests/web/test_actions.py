"""What people do is an event, decided once, in one transaction (G4, A8)."""

import threading
from pathlib import Path

import pytest
from django.db import connections

from workbench.files import Refused
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    ModelTurn,
    QuestionAsked,
    SessionStarted,
    ToolCall,
    ToolStarted,
)
from workbench.web import actions, adapters, models
from workbench.web.actions import AlreadyDecided, Who

pytestmark = pytest.mark.django_db(transaction=True)
ANN, BOB = Who("ann", "browser"), Who("bob", "API")


@pytest.fixture
def asked(session_row: models.Session) -> models.Approval:
    """A call that waits for a person."""
    started = SessionStarted(task="t", workspace=session_row.workspace.path, model="demo", mode="ask")
    call = ToolCall(call_id="c1", turn=1, tool="bash", args={"command": "git push"})
    wait = ApprovalAsked(call_id="c1", digest="d" * 64, effects=[], reasons=["It pushes."], cwd="/w")
    adapters.append(session_row.pk, [started, ModelTurn(turn=1), call, wait])
    return models.Approval.objects.get()


@pytest.fixture
def question(session_row: models.Session) -> models.Question:
    started = SessionStarted(task="t", workspace=session_row.workspace.path, model="demo", mode="ask")
    call = ToolCall(call_id="q1", turn=1, tool="ask_user", args={"question": "Which?"})
    adapters.append(
        session_row.pk,
        [started, ModelTurn(turn=1), call, ToolStarted(call_id="q1"), QuestionAsked(call_id="q1", question="Which?")],
    )
    return models.Question.objects.get()


def last(session: models.Session) -> object:
    return adapters.read(session.pk)[-1].event


def test_a_decision_is_an_event_and_a_row_and_wakes_the_session(asked: models.Approval) -> None:
    row = actions.decide_approval(asked.pk, "approve", ANN)
    assert (row.status, row.decided_by, row.via) == ("approved", "ann", "browser")
    event = last(asked.session)
    assert isinstance(event, ApprovalDecided)
    assert (event.outcome, event.by, event.via, event.digest, event.args) == (
        "approved", "ann", "browser", "d" * 64, None,
    )  # fmt: skip
    asked.session.refresh_from_db()
    assert (asked.session.status, asked.session.due) == ("running", True)


def test_who_comes_second_changes_nothing_and_is_told_who_was_first(asked: models.Approval) -> None:
    actions.decide_approval(asked.pk, "reject", ANN, reason="not now")
    before = adapters.read(asked.session_id)
    with pytest.raises(AlreadyDecided, match="rejected by ann") as caught:
        actions.decide_approval(asked.pk, "approve", BOB)
    assert caught.value.by == "ann"
    assert adapters.read(asked.session_id) == before


def test_of_thirty_deciders_one_wins_in_each_of_many_rounds(asked: models.Approval) -> None:
    results: list[str] = []
    gate = threading.Barrier(30)

    def decide(n: int) -> None:
        gate.wait()
        try:
            actions.decide_approval(asked.pk, "approve" if n % 2 else "reject", Who(f"p{n}", "API"))
            results.append("won")
        except AlreadyDecided as e:
            results.append(e.by)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=decide, args=(n,)) for n in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.count("won") == 1
    winner = models.Approval.objects.get().decided_by
    assert {r for r in results if r != "won"} == {winner}
    decided = [r for r in adapters.read(asked.session_id) if isinstance(r.event, ApprovalDecided)]
    assert len(decided) == 1


def test_a_decision_that_cannot_be_journaled_is_no_decision(
    asked: models.Approval, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(adapters, "append", broken)
    with pytest.raises(OSError, match="disk full"):
        actions.decide_approval(asked.pk, "approve", ANN)
    asked.refresh_from_db()
    assert asked.status == "pending"


def test_what_is_remembered_is_kept_for_the_session(asked: models.Approval) -> None:
    actions.decide_approval(asked.pk, "approve", ANN, remember="session")
    grant = models.Grant.objects.get()
    assert (grant.session_id, grant.digest, grant.by) == (asked.session_id, "d" * 64, "ann")


def test_a_rejection_remembers_nothing(asked: models.Approval) -> None:
    actions.decide_approval(asked.pk, "reject", ANN, remember="session")
    assert not models.Grant.objects.exists()


def test_an_answer_counts_once(question: models.Question) -> None:
    row = actions.answer_question(question.pk, "the first", ANN)
    assert (row.status, row.answer, row.answered_by) == ("answered", "the first", "ann")
    with pytest.raises(AlreadyDecided, match="answered by ann"):
        actions.answer_question(question.pk, "the second", BOB)
    with pytest.raises(Refused):
        actions.answer_question(question.pk, "  ", BOB)


def test_a_decision_on_nothing_is_not_there(data: Path) -> None:
    with pytest.raises(models.Approval.DoesNotExist):
        actions.decide_approval(999, "approve", ANN)


def test_a_session_starts_in_the_workspace_that_is_named_or_in_the_default_one(data: Path, workspace: Path) -> None:
    with pytest.raises(Refused, match="Name a workspace"):
        actions.start_session(task="x", who=ANN, model="openai:x")
    named = actions.start_session(task="Do\nthis", who=ANN, model="openai:x", workspace=workspace, mode="plan")
    assert (named.workspace.path, named.title, named.mode, named.status, named.due) == (
        str(workspace), "Do", "plan", "running", True,
    )  # fmt: skip
    actions.open_workspace(workspace, is_default=True)
    assert actions.start_session(task="x", who=ANN, model="openai:x").workspace == named.workspace


def test_the_demo_gets_a_fresh_sample_beside_the_data_folder(data: Path) -> None:
    first = actions.start_session(task="x", who=ANN, model="demo")
    second = actions.start_session(task="x", who=ANN, model="demo")
    assert first.workspace != second.workspace
    assert first.workspace.sample
    path = Path(first.workspace.path)
    assert path.is_dir()
    assert not path.is_relative_to(data)


@pytest.mark.parametrize(("path", "code"), [
    ("/no/such/folder", "no_file"),
    ("relative", "bad_path"),
    ("~nobody-of-that-name/x", "bad_path"),
    ("/tmp/a\0b", "bad_path"),
    ("/tmp/" + "long" * 2000, "no_file"),
    ("/dev/null", "no_file"),
    ("{data}", "denied"),
    ("{data}/store", "denied"),
    ("{data}/..", "denied"),
])  # fmt: skip
def test_a_folder_that_cannot_be_a_workspace_is_refused(data: Path, path: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        actions.start_session(task="x", who=ANN, model="openai:x", workspace=path.format(data=data))
    assert caught.value.code == code
    assert not models.Session.objects.exists()


def test_a_link_to_a_folder_is_the_folder(data: Path, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(workspace)
    assert actions.open_workspace(tmp_path / "link").path == str(workspace)


@pytest.mark.parametrize("wrong", [{"task": "  "}, {"model": "nobody"}, {"mode": "wild"}])
def test_a_session_that_makes_no_sense_is_refused(data: Path, workspace: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(Refused):
        actions.start_session(**{"task": "x", "who": ANN, "model": "openai:x", "workspace": workspace, **wrong})
    assert not models.Session.objects.exists()


def test_torn_text_is_mended_before_it_is_kept(data: Path, workspace: Path) -> None:
    row = actions.start_session(task="a \ud800 b", who=ANN, model="openai:x", workspace=workspace)
    assert row.task == "a \ufffd b"


def test_what_means_nothing_now_changes_nothing(asked: models.Approval) -> None:
    session = asked.session_id
    before = adapters.read(session)
    assert actions.resume(session, ANN).status == "waiting"
    assert adapters.read(session) == before
    assert actions.pause(session, ANN).status == "paused"
    assert actions.pause(session, ANN).status == "paused"
    assert actions.resume(session, ANN).status == "waiting"
    assert actions.stop(session, ANN).status == "stopped"
    assert actions.stop(session, ANN).status == "stopped"
    assert len(adapters.read(session)) == len(before) + 3


def test_a_stopped_session_is_due_until_what_was_open_is_closed(asked: models.Approval) -> None:
    assert actions.stop(asked.session_id, ANN).due


def test_messages_and_modes(asked: models.Approval) -> None:
    assert actions.set_mode(asked.session_id, "auto", ANN).mode == "auto"
    with pytest.raises(Refused):
        actions.set_mode(asked.session_id, "wild", ANN)
    assert actions.send_message(asked.session_id, "hello", ANN).status == "waiting"
    with pytest.raises(Refused):
        actions.send_message(asked.session_id, " \n", ANN)
    with pytest.raises(models.Session.DoesNotExist):
        actions.send_message("nobody", "hello", ANN)
