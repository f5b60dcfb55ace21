"""The one place that joins parse -> call -> decide -> run for a tool call: used by the loop and by `manage.py tool`.

Everything here is synchronous and runs in worker threads. `judge` may run any number of times and changes nothing;
`perform` runs once, after the call is in the journal as started.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from workbench.agent.toolbox import Stream, Toolbox
from workbench.journal.kinds import ApprovalAsked, ApprovalDecided, QuestionAsked, ToolCall, ToolResult, ToolStarted
from workbench.policy.call import Call, Decision, Mode
from workbench.tools import Tool, no_stream


@dataclass(frozen=True)
class Ready:
    """A call that may run."""

    tool: Tool
    args: BaseModel
    call: Call
    decision: Decision
    digest: str


@dataclass(frozen=True)
class Asks:
    """A call that needs a person."""

    call: Call
    decision: Decision
    digest: str


@dataclass(frozen=True)
class No:
    """A call that will not run; `data` is what the model reads."""

    data: dict[str, Any]


Verdict = Ready | Asks | No


def judge(box: Toolbox, asked: ToolCall, mode: Mode, args: Any = None) -> Verdict:
    """What the gate says now about the call (`args` instead of its own, when given). Reads files, changes nothing."""
    raise NotImplementedError


def approved(box: Toolbox, asked: ToolCall, mode: Mode, decided: ApprovalDecided, args: Any, digest: str) -> Verdict:
    """The verdict once a person decided: Ready only for exactly what was approved, Asks when that changed since."""
    raise NotImplementedError


def ask(asked: ToolCall, verdict: Asks, *, edited: dict[str, Any] | None = None) -> ApprovalAsked:
    raise NotImplementedError


def start(asked: ToolCall, verdict: Ready) -> ToolStarted:
    raise NotImplementedError


def perform(box: Toolbox, asked: ToolCall, ready: Ready, stream: Stream, stop: Any) -> ToolResult | QuestionAsked:
    """Run it. Whatever happens becomes a result."""
    raise NotImplementedError


def run_now(
    box: Toolbox, asked: ToolCall, mode: Mode, *, approve: bool = False, stream: Stream = no_stream
) -> ToolResult:
    """Judge and run without a journal. One that asks is refused with `approval_required`, or runs with `approve`."""
    raise NotImplementedError
