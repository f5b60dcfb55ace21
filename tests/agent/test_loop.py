"""The loop is a function of the journal (A1-A3, A7, A8, A10, G4)."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.agent.budget import Budget
from workbench.agent.messages import Answer, CallResult, ProviderError, Reply, UserText
from workbench.journal import chain
from workbench.journal.kinds import (
    ApprovalAsked,
    ModeChanged,
    ModelFailed,
    ModelTurn,
    RolledBack,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionRecovered,
    SessionResumed,
    SessionStopped,
    ToolCall,
    ToolStarted,
    UserMessage,
)

Desk = Any
Turn = Callable[..., Reply]


async def test_an_answer_without_calls_ends_the_session(desk: Desk) -> None:
    desk.begin(Reply("All **done**.", finish="stop"))
    assert await desk.advance() == "done"
    assert desk.journal.kinds == ["session_started", "model_turn", "session_done"]
    assert "".join(text for _, text in desk.live.texts) == "All **done**."
    assert desk.model.heard == [[UserText("do it")]]


async def test_a_finished_session_is_not_begun_again(desk: Desk) -> None:
    desk.begin(Reply("Done."))
    await desk.advance()
    before = list(desk.journal.lines)
    assert await desk.advance() == "done"
    assert desk.journal.lines == before and len(desk.model.heard) == 1


async def test_without_a_task_there_is_nothing_to_do(desk: Desk) -> None:
    desk.begin(Reply("?"), task=" ")
    assert await desk.advance() == "done"
    assert desk.model.heard == []
    desk.journal.put(UserMessage(text="hello", by="m"))
    assert await desk.advance() == "done"
    assert desk.model.heard == [[UserText("hello")]]


async def test_a_call_is_in_the_journal_before_it_runs_and_its_result_before_the_model_sees_it(
    desk: Desk, turn: Turn
) -> None:
    desk.begin(turn(("jot", {"text": "one"}), text="I write."), Reply("Written."))
    assert await desk.advance() == "done"
    assert desk.journal.kinds == [
        "session_started", "model_turn", "tool_call", "tool_started", "tool_result", "model_turn", "session_done",
    ]  # fmt: skip
    assert desk.log == ["jot-0:one"]
    assert desk.live.outputs == [("jot-0", b"one")]
    answer, result = desk.model.heard[1][1:]
    assert isinstance(answer, Answer) and isinstance(result, CallResult)
    assert (result.data, result.ok) == ({"written": "one"}, True)
    started = next(e for e in desk.journal.events if isinstance(e, ToolStarted))
    assert started.rule == "test / allow" and started.digest
    assert chain.verify(desk.journal.lines) is None


async def test_reads_of_a_turn_run_at_once_the_others_one_by_one_in_order(desk: Desk, turn: Turn) -> None:
    meeting = threading.Barrier(2, timeout=10)
    look = desk.tools["look"]
    plain = look.run
    look.run = lambda args, ctx: (meeting.wait(), plain(args, ctx))[1]
    (desk.root / "a").write_text("A")
    desk.begin(
        turn(
            ("look", {"path": "a"}, "r1"), ("look", {"path": "b"}, "r2"), ("jot", {"text": "1"}, "w1"),
            ("jot", {"text": "2"}, "w2"), ("look", {"path": "log.txt"}, "r3"), ("look", {"path": "a"}, "r4"),
        ),
        Reply("ok"),
    )  # fmt: skip
    assert await desk.advance() == "done"
    batches = {e.call_id: e.batch for e in desk.journal.events if isinstance(e, ToolCall)}
    assert batches == {"r1": 0, "r2": 0, "w1": 1, "w2": 2, "r3": 3, "r4": 3}
    assert list(desk.journal.results) == ["r1", "r2", "w1", "w2", "r3", "r4"]
    assert desk.journal.results["r3"].data == {"content": "w1:1\nw2:2\n"}
    assert desk.journal.results["r2"].data["error"] == "no_file" and not desk.journal.results["r2"].ok


async def test_what_asks_waits_in_the_journal_and_runs_once_when_approved(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("Sent."))
    assert await desk.advance() == "waiting"
    asked = desk.journal.events[-1]
    assert isinstance(asked, ApprovalAsked) and asked.args is None
    assert (asked.reasons, asked.rule) == (["It reaches other people."], "test / ask")
    assert [(e["verb"], e["target"], e["detail"]) for e in asked.effects] == [("external", "people", "hi")]
    before = len(desk.journal.lines)
    assert await desk.advance() == "waiting"
    assert len(desk.journal.lines) == before and desk.log == []
    desk.decide("approved")
    assert await desk.advance() == "done"
    assert desk.log == ["send-0:hi"]


async def test_reads_beside_a_call_that_asks_go_on(desk: Desk, turn: Turn) -> None:
    desk.tools["send"].__class__.reads_only = True
    try:
        desk.begin(turn(("look", {"path": "x"}), ("send", {"text": "hi"}), ("look", {"path": "y"})), Reply("ok"))
        assert await desk.advance() == "waiting"
        assert set(desk.journal.results) == {"look-0", "look-2"} and desk.log == []
    finally:
        desk.tools["send"].__class__.reads_only = False


async def test_nothing_with_effects_passes_a_call_that_waits(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"}), ("jot", {"text": "later"})), Reply("ok"))
    assert await desk.advance() == "waiting"
    assert desk.log == []
    desk.decide("rejected", reason="not today")
    assert await desk.advance() == "done"
    assert desk.log == ["jot-1:later"]


async def test_a_rejection_reaches_the_model_with_its_reason(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("I see."))
    await desk.advance()
    desk.decide("rejected", reason="write it in French")
    assert await desk.advance() == "done"
    result = desk.model.heard[1][-1]
    assert result.data["error"] == "rejected" and "write it in French" in result.data["message"]
    assert desk.log == []


@pytest.mark.parametrize(("outcome", "error"), [("expired", "approval_required"), ("withdrawn", "interrupted")])
async def test_an_approval_that_nobody_gave(desk: Desk, turn: Turn, outcome: str, error: str) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("I see."))
    await desk.advance()
    desk.decide(outcome)
    assert await desk.advance() == "done"
    assert desk.journal.results["send-0"].data["error"] == error and desk.log == []


async def test_a_denial_says_which_rule(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("jot", {"text": "forbidden"})), Reply("I see."))
    assert await desk.advance() == "done"
    data = desk.journal.results["jot-0"].data
    assert (data["error"], data["rule"], data["reasons"]) == ("denied", "test / deny", ["That is forbidden."])
    assert desk.log == [] and desk.started("jot-0") == 0


async def test_edited_arguments_run_and_the_model_is_told(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("ok"))
    await desk.advance()
    desk.decide("approved", args={"text": "good day"}, digest=await digest_of(desk, {"text": "good day"}))
    assert await desk.advance() == "done"
    assert desk.log == ["send-0:good day"]
    assert desk.model.heard[1][-1].data["arguments_changed_by_person"] == {"text": "good day"}


async def digest_of(desk: Desk, args: dict[str, Any]) -> str:
    from workbench.agent.scheduler import judge
    from workbench.policy.call import Mode

    verdict = judge(desk.box(), ToolCall(call_id="x", turn=1, tool="send", args=args), Mode.ASK)
    return verdict.digest


async def test_edited_arguments_that_a_rule_denies_do_not_run(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("ok"))
    await desk.advance()
    desk.decide("approved", args={"text": "forbidden"}, digest="whatever")
    assert await desk.advance() == "done"
    assert desk.journal.results["send-0"].data["error"] == "denied" and desk.log == []


async def test_edited_arguments_whose_digest_does_not_fit_are_asked_about_again(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("ok"))
    await desk.advance()
    desk.decide("approved", args={"text": "good day"})
    assert await desk.advance() == "waiting"
    asked = desk.journal.events[-1]
    assert isinstance(asked, ApprovalAsked) and asked.args == {"text": "good day"}
    assert desk.log == []
    desk.decide("approved")
    assert await desk.advance() == "done"
    assert desk.log == ["send-0:good day"]


async def test_what_was_shown_is_what_runs(desk: Desk, turn: Turn) -> None:
    """A script that changed between approval and run is a new approval."""
    (desk.root / "script.txt").write_text("harmless")
    desk.begin(turn(("send", {"text": "run script.txt"})), Reply("ok"))
    await desk.advance()
    desk.decide("approved")
    (desk.root / "script.txt").write_text("rm -rf")
    assert await desk.advance() == "waiting"
    asked = desk.journal.events[-1]
    assert isinstance(asked, ApprovalAsked) and "no longer what was approved" in asked.reasons[0]
    assert desk.log == []
    desk.decide("approved")
    assert await desk.advance() == "done"
    assert desk.log == ["send-0:run script.txt"]


async def test_a_mode_that_was_narrowed_meanwhile_counts(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("ok"))
    await desk.advance()
    desk.decide("approved")
    desk.journal.put(ModeChanged(mode="plan", by="m"))
    assert await desk.advance() == "done"
    assert desk.journal.results["send-0"].data["error"] == "denied" and desk.log == []
    assert desk.model.systems[-1] == "You are in plan mode."
    assert desk.model.heard[-1][-1] == UserText("[A person switched the session to plan mode.]")


async def test_a_question_waits_and_its_answer_is_the_result(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("ask_user", {"question": "Which?", "options": ["red", "blue"]})), Reply("ok"))
    assert await desk.advance() == "waiting"
    assert [o["label"] for o in desk.journal.state.open_questions[0].question.options] == ["red", "blue"]
    assert await desk.advance() == "waiting"
    desk.answer("blue")
    assert await desk.advance() == "done"
    assert desk.model.heard[1][-1].data == {"answer": "blue"}


@pytest.mark.parametrize("outcome", ["withdrawn", "expired"])
async def test_a_question_that_nobody_answers(desk: Desk, turn: Turn, outcome: str) -> None:
    desk.begin(turn(("ask_user", {"question": "Which?"})), Reply("ok"))
    await desk.advance()
    desk.answer("", outcome)
    assert await desk.advance() == "done"
    assert desk.journal.results["ask_user-0"].data["outcome"] == outcome


async def test_a_message_is_never_consent(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("ok"))
    await desk.advance()
    for text in ("do NOT run that", "yes, I approve, go ahead!"):
        desk.journal.put(UserMessage(text=text, by="m", delivery="steer"))
        assert await desk.advance() == "waiting"
    assert desk.log == [] and len(desk.journal.state.open_approvals) == 1
    desk.decide("rejected")
    assert await desk.advance() == "done"
    assert desk.model.heard[1][-2:] == [UserText("do NOT run that"), UserText("yes, I approve, go ahead!")]


async def test_a_steering_message_is_read_at_the_next_step_a_queued_one_when_the_model_would_end(
    desk: Desk, turn: Turn
) -> None:
    def interrupt(_: Any) -> Reply:
        desk.journal.put(UserMessage(text="later", by="m"), UserMessage(text="now", by="m", delivery="steer"))
        return turn(("jot", {"text": "1"}, "a"))

    desk.begin(interrupt, turn(("jot", {"text": "2"}, "b")), Reply("would end"), Reply("end"))
    assert await desk.advance() == "done"
    said = [[m.text for m in heard if isinstance(m, UserText)] for heard in desk.model.heard]
    assert said == [["do it"], ["do it", "now"], ["do it", "now"], ["do it", "now", "later"]]
    kinds = [type(m).__name__ for m in desk.model.heard[-1]]
    assert kinds == ["UserText", "Answer", "CallResult", "UserText", "Answer", "CallResult", "Answer", "UserText"]


async def test_a_message_that_arrives_as_the_model_ends_is_not_lost(desk: Desk) -> None:
    desk.begin(Reply("end"), Reply("end again"))

    def late(events: Any) -> None:
        if isinstance(events[0], SessionDone) and len(desk.model.heard) == 1:
            desk.journal.before_append = lambda events: None
            desk.journal.put(UserMessage(text="one more thing", by="m"))

    desk.journal.before_append = late
    assert await desk.advance() == "done"
    assert desk.model.heard[-1][-1] == UserText("one more thing")
    assert desk.journal.kinds.count("session_done") == 1


async def test_a_message_opens_a_finished_session_again(desk: Desk) -> None:
    desk.begin(Reply("end"), Reply("end again"))
    await desk.advance()
    desk.journal.put(UserMessage(text="and?", by="m"))
    assert await desk.advance() == "done"
    assert desk.model.heard[-1] == [UserText("do it"), Answer("end"), UserText("and?")]


async def test_the_model_is_told_what_a_person_took_back(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("jot", {"text": "1"})), Reply("end"), Reply("I see"))
    await desk.advance()
    desk.journal.put(RolledBack(call_id="jot-0", version=1, new_version=2, path="log.txt", by="m"))
    assert await desk.advance() == "done"
    assert len(desk.model.heard) == 2, "a rollback alone wakes nobody"
    desk.journal.put(UserMessage(text="go on", by="m"))
    await desk.advance()
    note, message = desk.model.heard[-1][-2:]
    assert "took back your change of log.txt" in note.text and message == UserText("go on")


async def test_pause_takes_hold_at_the_next_step_and_resume_goes_on(desk: Desk, turn: Turn) -> None:
    def pause(_: Any) -> Reply:
        desk.journal.put(SessionPaused(by="m"))
        return turn(("jot", {"text": "1"}))

    desk.begin(pause, Reply("end"))
    assert await desk.advance() == "paused"
    assert desk.log == [] and desk.journal.kinds[-2:] == ["model_turn", "tool_call"]
    desk.journal.put(SessionResumed(by="m"))
    assert await desk.advance() == "done"
    assert desk.log == ["jot-0:1"]


async def test_a_stop_that_comes_between_decision_and_start_is_heard(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("jot", {"text": "1"})), Reply("end"))

    def stop_first(events: Any) -> None:
        if isinstance(events[0], ToolStarted):
            desk.journal.before_append = lambda events: None
            desk.journal.put(SessionStopped(by="m"))

    desk.journal.before_append = stop_first
    assert await desk.advance() == "stopped"
    assert desk.log == [] and desk.started("jot-0") == 0
    assert desk.journal.results["jot-0"].data["error"] == "interrupted"


async def test_a_stop_ends_a_running_call_within_a_second(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("hang", {}), ("jot", {"text": "never"})), Reply("on we go"))
    running = asyncio.create_task(desk.advance())
    assert await asyncio.to_thread(desk.tools["hang"].started.wait, 10)
    desk.journal.put(SessionStopped(by="m"))
    began = time.monotonic()
    desk.halt.now()
    assert await running == "stopped"
    assert time.monotonic() - began < 1
    assert desk.journal.results["hang-0"].data["stopped"] is True
    assert desk.journal.results["jot-1"].data["error"] == "interrupted" and desk.log == []
    desk.journal.put(SessionResumed(by="m"))
    assert await desk.advance() == "done"
    assert desk.log == [] and "lets you go on" in desk.model.heard[-1][-1].text


async def test_a_stop_ends_the_stream_and_keeps_what_was_said(desk: Desk) -> None:
    desk.begin(Reply("A long answer that nobody wants."), Reply("Shorter."))
    streaming = asyncio.Event()

    async def pause() -> None:
        streaming.set()
        await asyncio.sleep(30)

    desk.model.pause = pause
    running = asyncio.create_task(desk.advance())
    await streaming.wait()
    desk.journal.put(SessionStopped(by="m"))
    desk.halt.now()
    assert await asyncio.wait_for(running, 1) == "stopped"
    last = desk.journal.events[-1]
    assert isinstance(last, ModelTurn) and (last.text, last.finish) == ("A lon", "stopped")
    desk.model.pause = None
    desk.journal.put(UserMessage(text="be brief", by="m"))
    assert await desk.advance() == "done"
    assert desk.model.heard[-1] == [UserText("do it"), Answer("A lon"), UserText("be brief")]


async def test_a_stop_while_it_waits_closes_what_is_open(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("I see."))
    await desk.advance()
    desk.journal.put(SessionStopped(by="m"))
    assert await desk.advance() == "stopped"
    assert desk.journal.kinds[-2:] == ["approval_decided", "tool_result"]
    assert desk.journal.state.calls["send-0"].decided.outcome == "withdrawn"
    assert await desk.advance() == "stopped"
    desk.journal.put(UserMessage(text="something else", by="m"))
    assert await desk.advance() == "done"
    assert desk.log == []


async def test_a_stop_and_a_message_at_once_still_abandon_what_was_open(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"}), ("ask_user", {"question": "?"})), Reply("I see."))
    await desk.advance()
    desk.journal.put(SessionStopped(by="m"), UserMessage(text="something else", by="m"))
    assert await desk.advance() == "done"
    assert desk.log == [] and len(desk.journal.results) == 2


async def test_an_approval_that_crosses_with_a_stop_runs_nothing(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("send", {"text": "hi"})), Reply("I see."))
    await desk.advance()
    desk.journal.put(SessionStopped(by="a"))
    desk.decide("approved", "send-0")
    assert await desk.advance() == "stopped"
    assert desk.log == [] and desk.journal.results["send-0"].data["error"] == "interrupted"


async def test_a_shutdown_halts_and_the_next_run_goes_on(desk: Desk, turn: Turn) -> None:
    desk.begin(Reply("An answer."))
    streaming = asyncio.Event()

    async def pause() -> None:
        streaming.set()
        await asyncio.sleep(30)

    desk.model.pause = pause
    running = asyncio.create_task(desk.advance())
    await streaming.wait()
    desk.halt.now()
    assert await asyncio.wait_for(running, 1) == "halted"
    assert desk.journal.kinds == ["session_started"]
    desk.model.pause = None
    assert await desk.advance() == "done"


async def test_a_call_that_a_shutdown_stops_does_not_blame_a_person(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("hang", {})), Reply("end"))
    running = asyncio.create_task(desk.advance())
    assert await asyncio.to_thread(desk.tools["hang"].started.wait, 10)
    desk.halt.now()
    assert await asyncio.wait_for(running, 1) == "halted"
    assert "nobody decided to stop it" in desk.journal.results["hang-0"].data["message"]
    assert await desk.advance() == "done"
    assert desk.started("hang-0") == 1


async def test_a_runner_that_lost_its_lease_appends_nothing(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("jot", {"text": "1"})), Reply("end"))
    desk.journal.lease = 7
    assert await desk.advance(lease=6) == "lost"
    assert desk.journal.kinds == ["session_started"] and desk.log == []
    assert await desk.advance(lease=7) == "done"


async def test_a_failing_model_is_tried_again_and_then_said_to_have_failed(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [ProviderError("overloaded", retryable=True) for _ in range(3)]
    assert await desk.advance() == "done"
    tries = [(e.attempt, e.retry_in_s) for e in desk.journal.events if isinstance(e, ModelFailed)]
    assert tries == [(1, 0), (2, 0), (3, 0)]
    assert len(desk.model.heard) == 4


async def test_a_model_that_never_answers_fails_the_session_and_a_resume_tries_again(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [ProviderError("nobody there", retryable=True) for _ in range(4)]
    assert await desk.advance() == "failed"
    failure = desk.journal.events[-1]
    assert isinstance(failure, SessionFailed) and failure.message == "nobody there It was tried 4 times."
    desk.journal.put(SessionResumed(by="m"))
    assert await desk.advance() == "done"


async def test_a_key_that_is_refused_is_not_tried_again(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [ProviderError("refuses the key", retryable=False)]
    assert await desk.advance() == "failed"
    assert len(desk.model.heard) == 1 and desk.journal.state.error == "refuses the key"


async def test_an_endpoint_that_asks_for_too_long_a_wait_is_not_waited_for(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [ProviderError("slow down", retryable=True, retry_after=3600)]
    assert await desk.advance() == "failed"


async def test_it_waits_as_long_as_the_endpoint_asks_also_after_a_restart(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [ProviderError("slow down", retryable=True, retry_after=0.6)]
    began = time.monotonic()
    running = asyncio.create_task(desk.advance())
    await asyncio.sleep(0.2)
    desk.halt.now()
    assert await running == "halted" and len(desk.model.heard) == 1
    assert await desk.advance() == "done"
    assert 0.5 < time.monotonic() - began < 5


@pytest.mark.parametrize("said", [UserMessage(text="try now", by="m"), SessionPaused(by="m")])
async def test_a_person_is_heard_during_the_wait_between_two_tries(
    desk: Desk, said: UserMessage | SessionPaused
) -> None:
    desk.begin(Reply("end"), Reply("end"))
    desk.budget = Budget(patience_s=60)
    desk.model.faults = [ProviderError("slow down", retryable=True, retry_after=60)]
    running = asyncio.create_task(desk.advance())
    await asyncio.sleep(0.2)
    desk.journal.put(said)
    began = time.monotonic()
    assert await running == ("paused" if isinstance(said, SessionPaused) else "done")
    assert time.monotonic() - began < 10


async def test_a_provider_that_breaks_in_its_own_way_does_not_break_the_loop(desk: Desk) -> None:
    desk.begin(Reply("end"))
    desk.model.faults = [KeyError("choices")]
    assert await desk.advance() == "failed"
    assert "KeyError" in desk.journal.state.error


async def test_a_call_that_asks_and_a_stream_that_breaks_off_run_nothing_twice(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("jot", {"text": "1"}, "a")), turn(("jot", {"text": "2"}, "b")), Reply("end"))
    broken = ProviderError("broke off", retryable=True)
    desk.model.faults = [broken]
    assert await desk.advance() == "done"
    assert desk.log == ["a:1", "b:2"]


async def test_a_defect_in_a_tool_is_a_result_and_the_session_goes_on(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("boom", {}), ("boom", {"text": "early"}), ("jot", {"text": "1"})), Reply("end"))
    assert await desk.advance() == "done"
    for call in ("boom-0", "boom-1"):
        data = desk.journal.results[call].data
        assert data["error"] == "io" and "defect of the workbench" in data["message"]
    assert desk.log == ["jot-2:1"]


async def test_pictures_are_kept_by_hash_and_shown_to_the_model(desk: Desk, turn: Turn) -> None:
    desk.begin(turn(("show", {})), Reply("nice"))
    assert await desk.advance() == "done"
    assert desk.journal.results["show-0"].media[0].sha256 == "h"
    (picture,) = desk.model.heard[1][-1].media
    assert (picture.mime, picture.data, picture.name) == ("image/png", b"picture", "p.png")


async def test_budgets_end_a_session_until_somebody_speaks(desk: Desk, turn: Turn) -> None:
    from dataclasses import replace

    desk.budget = replace(desk.budget, turns=2)
    desk.begin(*(turn(("jot", {"text": str(n)}, f"c{n}")) for n in range(3)), Reply("end"))
    assert await desk.advance() == "failed"
    assert desk.log == ["c0:0", "c1:1"] and "2 model turns" in desk.journal.state.error
    desk.journal.put(UserMessage(text="go on", by="m"))
    assert await desk.advance() == "done"
    assert len(desk.log) == 3


async def test_the_same_failing_call_is_warned_about_and_then_ends_the_session(desk: Desk, turn: Turn) -> None:
    desk.begin(*(turn(("look", {"path": "nowhere"}, f"c{n}")) for n in range(9)))
    assert await desk.advance() == "failed"
    assert len(desk.journal.results) == 5 and "same failing call 5 times" in desk.journal.state.error
    notes = ["note" in r.data for r in desk.journal.results.values()]
    assert notes == [False, False, True, True, True]


# crashes


def scenario(desk: Desk, turn: Turn) -> None:
    """Something of everything."""
    (desk.root / "a").write_text("A")
    desk.begin(
        turn(("look", {"path": "a"}, "r1"), ("look", {"path": "b"}, "r2")),
        turn(("jot", {"text": "1"}, "w1"), ("look", {"path": "a"}, "r3"), ("jot", {"text": "2"}, "w2")),
        turn(("send", {"text": "hi"}, "s1"), ("jot", {"text": "3"}, "w3")),
        turn(("ask_user", {"question": "Which colour?"}, "q1"), ("look", {"path": "a"}, "r4")),
        turn(("jot", {"text": "forbidden"}, "w4"), ("boom", {}, "b1"), ("nosuch", {}, "n1")),
        Reply("The end.", finish="stop"),
    )


async def crash_and_go_on(desk: Desk, turn: Turn, crash: type[BaseException], points: list[tuple[int, str]]) -> None:
    """Run the scenario through crashes, each at the n-th append since the one before."""
    scenario(desk, turn)
    for point in points:
        desk.journal.crash, desk.journal.appends = point, 0
        try:
            while await desk.advance() == "waiting":
                desk.person()
        except crash:
            desk.journal = type(desk.journal)(desk.journal.lines)
        else:
            break
    desk.journal.crash = None
    assert await desk.drive() == "done"
    check(desk)


def check(desk: Desk) -> None:
    journal = desk.journal
    assert chain.verify(journal.lines) is None
    assert journal.kinds.count("session_done") == 1 and journal.kinds[-1] == "session_done"
    assert [e.text for e in journal.events if isinstance(e, ModelTurn)][-1] == "The end."
    assert set(journal.results) == {"r1", "r2", "r3", "r4", "w1", "w2", "w3", "w4", "s1", "q1", "b1", "n1"}
    assert len([e for e in journal.events if e.kind == "tool_result"]) == 12, "one result a call"
    cut = {call for e in journal.events if isinstance(e, SessionRecovered) for call in e.interrupted}
    for call in ("w1", "w2", "w3", "s1"):
        ran = sum(line.startswith(f"{call}:") for line in desk.log)
        assert ran <= 1, f"{call} ran twice"
        assert ran == 1 or call in cut
        assert desk.started(call) == 1
        assert (journal.results[call].data.get("error") == "interrupted") == (call in cut)
    assert not any(line.startswith("w4:") for line in desk.log)
    assert journal.results["r1"].data == {"content": "A"} and journal.results["q1"].data == {"answer": "blue"}


async def test_the_scenario_without_a_crash(desk: Desk, turn: Turn, crash: type[BaseException]) -> None:
    await crash_and_go_on(desk, turn, crash, [])
    assert desk.log == ["w1:1", "w2:2", "s1:hi", "w3:3"]
    assert desk.journal.appends <= 40


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_at_every_append(
    desk: Desk, turn: Turn, crash: type[BaseException], when: str, tmp_path: Any
) -> None:
    """Nothing is lost, nothing runs twice, wherever the process dies."""
    scenario(desk, turn)
    assert await desk.drive() == "done"
    appends = desk.journal.appends
    assert appends > 20
    for number in range(1, appends + 1):
        desk.root = tmp_path / f"{when}{number}"
        desk.root.mkdir()
        desk.journal = type(desk.journal)()
        await crash_and_go_on(desk, turn, crash, [(number, when)])


async def test_the_journal_cut_after_every_append(desk: Desk, turn: Turn, tmp_path: Any) -> None:
    """A new process that finds only the first n appends comes to the same end."""
    scenario(desk, turn)
    assert await desk.drive() == "done"
    lines, ends, model = desk.journal.lines, desk.journal.ends, desk.model
    for length in (1, *ends):
        desk.root = tmp_path / f"prefix{length}"
        desk.root.mkdir()
        (desk.root / "a").write_text("A")
        desk.journal, desk.model = type(desk.journal)(lines[:length]), type(model)(*model.turns)
        done = [c for c, r in desk.journal.results.items() if c[0] in "ws" and r.ok]
        (desk.root / "log.txt").write_text("".join(f"{c}:\n" for c in done))
        assert await desk.drive() == "done"
        check(desk)


POINT = st.tuples(st.integers(1, 12), st.sampled_from(["before", "after"]))


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(points=st.lists(POINT, min_size=2, max_size=6))
def test_any_number_of_crashes(
    desk: Desk, turn: Turn, crash: type[BaseException], tmp_path_factory: Any, points: list[tuple[int, str]]
) -> None:
    desk.root = tmp_path_factory.mktemp("crashes")
    desk.journal = type(desk.journal)()
    asyncio.run(crash_and_go_on(desk, turn, crash, points))


async def test_a_call_that_was_cut_off_is_told_with_what_changed_on_disk(
    desk: Desk, turn: Turn, crash: type[BaseException]
) -> None:
    desk.begin(turn(("jot", {"text": "1"}, "w1")), Reply("end"))
    desk.journal.crash = (3, "before")  # turn, start, result
    with pytest.raises(crash):
        await desk.advance()
    desk.journal = type(desk.journal)(desk.journal.lines)
    desk.changes = {"w1": [{"path": "log.txt", "change": "created"}]}
    assert await desk.advance() == "done"
    result = desk.model.heard[-1][-1]
    assert result.data["error"] == "interrupted" and result.data["changes"] == desk.changes["w1"]
    assert desk.log == ["w1:1"], "it ran once, before the crash"


async def test_a_read_that_was_cut_off_simply_runs_again(desk: Desk, turn: Turn, crash: type[BaseException]) -> None:
    (desk.root / "a").write_text("A")
    desk.begin(turn(("look", {"path": "a"}, "r1")), Reply("end"))
    desk.journal.crash = (3, "before")
    with pytest.raises(crash):
        await desk.advance()
    desk.journal = type(desk.journal)(desk.journal.lines)
    assert await desk.advance() == "done"
    assert desk.journal.results["r1"].data == {"content": "A"}
    assert "session_recovered" not in desk.journal.kinds


async def test_a_thousand_fuzzed_calls_are_ordinary_errors(desk: Desk, rounds: Callable[[int], int]) -> None:
    """Broken JSON, NaN, depth, lone surrogates, huge strings, unknown tools, duplicated ids (issue: 10,000)."""
    import random

    from workbench.agent.messages import AskedCall

    dice = random.Random(3)
    tools = ["look", "jot", "nosuch", "", "jot\n", "\ud800", "x" * 5000]
    raw = [
        "", "{", "null", "[]", '"x"', "{}", '{"text": NaN}', '{"text": 1e999}', '{"text": "\\ud800"}', "\ud800",
        "[" * 10_000, '{"a":' * 10_000, '{"text": "a"} trailing', {"text": float("nan")}, {"text": "\udcff"}, None, 7,
        {1: 2}, {"text": {"deep": [[[[]]]]}}, '{"text": "' + "y" * 10_000_000 + '"}',
        '{"path": "' + "z" * 100_000 + '"}',
        '{"text": "a", "extra": 1}', b"bytes", {"text": object()}, "9" * 5000, '{"text": "\\u0000\\u001b[31m"}',
    ]  # fmt: skip
    ids = ["", "same", "same", "../../x", "a b", "\ud800", "x" * 100]
    turns = max(1, rounds(10_000) // 100)
    made = [
        Reply(
            "\ud800", calls=tuple(AskedCall(dice.choice(ids), dice.choice(tools), dice.choice(raw)) for _ in range(100))
        )
        for _ in range(turns)
    ]
    desk.budget = type(desk.budget)(same_failure=0)
    desk.begin(*made, Reply("still here"))
    assert await desk.advance() == "done"
    calls = [e for e in desk.journal.events if isinstance(e, ToolCall)]
    assert len(calls) == 100 * turns == len({c.call_id for c in calls})
    assert len(desk.journal.results) == len(calls)
    assert {r.data["error"] for r in desk.journal.results.values() if not r.ok} <= {
        "bad_args",
        "unsupported",
        "no_file",
    }
    assert chain.verify(desk.journal.lines) is None
    assert max(len(str(line)) for line in desk.journal.lines) < 250_000
