"""A session in a terminal: the events as lines, and what the command does when it waits."""

from collections.abc import Callable
from typing import Any

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    Record,
    SessionDone,
    SessionFailed,
    SessionStarted,
    SessionStopped,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.policy.call import canonical
from workbench.web.logs import visible

WIDTH = 160

LINES: dict[type[Event], Callable[[Any], str]] = {
    SessionStarted: lambda e: f"session in {e.workspace} with {e.model}, mode {e.mode}, commands {e.sandbox}",
    UserMessage: lambda e: f"{e.by}: {e.text}",
    ModelTurn: lambda e: e.text,
    ModelFailed: lambda e: f"the model failed: {e.message}",
    ToolCall: lambda e: f"→ {e.tool} {_args(e.args)}",
    ApprovalAsked: lambda e: f"? needs approval: {' '.join(e.reasons)}",
    ApprovalDecided: lambda e: f"  {e.outcome} by {e.by}{f': {e.reason}' if e.reason else ''}",
    QuestionAsked: lambda e: "\n".join([f"? {e.question}", *(f"  - {o['label']}" for o in e.options)]),
    QuestionAnswered: lambda e: f"  {e.by} answered: {e.answer}",
    ToolResult: lambda e: f"← {_result(e)}",
    SessionDone: lambda e: f"done: {e.reason}",
    SessionFailed: lambda e: f"failed: {e.message}",
    SessionStopped: lambda e: f"stopped by {e.by}",
}


def line(record: Record) -> str:
    """The event for a person at a terminal; empty for what is not worth a line. Control characters are shown."""
    say = LINES.get(type(record.event))
    text = say(record.event) if say else ""
    return "\n".join(visible(part) for part in text.splitlines())


def _args(args: Any) -> str:
    text = args if isinstance(args, str) else canonical(args).decode()
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}… ({len(text):,} characters)"


def _result(event: ToolResult) -> str:
    data = event.data
    if not event.ok:
        return f"{data.get('error', 'error')}: {data.get('message', '')}"
    if diff := data.get("diff"):
        return str(diff)
    if output := data.get("output"):
        return f"exit {data.get('exit_code')}\n{output}"
    return _args(data)
