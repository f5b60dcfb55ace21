"""parse -> call -> decide -> run, in one place (A2, A10, G4)."""

import threading
from typing import Any

import pytest

from workbench.agent.scheduler import Asks, Ready, Settled, ask, consider, judge, perform, run_now, start
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    QuestionAnswered,
    QuestionAsked,
    ToolCall,
    ToolResult,
)
from workbench.journal.state import CallState
from workbench.policy.call import Mode


def call(tool: str, args: Any) -> ToolCall:
    return ToolCall(call_id="c1", turn=1, tool=tool, args=args)


def data(verdict: Any) -> dict[str, Any]:
    assert isinstance(verdict, Settled) and not verdict.ok
    return verdict.data


def test_what_may_run_what_asks_and_what_is_denied(desk: Any) -> None:
    box = desk.box()
    assert isinstance(judge(box, call("jot", {"text": "a"}), Mode.ASK), Ready)
    assert isinstance(judge(box, call("send", {"text": "a"}), Mode.ASK), Asks)
    assert data(judge(box, call("jot", {"text": "a"}), Mode.PLAN))["error"] == "denied"
    assert desk.log == [], "judging does nothing"


def test_an_unknown_tool_is_answered_with_the_nearest_names(desk: Any) -> None:
    message = data(judge(desk.box(), call("jott", {}), Mode.ASK))["message"]
    assert "Did you mean jot?" in message and "There are: look, jot, send, hang, boom, show, ask_user." in message
    assert "Did you mean" not in data(judge(desk.box(), call("zzzzzz", {}), Mode.ASK))["message"]


@pytest.mark.parametrize("args", ["{", "[]", {"text": 7}, {"txt": "a"}, '{"text": NaN}', {"text": ["a"]}, 7, None])
def test_bad_arguments_are_answered_and_run_nothing(desk: Any, args: Any) -> None:
    assert data(judge(desk.box(), call("jot", args), Mode.ASK))["error"] == "bad_args"


def test_a_workspace_that_vanished_is_said_to_be_gone(desk: Any) -> None:
    desk.root.rmdir()
    for tool, args in (("look", {"path": "a"}), ("jot", {"text": "a"})):
        answer = data(judge(desk.box(), call(tool, args), Mode.ASK))
        assert answer["error"] == "no_file" and "is gone" in answer["message"]


def test_a_defect_while_judging_is_logged_and_answered(desk: Any, caplog: pytest.LogCaptureFixture) -> None:
    answer = data(judge(desk.box(), call("boom", {"text": "early"}), Mode.ASK))
    assert answer["error"] == "io" and "RuntimeError: a defect while judging" in answer["message"]
    assert "Traceback" in caplog.text


def test_the_digest_names_the_exact_call(desk: Any) -> None:
    def digest(args: Any, tool: str = "send") -> str:
        verdict = judge(desk.box(), call(tool, args), Mode.ASK)
        assert isinstance(verdict, Ready | Asks)
        return verdict.digest

    assert digest({"text": "a"}) == digest('{ "text" : "a" }')
    others = {digest({"text": "a"}), digest({"text": "a "}), digest({"text": "a"}, "jot"), digest({})}
    assert len(others) == 4
    (desk.root / "script.txt").write_text("x")
    assert digest({"text": "a"}) not in others


def asked(desk: Any, text: str = "a") -> CallState:
    state = CallState(1, call("send", {"text": text}))
    verdict = consider(desk.box(), state, Mode.ASK)
    assert isinstance(verdict, Asks)
    state.asked, state.phase = ask(state, verdict), "asked"
    return state


def decided(desk: Any, outcome: Any, **more: Any) -> CallState:
    state = asked(desk)
    state.decided = ApprovalDecided(call_id="c1", outcome=outcome, by="m", **more)
    state.args = more.get("args")
    return state


def test_what_is_asked_says_why_and_what_it_would_do(desk: Any) -> None:
    event = asked(desk).asked
    assert isinstance(event, ApprovalAsked)
    assert (event.reasons, event.rule, event.cwd) == (["It reaches other people."], "test / ask", str(desk.root))
    assert event.effects[0]["verb"] == "external"


def test_an_approved_call_is_ready_exactly_as_approved(desk: Any) -> None:
    state = decided(desk, "approved")
    verdict = consider(desk.box(), state, Mode.ASK)
    assert isinstance(verdict, Ready) and state.asked and verdict.digest == state.asked.digest
    assert start(state.call, verdict).digest == verdict.digest
    wrong = decided(desk, "approved", digest="of something else")
    assert isinstance(consider(desk.box(), wrong, Mode.ASK), Asks)


