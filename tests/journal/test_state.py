"""A session's state is a fold over its journal (A7, J1)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModeChanged,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    Record,
    RolledBack,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    ToolCall,
    ToolResult,
    ToolStarted,
    Unknown,
    Usage,
    UserMessage,
)
from workbench.journal.state import SessionState, fold
from workbench.policy.call import Mode

Sealer = Callable[..., list[Record]]

START = SessionStarted(task="mend it\nplease", workspace="/w", model="demo", mode="ask")
CALL = ToolCall(call_id="c1", turn=1, tool="bash", args={"command": "ls"})
ASKED = ApprovalAsked(call_id="c1", digest="d1")
RESULT = ToolResult(call_id="c1", ok=True, data={})


@pytest.fixture
def state(sealer: Sealer) -> Callable[..., SessionState]:
    return lambda *events: fold(sealer([START, *events]))


State = Callable[..., SessionState]


def test_a_new_session(state: State) -> None:
    s = state()
    assert (s.status, s.mode, s.title, s.workspace, s.model, s.turn) == (
        "running",
        Mode.ASK,
        "mend it",
        "/w",
        "demo",
        0,
    )


ENDS: dict[str, list[Event]] = {
    "running": [],
    "paused": [SessionPaused(by="m")],
    "stopped": [SessionStopped(by="m")],
    "done": [SessionDone()],
    "failed": [SessionFailed(message="x")],
}
MESSAGE = UserMessage(text="go on", by="m")


@pytest.mark.parametrize(
    ("before", "event", "after"),
    [
        ("running", SessionPaused(by="m"), "paused"),
        ("paused", SessionPaused(by="m"), "paused"),
        ("done", SessionPaused(by="m"), "done"),
        ("paused", SessionResumed(by="m"), "running"),
        ("stopped", SessionResumed(by="m"), "running"),
        ("failed", SessionResumed(by="m"), "running"),
        ("done", SessionResumed(by="m"), "running"),
        ("running", SessionStopped(by="m"), "stopped"),
        ("paused", SessionStopped(by="m"), "stopped"),
        ("failed", SessionStopped(by="m"), "stopped"),
        ("done", SessionStopped(by="m"), "done"),
        ("paused", SessionDone(), "paused"),
        ("stopped", SessionFailed(message="x"), "stopped"),
        ("done", MESSAGE, "running"),
        ("failed", MESSAGE, "running"),
        ("stopped", MESSAGE, "running"),
        ("paused", MESSAGE, "paused"),
        ("running", MESSAGE, "running"),
        ("paused", RESULT, "paused"),
        ("stopped", ModelTurn(turn=1), "stopped"),
    ],
)
def test_the_table_of_states(state: State, before: str, event: Event, after: str) -> None:
    assert state(*ENDS[before]).status == before
    assert state(*ENDS[before], event).status == after


def test_an_open_approval_makes_a_running_session_wait(state: State) -> None:
    s = state(ModelTurn(turn=1), CALL, ASKED)
    assert s.status == "waiting" and [c.call.call_id for c in s.open_approvals] == ["c1"]
    s = state(ModelTurn(turn=1), CALL, ASKED, SessionPaused(by="m"))
    assert s.status == "paused"
    s = state(ModelTurn(turn=1), CALL, ASKED, ApprovalDecided(call_id="c1", outcome="approved", by="m"))
    assert s.status == "running" and not s.open_approvals


def test_a_message_is_no_consent(state: State) -> None:
    s = state(ModelTurn(turn=1), CALL, ASKED, UserMessage(text="yes, approve, go ahead", by="m"))
    assert s.status == "waiting" and s.calls["c1"].phase == "asked"


def test_the_life_of_a_call(state: State) -> None:
    steps: list[tuple[Event, str]] = [
        (CALL, "open"),
        (ASKED, "asked"),
        (ApprovalDecided(call_id="c1", outcome="approved", by="m", args={"command": "ls -l"}), "decided"),
        (ApprovalAsked(call_id="c1", digest="d2"), "asked"),
        (ApprovalDecided(call_id="c1", outcome="approved", by="m"), "decided"),
        (ToolStarted(call_id="c1"), "started"),
        (QuestionAsked(call_id="c1", question="which?"), "questioned"),
        (QuestionAnswered(call_id="c1", outcome="answered", answer="this"), "answered"),
        (RESULT, "finished"),
    ]
    events: list[Event] = [ModelTurn(turn=1)]
    for event, phase in steps:
        events.append(event)
        assert state(*events).calls["c1"].phase == phase
    s = state(*events)
    assert s.calls["c1"].args == {"command": "ls -l"}, "what a person edited stays edited"
    assert not s.unfinished and s.calls["c1"].asked_seq == 6


def test_only_the_first_decision_counts(state: State) -> None:
    no = ApprovalDecided(call_id="c1", outcome="rejected", by="a")
    yes = ApprovalDecided(call_id="c1", outcome="approved", by="b", args={"command": "rm"})
    call = state(ModelTurn(turn=1), CALL, ASKED, no, yes).calls["c1"]
    assert call.decided == no and call.args is None


def test_a_decision_or_answer_nobody_asked_for_changes_nothing(state: State) -> None:
    yes = ApprovalDecided(call_id="c1", outcome="approved", by="b")
    answer = QuestionAnswered(call_id="c1", outcome="answered")
    call = state(ModelTurn(turn=1), CALL, yes, answer).calls["c1"]
    assert (call.phase, call.decided, call.answered) == ("open", None, None)


def test_a_stop_abandons_what_is_open_for_good(state: State) -> None:
    s = state(ModelTurn(turn=1), CALL, ASKED, SessionStopped(by="m"), MESSAGE)
    assert s.status == "running" and s.calls["c1"].abandoned and not s.open_approvals


def test_messages_wait_until_a_turn_takes_them(state: State) -> None:
    s = state(MESSAGE, UserMessage(text="and that", by="m", delivery="steer"))
    assert [m.text for m in s.pending_messages.values()] == ["go on", "and that"]
    s = state(MESSAGE, UserMessage(text="and that", by="m"), ModelTurn(turn=1, took=[2]))
    assert [m.text for m in s.pending_messages.values()] == ["and that"]


def test_a_rollback_is_noted_on_its_call_and_for_the_model(state: State) -> None:
    back = RolledBack(call_id="c1", version=3, new_version=4, path="a.py", by="m")
    s = state(ModelTurn(turn=1), CALL, RESULT, back)
    assert s.calls["c1"].rolled_back == [back] and back in s.notes.values() and not s.pending_messages


def test_mode_usage_and_errors_add_up(state: State) -> None:
    s = state(
        ModeChanged(mode="auto", by="m"),
        ModelFailed(message="no answer", attempt=1, retry_in_s=4),
        ModelTurn(turn=1, usage=Usage(input_tokens=10, output_tokens=1, cost_usd=0.25), duration_ms=1000),
        ModelTurn(turn=2, usage=Usage(input_tokens=20, output_tokens=2, cache_read_tokens=5), duration_ms=500),
    )
    assert (s.mode, s.turn, s.error, s.failures) == (Mode.AUTO, 2, "", 0)
    assert s.usage == Usage(input_tokens=30, output_tokens=3, cache_read_tokens=5, cost_usd=0.25)
    assert (s.leg.turns, s.leg.tokens, s.leg.active_ms) == (2, 33, 1500)


def test_failures_of_the_model_count_in_a_row(state: State, sealer: Sealer) -> None:
    failed = ModelFailed(message="no answer", attempt=1, retry_in_s=4)
    s = state(failed, failed)
    last = sealer([START, failed, failed])[-1]
    assert (s.failures, s.retry_at, s.error) == (2, last.at + timedelta(seconds=4), "no answer")
    assert state(failed, failed, SessionFailed(message="gave up"), SessionResumed(by="m")).failures == 0


def test_the_same_failing_call_is_counted_until_something_works(state: State) -> None:
    def failing(n: int, error: str = "no_file", **args: str) -> list[Event]:
        call = ToolCall(call_id=f"f{n}", turn=n, tool="read_file", args={"path": "x", **args})
        return [
            ModelTurn(turn=n),
            call,
            ToolResult(call_id=f"f{n}", ok=False, data={"error": error, "message": str(n)}),
        ]

    assert state(*failing(1), *failing(2), *failing(3)).repeated[1] == 3
    assert state(*failing(1), *failing(2, path="y")).repeated[1] == 1
    assert state(*failing(1), *failing(2, error="denied")).repeated[1] == 1
    assert state(*failing(1), *failing(2), CALL, RESULT).repeated == ("", 0)
    assert state(*failing(1), *failing(2), MESSAGE).repeated == ("", 0)


def test_what_is_not_known_changes_nothing(sealer: Sealer) -> None:
    records = sealer([START, ModelTurn(turn=1)])
    before = fold(records)
    strange = Unknown(kind_name="from_the_future", data={"call_id": "c1"})
    (record,) = sealer([strange])
    before.apply(Record("s1", 3, record.at, strange, "", ""))
    assert (before.seq, before.status, before.turn) == (3, "running", 1)


def test_an_event_of_a_call_that_is_not_there_changes_nothing(state: State) -> None:
    assert state(RESULT, ASKED).calls == {}


def test_every_record_once_and_in_order(records: list[Record]) -> None:
    s = SessionState()
    s.apply(records[0])
    with pytest.raises(ValueError, match="record 3 after 1"):
        s.apply(records[2])


ANY = st.sampled_from(
    [
        MESSAGE, CALL, ASKED, RESULT, ModelTurn(turn=1), SessionPaused(by="m"), SessionResumed(by="m"),
        SessionStopped(by="m"), SessionDone(), SessionFailed(message="x"), ToolStarted(call_id="c1"),
        ApprovalDecided(call_id="c1", outcome="approved", by="m"), QuestionAsked(call_id="c1", question="?"),
        QuestionAnswered(call_id="c1", outcome="withdrawn"), ModelFailed(message="m", attempt=1),
    ]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(ANY, max_size=25), cut=st.integers(0, 25))
def test_folding_in_two_pieces_gives_what_folding_at_once_gives(sealer: Sealer, events: list[Event], cut: int) -> None:
    records = sealer([START, *events])
    assert fold(records[cut:], fold(records[:cut])) == fold(records)
    s = fold(records)
    assert set(s.unfinished) <= set(s.calls)
    assert (s.status == "waiting") == bool(s.life == "running" and (s.open_approvals or s.open_questions))
