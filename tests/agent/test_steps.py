"""What comes next is a pure function of the session's state."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from workbench.agent.budget import Budget
from workbench.agent.steps import (
    AT_ONCE,
    AskModel,
    Close,
    Fail,
    Finish,
    Recover,
    Rest,
    Step,
    WaitUntil,
    Work,
    next_step,
)
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModelFailed,
    ModelTurn,
    RolledBack,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionResumed,
    SessionStopped,
    ToolCall,
    ToolResult,
    ToolStarted,
    UserMessage,
)

NOW = datetime(2030, 1, 1, tzinfo=UTC)
TURN = ModelTurn(turn=1)


def call(name: str, tool: str = "jot", batch: int = 0) -> ToolCall:
    return ToolCall(call_id=name, turn=1, tool=tool, args={}, batch=batch)


def result(name: str) -> ToolResult:
    return ToolResult(call_id=name, ok=True, data={})


@pytest.fixture
def step(desk: Any) -> Callable[..., Step]:
    def next_after(*events: Event, task: str = "do it", budget: Budget | None = None, now: datetime = NOW) -> Step:
        desk.journal = type(desk.journal)()
        desk.begin(task=task)
        desk.journal.put(*events)
        return next_step(desk.journal.state, desk.tools, budget or Budget(), now)

    return next_after


Next = Callable[..., Step]


def names(step: Step) -> list[str]:
    assert isinstance(step, Work | Close | Recover)
    return [c.call.call_id for c in step.calls]


def test_a_new_session_asks_the_model(step: Next) -> None:
    assert step() == AskModel([])


def test_a_whole_answer_is_the_end(step: Next) -> None:
    assert step(TURN) == Finish("finished")
    assert step(ModelTurn(turn=1, finish="length")) == Finish("length")


def test_nothing_to_do_is_the_end(step: Next) -> None:
    assert step(task="  ") == Finish("there is no task yet")


def test_calls_of_one_batch_go_together_the_next_batch_after_it(step: Next) -> None:
    calls = [call("a", "look"), call("b", "look"), call("c", batch=1)]
    assert names(step(TURN, *calls)) == ["a", "b"]
    assert names(step(TURN, *calls, result("b"))) == ["a"]
    assert names(step(TURN, *calls, result("a"), result("b"))) == ["c"]
    assert step(TURN, *calls, *map(result, "abc")) == AskModel([])


def test_a_large_batch_goes_in_pieces(step: Next) -> None:
    assert len(names(step(TURN, *(call(f"c{n}", "look") for n in range(30))))) == AT_ONCE


def test_an_open_approval_holds_up_what_comes_after_it(step: Next) -> None:
    asked = ApprovalAsked(call_id="a", digest="d")
    assert step(TURN, call("a"), call("b", batch=1), asked) == Rest("waiting")
    decided = ApprovalDecided(call_id="a", outcome="rejected", by="m")
    assert names(step(TURN, call("a"), call("b", batch=1), asked, decided)) == ["a"]


def test_a_call_that_was_cut_off_is_reported_unless_it_only_reads(step: Next) -> None:
    cut = step(TURN, call("a"), ToolStarted(call_id="a"))
    assert isinstance(cut, Recover) and names(cut) == ["a"]
    again = step(TURN, call("a", "look"), ToolStarted(call_id="a"))
    assert isinstance(again, Work) and names(again) == ["a"]
    gone = step(TURN, call("a", "a_tool_that_was_removed"), ToolStarted(call_id="a"))
    assert isinstance(gone, Recover)


def test_a_stop_closes_what_is_open_and_then_rests(step: Next) -> None:
    stopped = step(TURN, call("a"), SessionStopped(by="m"))
    assert isinstance(stopped, Close) and names(stopped) == ["a"]
    assert step(TURN, call("a"), SessionStopped(by="m"), result("a")) == Rest("stopped")
    assert isinstance(step(TURN, call("a"), SessionStopped(by="m"), SessionResumed(by="m")), Close)


def test_a_pause_rests_whatever_is_open(step: Next) -> None:
    assert step(TURN, call("a"), SessionPaused(by="m")) == Rest("paused")


def test_a_resumed_session_goes_on_where_it_was(step: Next) -> None:
    resumed = SessionResumed(by="m")
    assert step(SessionFailed(message="x"), resumed) == AskModel([])
    assert isinstance(step(ModelTurn(turn=1, finish="stopped"), SessionStopped(by="m"), resumed), AskModel)
    assert step(TURN, resumed) == Finish("finished")


def test_messages_are_brought_along(step: Next) -> None:
    queue, steer = UserMessage(text="q", by="m"), UserMessage(text="s", by="m", delivery="steer")
    assert step(TURN, queue, steer) == AskModel([3, 4])
    assert step(TURN, call("a"), queue, steer, result("a")) == AskModel([5])
    assert step(TURN, call("a"), result("a"), queue, SessionFailed(message="x"), SessionResumed(by="m")) == AskModel(
        [5]
    )


def test_a_rollback_is_told_with_the_next_request_but_makes_none(step: Next) -> None:
    back = RolledBack(call_id="a", version=1, new_version=2, path="p", by="m")
    assert step(TURN, call("a"), result("a"), back) == AskModel([5])
    assert step(TURN, call("a"), result("a"), ModelTurn(turn=2), back) == Finish("finished")


def test_a_retry_waits_for_its_moment(step: Next, desk: Any) -> None:
    failed = ModelFailed(message="x", attempt=1, retry_in_s=60)
    waits = step(failed, now=datetime.now(UTC))
    assert isinstance(waits, WaitUntil)
    assert step(failed, now=datetime.now(UTC) + timedelta(seconds=61)) == AskModel([])


def test_a_budget_ends_it_before_the_next_request_not_before_a_result(step: Next) -> None:
    one = Budget(turns=1)
    assert isinstance(step(TURN, call("a"), budget=one), Work)
    assert isinstance(step(TURN, call("a"), result("a"), budget=one), Fail)
    assert step(TURN, budget=one) == Finish("finished")
    assert isinstance(step(TURN, UserMessage(text="go on", by="m"), budget=one), AskModel)


def test_a_session_is_done_only_once(step: Next) -> None:
    assert step(TURN, SessionDone()) == Rest("done")
