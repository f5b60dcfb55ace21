"""The events that the loop appends, made from what happened. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from workbench.agent import arguments
from workbench.agent.budget import Budget
from workbench.agent.messages import AskedCall, ProviderError, Reply
from workbench.journal.kinds import (
    ApprovalDecided,
    Event,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    SessionFailed,
    SessionRecovered,
    ToolCall,
    ToolResult,
)
from workbench.journal.state import CallState, SessionState, mark
from workbench.tools import Tool

Changes = list[dict[str, Any]]

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
MOST_CALLS = 128
"""calls of one turn that are taken; the rest is refused in one sentence"""


def recorded(
    reply: Reply, state: SessionState, tools: Mapping[str, Tool], took: Sequence[int], duration_ms: int
) -> list[Event]:
    """The turn and its calls."""
    turn = state.turn + 1
    event = ModelTurn(
        turn=turn,
        text=arguments.clean(reply.text),
        reasoning=arguments.clean(reply.reasoning),
        usage=reply.usage,
        finish=reply.finish,
        duration_ms=duration_ms,
        provider_state=arguments.clean(reply.state),
        took=list(took),
    )
    return [event, *_calls(reply.calls, turn, state, tools)]


def _calls(asked: Sequence[AskedCall], turn: int, state: SessionState, tools: Mapping[str, Tool]) -> Iterator[ToolCall]:
    used = set(state.calls)
    batch, before = 0, False
    for number, call in enumerate(asked[:MOST_CALLS], start=1):
        tool = tools.get(call.tool)
        reads = tool is None or tool.reads_only
        if number > 1 and not (reads and before):
            batch += 1
        before = reads
        call_id = call.id if CALL_ID.fullmatch(call.id) and call.id not in used else _own_id(turn, number, used)
        used.add(call_id)
        name = arguments.clean(call.tool)[:200]
        yield ToolCall(call_id=call_id, turn=turn, tool=name, args=arguments.accept(call.arguments), batch=batch)


def _own_id(turn: int, number: int, used: set[str]) -> str:
    found = f"call_{turn}_{number}"
    while found in used:
        found += "x"
    return found


def broken_off(streamed: Sequence[str], state: SessionState) -> Reply | None:
    """What a person's stop left of an answer; None when there is none, or when it was no stop."""
    text = "".join(streamed)
    return Reply(text, finish="stopped") if text.strip() and state.life == "stopped" else None


def failed(error: ProviderError, state: SessionState, budget: Budget) -> list[Event]:
    """A failed request; with the end of the session when it is not tried again."""
    attempt = state.failures + 1
    wait = budget.retries[attempt - 1] if attempt <= len(budget.retries) else None
    if wait is not None and error.retry_after is not None:
        wait = max(wait, error.retry_after)
    message = arguments.clean(error.message)
    if not error.retryable or wait is None or wait > budget.patience_s:
        end = message if attempt == 1 else f"{message} It was tried {attempt} times."
        return [ModelFailed(message=message, attempt=attempt), SessionFailed(message=end)]
    return [ModelFailed(message=message, attempt=attempt, retry_in_s=wait)]


def shut_down(event: Event | None, state: SessionState) -> Event | None:
    """The result of a call that was stopped says so when no person wanted that, but the workbench had to end."""
    if not isinstance(event, ToolResult) or not event.data.get("stopped") or state.life != "running":
        return event
    message = "The workbench was shut down while this ran; nobody decided to stop it. Look how far it came, then go on."
    return event.model_copy(update={"data": {**event.data, "message": message}})


def closed(calls: Sequence[CallState], changes: Callable[[str], Changes]) -> list[Event]:
    """The end of calls that a stop abandoned."""
    events: list[Event] = []
    for call in calls:
        call_id = call.call.call_id
        if call.phase == "asked":
            withdrawn = ApprovalDecided(call_id=call_id, outcome="withdrawn", by="", reason="The session was stopped.")
            events.append(withdrawn)
        if call.phase == "questioned":
            events.append(QuestionAnswered(call_id=call_id, outcome="withdrawn"))
        if call.phase == "started":
            events.append(_interrupted(call_id, "A person stopped the session while this ran.", changes(call_id)))
        else:
            message = "A person stopped the session before this ran. Nothing was done."
            events.append(ToolResult(call_id=call_id, ok=False, data={"error": "interrupted", "message": message}))
    return events


def recovered(calls: Sequence[CallState], changes: Callable[[str], Changes]) -> list[Event]:
    """What the model is told about calls that a crash or restart cut off."""
    ids = [c.call.call_id for c in calls]
    told = [_interrupted(i, "The workbench was restarted while this ran, and it was cut off.", changes(i)) for i in ids]
    return [SessionRecovered(interrupted=ids), *told]


def warned(event: Event, state: SessionState, budget: Budget) -> Event:
    """The result of a call that keeps failing in the same way says so before the session ends for it."""
    if not isinstance(event, ToolResult) or event.ok or not budget.same_failure:
        return event
    what, count = state.repeated
    call = state.calls[event.call_id].call
    count = count + 1 if what == mark(call, event.data) else 1
    if count < min(3, budget.same_failure):
        return event
    last = budget.same_failure
    note = f"The same call has now failed {count} times in a row; after {last} the session ends. Go another way."
    return event.model_copy(update={"data": {**event.data, "note": note}})


def _interrupted(call_id: str, what: str, changes: Changes) -> ToolResult:
    known = (
        "Changes on disk that are known are listed in `changes`; there may be others."
        if changes
        else "No change on disk is known, but it may have had effects."
    )
    message = f"{what} It is not known how far it came. {known} Check before you do it again."
    data = {"error": "interrupted", "message": message, "changes": changes}
    return ToolResult(call_id=call_id, ok=False, data=data)
