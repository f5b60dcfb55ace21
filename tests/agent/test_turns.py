"""The events that the loop appends."""

from typing import Any

from workbench.agent import turns
from workbench.agent.budget import Budget
from workbench.agent.messages import AskedCall, ProviderError, Reply
from workbench.journal.kinds import ModelFailed, ModelTurn, SessionFailed, ToolCall, ToolResult, Usage
from workbench.journal.state import SessionState, mark


def recorded(desk: Any, *calls: AskedCall, text: str = "") -> tuple[ModelTurn, list[ToolCall]]:
    events = turns.recorded(Reply(text, calls=calls), SessionState(), desk.tools, [4, 5], 12)
    assert isinstance(events[0], ModelTurn)
    return events[0], [e for e in events[1:] if isinstance(e, ToolCall)]


def test_a_turn_with_everything(desk: Any) -> None:
    reply = Reply("text\ud800", "thought", usage=Usage(input_tokens=3), finish="stop", state={"sig": "\udc00"})
    (event,) = turns.recorded(reply, SessionState(turn=6), desk.tools, [4], 12)
    assert event == ModelTurn(
        turn=7, text="text\ufffd", reasoning="thought", usage=Usage(input_tokens=3), finish="stop", duration_ms=12,
        provider_state={"sig": "\ufffd"}, took=[4],
    )  # fmt: skip


def test_neighbouring_reads_share_a_batch(desk: Any) -> None:
    order = ["look", "look", "jot", "jot", "nosuch", "look"]
    _, calls = recorded(desk, *(AskedCall(f"c{n}", tool, "{}") for n, tool in enumerate(order)))
    assert [c.batch for c in calls] == [0, 0, 1, 2, 3, 3]


def test_call_ids_are_kept_when_they_can_be_and_are_always_different(desk: Any) -> None:
    given = ["ok-1", "ok-1", "", "a/b", "call_1_2", "x" * 65, "é"]
    _, calls = recorded(desk, *(AskedCall(i, "look", "{}") for i in given))
    ids = [c.call_id for c in calls]
    assert ids[0] == "ok-1" and len(set(ids)) == len(ids)
    assert all(turns.CALL_ID.fullmatch(i) for i in ids)


def test_an_id_of_an_earlier_turn_is_not_taken_again(desk: Any) -> None:
    desk.begin()
    desk.journal.put(ModelTurn(turn=1), ToolCall(call_id="c", turn=1, tool="look", args={}))
    events = turns.recorded(Reply("", calls=(AskedCall("c", "look", "{}"),)), desk.journal.state, desk.tools, [], 0)
    assert isinstance(events[1], ToolCall) and events[1].call_id == "call_2_1"


def test_a_flood_of_calls_is_cut_and_long_names_too(desk: Any) -> None:
    _, calls = recorded(desk, *(AskedCall("", "x" * 1000, "{}") for _ in range(1000)))
    assert len(calls) == turns.MOST_CALLS and len(calls[0].tool) == 200


def test_what_a_stop_leaves_of_an_answer() -> None:
    stopped = SessionState(life="stopped")
    assert turns.broken_off(["Hal", "f."], stopped) == Reply("Half.", finish="stopped")
    assert turns.broken_off([" "], stopped) is None
    assert turns.broken_off(["Half."], SessionState()) is None


def test_failures_are_tried_again_later_and_later() -> None:
    budget = Budget(retries=(1, 5), patience_s=60)

    def failed(failures: int, **more: Any) -> list[Any]:
        error = ProviderError("no", **{"retryable": True, **more})
        return turns.failed(error, SessionState(failures=failures), budget)

    assert failed(0) == [ModelFailed(message="no", attempt=1, retry_in_s=1)]
    assert failed(1) == [ModelFailed(message="no", attempt=2, retry_in_s=5)]
    assert failed(0, retry_after=30)[0].retry_in_s == 30
    assert failed(1, retry_after=2)[0].retry_in_s == 5
    for end in (failed(2), failed(0, retryable=False), failed(0, retry_after=61)):
        assert end[0].retry_in_s is None and isinstance(end[1], SessionFailed)
    assert failed(2)[1].message == "no It was tried 3 times."


def test_a_call_that_keeps_failing_is_told_so() -> None:
    call = ToolCall(call_id="c", turn=1, tool="look", args={})
    bad = ToolResult(call_id="c", ok=False, data={"error": "no_file", "message": "gone"})
    state = SessionState()
    from workbench.journal.state import CallState

    state.calls["c"] = CallState(1, call)
    assert turns.warned(bad, state, Budget()) is bad
    state.repeated = (mark(call, bad.data), 2)
    warned = turns.warned(bad, state, Budget(same_failure=5))
    assert isinstance(warned, ToolResult) and "3 times in a row; after 5" in warned.data["note"]
    state.repeated = (mark(call, {"error": "other"}), 4)
    assert turns.warned(bad, state, Budget()) is bad
    good = ToolResult(call_id="c", ok=True, data={})
    assert turns.warned(good, state, Budget()) is good


def test_what_is_known_of_an_interrupted_call_is_told() -> None:
    from workbench.journal.kinds import SessionRecovered
    from workbench.journal.state import CallState

    calls = [CallState(n, ToolCall(call_id=c, turn=1, tool="bash", args={})) for n, c in enumerate("ab")]
    changes = {"a": [{"path": "x.py", "change": "changed"}], "b": []}
    recovered, a, b = turns.recovered(calls, changes.__getitem__)
    assert isinstance(recovered, SessionRecovered) and recovered.interrupted == ["a", "b"]
    assert isinstance(a, ToolResult) and a.data["changes"] == changes["a"] and "listed" in a.data["message"]
    assert isinstance(b, ToolResult) and "No change on disk is known" in b.data["message"]
