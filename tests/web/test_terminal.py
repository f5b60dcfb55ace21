"""A session as lines in a terminal."""

from datetime import UTC, datetime

import pytest

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModelTurn,
    QuestionAsked,
    Record,
    SessionDone,
    ToolCall,
    ToolResult,
    ToolStarted,
)
from workbench.web.terminal import WIDTH, line


def said(event: Event) -> str:
    return line(Record("s", 1, datetime.now(UTC), event, "", ""))


def test_what_is_not_worth_a_line_is_none() -> None:
    assert said(ToolStarted(call_id="c")) == ""
    assert said(ModelTurn(turn=1)) == ""


@pytest.mark.parametrize(("event", "text"), [
    (ModelTurn(turn=1, text="I look.\nThen I act."), "I look.\nThen I act."),
    (ToolCall(call_id="c", turn=1, tool="grep", args={"pattern": "x"}), '→ grep {"pattern":"x"}'),
    (ToolCall(call_id="c", turn=1, tool="grep", args="{oops"), "→ grep {oops"),
    (ApprovalAsked(call_id="c", digest="", reasons=["It pushes.", "Others see it."]),
     "? needs approval: It pushes. Others see it."),
    (ApprovalDecided(call_id="c", outcome="rejected", by="ann", reason="no"), "  rejected by ann: no"),
    (QuestionAsked(call_id="c", question="Which?", options=[{"label": "a"}]), "? Which?\n  - a"),
    (ToolResult(call_id="c", ok=False, data={"error": "no_file", "message": "Not there."}), "← no_file: Not there."),
    (ToolResult(call_id="c", ok=True, data={"exit_code": 1, "output": "bad\n"}), "← exit 1\nbad"),
    (ToolResult(call_id="c", ok=True, data={"diff": "-a\n+b"}), "← -a\n+b"),
    (ToolResult(call_id="c", ok=True, data={"n": 1}), '← {"n":1}'),
    (SessionDone(), "done: finished"),
])  # fmt: skip
def test_what_happens_is_told_in_words(event: Event, text: str) -> None:
    assert said(event) == text


def test_control_characters_of_a_model_do_not_reach_the_terminal() -> None:
    assert said(ModelTurn(turn=1, text="\x1b]0;owned\x07 red \x1b[31m")) == r"\x1b]0;owned\x07 red \x1b[31m"


def test_long_arguments_are_cut_and_say_so() -> None:
    text = said(ToolCall(call_id="c", turn=1, tool="write_file", args={"content": "x" * 10_000}))
    assert len(text) < WIDTH + 60
    assert "10,014 characters" in text