def test_edited_arguments_are_judged_anew(desk: Any) -> None:
    assert (
        data(consider(desk.box(), decided(desk, "approved", args={"text": "forbidden"}), Mode.ASK))["error"] == "denied"
    )
    state = decided(desk, "approved", args={"text": "b"})
    verdict = consider(desk.box(), state, Mode.ASK)
    assert isinstance(verdict, Asks) and ask(state, verdict).args == {"text": "b"}
    state.decided = ApprovalDecided(call_id="c1", outcome="approved", by="m", args={"text": "b"}, digest=verdict.digest)
    ready = consider(desk.box(), state, Mode.ASK)
    assert isinstance(ready, Ready)
    result = perform(desk.box(), state.call, ready, lambda b: None, threading.Event(), edited=True)
    assert isinstance(result, ToolResult) and result.data["arguments_changed_by_person"] == {"text": "b"}
    assert desk.log == ["c1:b"]


@pytest.mark.parametrize(
    ("outcome", "error", "words"),
    [
        ("rejected", "rejected", "The reason: in French"),
        ("expired", "approval_required", "not refused either"),
        ("withdrawn", "interrupted", "withdrawn"),
    ],
)
def test_a_call_that_was_not_approved(desk: Any, outcome: str, error: str, words: str) -> None:
    answer = data(consider(desk.box(), decided(desk, outcome, reason="in French"), Mode.ASK))
    assert answer["error"] == error and words in answer["message"]


@pytest.mark.parametrize(("outcome", "answer"), [("answered", "blue"), ("expired", None), ("withdrawn", None)])
def test_an_answer_is_a_result(desk: Any, outcome: Any, answer: str | None) -> None:
    state = CallState(1, call("ask_user", {"question": "?"}))
    state.answered = QuestionAnswered(call_id="c1", outcome=outcome, answer=answer or "")
    verdict = consider(desk.box(), state, Mode.ASK)
    assert isinstance(verdict, Settled) and verdict.ok and verdict.data["answer"] == answer


def ready(desk: Any, tool: str, args: Any) -> Ready:
    verdict = judge(desk.box(), call(tool, args), Mode.ASK)
    assert isinstance(verdict, Ready)
    return verdict


def test_results_are_clean_json(desk: Any) -> None:
    desk.tools["jot"].run = lambda args, ctx: type(desk)  # not a result at all
    out = perform(desk.box(), call("jot", {}), ready(desk, "jot", {}), lambda b: None, threading.Event())
    assert isinstance(out, ToolResult) and out.data["error"] == "io"
    from workbench.tools import Result

    desk.tools["jot"].run = lambda args, ctx: Result({"a": "\ud800", "n": float("inf"), "t": (1, 2)}, {"v": "\udcff"})
    out = perform(desk.box(), call("jot", {}), ready(desk, "jot", {}), lambda b: None, threading.Event())
    assert isinstance(out, ToolResult) and out.ok
    assert (out.data, out.view) == ({"a": "\ufffd", "n": "inf", "t": [1, 2]}, {"v": "\ufffd"})


def test_a_refusal_is_a_result_that_is_not_ok(desk: Any) -> None:
    out = perform(
        desk.box(), call("look", {"path": "x"}), ready(desk, "look", {"path": "x"}), lambda b: None, threading.Event()
    )
    assert isinstance(out, ToolResult) and not out.ok and out.data["error"] == "no_file" and out.data["path"] == "x"


def test_a_tool_that_waits_becomes_a_question(desk: Any) -> None:
    args = {"question": "Which?", "options": ["a"]}
    out = perform(desk.box(), call("ask_user", args), ready(desk, "ask_user", args), lambda b: None, threading.Event())
    assert isinstance(out, QuestionAsked) and out.options == [{"label": "a", "description": ""}]


def test_without_a_session_what_asks_needs_approve(desk: Any) -> None:
    box = desk.box()
    refused = run_now(box, call("send", {"text": "a"}), Mode.ASK)
    assert refused.data["error"] == "approval_required" and not refused.ok and desk.log == []
    assert refused.data["reasons"] == ["It reaches other people."] and refused.data["effects"]
    assert run_now(box, call("send", {"text": "a"}), Mode.ASK, approve=True).ok and desk.log == ["c1:a"]
    assert run_now(box, call("jot", {"text": "b"}), Mode.ASK).ok
    assert run_now(box, call("jot", {"text": "forbidden"}), Mode.ASK, approve=True).data["error"] == "denied"
    assert run_now(box, call("ask_user", {"question": "?"}), Mode.ASK).data["error"] == "unsupported"
