"""The rows follow the journal, whoever appended and whatever was rolled back."""

import pytest
from django.db import transaction

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    SessionDone,
    SessionFailed,
    SessionStarted,
    SessionStopped,
    ToolCall,
    ToolResult,
    ToolStarted,
)
from workbench.web import adapters, projections
from workbench.web.models import Approval, Question, Session

pytestmark = pytest.mark.django_db(transaction=True)

STARTED = SessionStarted(task="t", workspace="/w", model="demo", mode="plan", sandbox="off", by="ann")
CALL = ToolCall(call_id="c", turn=1, tool="bash", args='{"command": "x"}')
ASKED = ApprovalAsked(call_id="c", digest="d")


def after(session: Session, *events: Event) -> Session:
    adapters.append(session.pk, events)
    session.refresh_from_db()
    return session


def test_a_session_is_due_as_long_as_there_is_a_step_without_a_person(session_row: Session) -> None:
    steps: list[tuple[tuple[Event, ...], str, bool]] = [
        ((STARTED,), "running", True),
        ((ModelTurn(turn=1), CALL), "running", True),
        ((ASKED,), "waiting", False),
        ((ApprovalDecided(call_id="c", outcome="approved", by="ann"),), "running", True),
        ((ToolStarted(call_id="c"),), "running", True),
        ((ToolResult(call_id="c", ok=True, data={}),), "running", True),
        ((ModelTurn(turn=2, text="done", finish="stop"),), "running", True),
        ((SessionDone(),), "done", False),
    ]
    for events, status, due in steps:
        row = after(session_row, *events)
        assert (row.status, row.due) == (status, due), events


def test_a_stop_while_it_waits_leaves_something_to_close(session_row: Session) -> None:
    row = after(session_row, STARTED, ModelTurn(turn=1), CALL, ASKED, SessionStopped(by="ann"))
    assert (row.status, row.due) == ("stopped", True)
    gone = ApprovalDecided(call_id="c", outcome="withdrawn", by="")
    row = after(session_row, gone, ToolResult(call_id="c", ok=False, data={"error": "interrupted"}))
    assert (row.status, row.due) == ("stopped", False)
    assert Approval.objects.get().status == "withdrawn"


def test_arguments_that_came_as_text_are_shown_as_an_object(session_row: Session) -> None:
    after(session_row, STARTED, ModelTurn(turn=1), CALL, ASKED)
    assert Approval.objects.get().args == {"command": "x"}


def test_a_call_that_is_asked_about_twice_has_two_rows_and_only_the_last_is_open(session_row: Session) -> None:
    yes = ApprovalDecided(call_id="c", outcome="approved", by="ann", via="API", reason="fine")
    after(session_row, STARTED, ModelTurn(turn=1), CALL, ASKED, yes, ASKED)
    first, second = Approval.objects.order_by("pk")
    assert (first.status, first.decided_by, first.via, first.reason) == ("approved", "ann", "API", "fine")
    assert (second.status, second.decided_by) == ("pending", "")


def test_a_question_and_its_answer(session_row: Session) -> None:
    asked = QuestionAsked(call_id="c", question="?", options=[{"label": "a", "description": ""}])
    row = after(session_row, STARTED, ModelTurn(turn=1), CALL, ToolStarted(call_id="c"), asked)
    assert (row.status, row.due) == ("waiting", False)
    after(session_row, QuestionAnswered(call_id="c", outcome="answered", answer="a", by="bob"))
    question = Question.objects.get()
    assert (question.status, question.answer, question.answered_by) == ("answered", "a", "bob")
    assert question.answered_at is not None


def test_a_failure_is_said_and_forgotten_when_it_goes_on(session_row: Session) -> None:
    row = after(session_row, STARTED, SessionFailed(message="out of reach"))
    assert (row.status, row.failure) == ("failed", "out of reach")


def test_a_kept_fold_that_no_longer_fits_is_made_anew(session_row: Session) -> None:
    after(session_row, STARTED)
    with pytest.raises(RuntimeError), transaction.atomic():
        adapters.append(session_row.pk, [SessionDone()])
        raise RuntimeError
    row = after(session_row, ModelTurn(turn=1))
    assert (row.status, row.last_seq) == ("running", 2)
    projections.states.keep(row.pk, "another hash", projections.SessionState())
    assert after(session_row, SessionDone()).status == "done"


def test_only_some_folds_are_kept(session_row: Session) -> None:
    states = projections.States()
    for n in range(projections.KEPT + 5):
        states.keep(str(n), "", projections.SessionState())
    assert len(states._kept) == projections.KEPT
