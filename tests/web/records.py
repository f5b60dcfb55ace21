"""Records of a session for tests of what is drawn from them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.journal import chain
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    QuestionAnswered,
    QuestionAsked,
    Record,
    RolledBack,
    ToolCall,
    ToolResult,
    ToolStarted,
)
from workbench.web.cards import Card

START = datetime(2026, 3, 1, 14, 2, 11, tzinfo=UTC)

EFFECTS = [
    {"verb": "external", "target": "origin/main", "detail": "2 commits", "part": 0},
    {"verb": "delete", "target": "build/", "detail": "214 files", "part": 1},
]
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 3\n"


def sealed(events: Sequence[Event], *, session: str = "s1", seconds: Sequence[float] = ()) -> list[Record]:
    """A chain of records, one second apart unless `seconds` says when each was."""
    found: list[Record] = []
    prev = chain.START
    for number, event in enumerate(events, 1):
        at = START + timedelta(seconds=seconds[number - 1] if seconds else number)
        found.append(chain.seal(session, prev, number, at, event))
        prev = found[-1].hash
    return found


def call(tool: str = "bash", args: Any = None, *, call_id: str = "c1", turn: int = 1, batch: int = 0) -> ToolCall:
    return ToolCall(
        call_id=call_id, turn=turn, tool=tool, args={"command": "ls"} if args is None else args, batch=batch
    )


def asked(call_id: str = "c1", **more: Any) -> ApprovalAsked:
    facts = {"digest": "7f3ac21e", "effects": EFFECTS, "reasons": ["It reaches outside."], "rule": "built in / outward"}
    return ApprovalAsked(call_id=call_id, cwd="/ws", **(facts | more))


def decided(outcome: str = "approved", call_id: str = "c1", **more: Any) -> ApprovalDecided:
    return ApprovalDecided(call_id=call_id, outcome=outcome, by="Wei", via="browser", **more)


def started(call_id: str = "c1") -> ToolStarted:
    return ToolStarted(call_id=call_id)


def result(data: dict[str, Any] | None = None, *, call_id: str = "c1", ok: bool = True, **view: Any) -> ToolResult:
    found = {"exit_code": 0, "output": "fine\n"} if data is None else data
    return ToolResult(call_id=call_id, ok=ok, data=found, view=view, duration_ms=38)


def question(call_id: str = "c1") -> QuestionAsked:
    return QuestionAsked(
        call_id=call_id,
        question="Which **one**?",
        options=[{"label": "first", "description": "the old"}, {"label": "second"}],
    )


def answered(answer: str = "first", call_id: str = "c1") -> QuestionAnswered:
    return QuestionAnswered(call_id=call_id, outcome="answered", answer=answer, by="Wei")


def rolled_back(version: int = 7, new: int = 8, call_id: str = "c1", *, put_back: bool = False) -> RolledBack:
    return RolledBack(call_id=call_id, version=version, new_version=new, path="a.py", by="Wei", put_back=put_back)


def card(*events: Event, seconds: Sequence[float] = ()) -> Card:
    """The card of a call; the first event is the `tool_call`."""
    records = sealed(events, seconds=seconds)
    return Card(records[0], records[1:])
