"""What comes next in a session: a pure function of its state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.agent.budget import Budget, exceeded
from workbench.agent.conversation import deliverable
from workbench.journal.kinds import SessionResumed, UserMessage
from workbench.journal.state import CallState, SessionState
from workbench.tools import Tool

AT_ONCE = 8
"""calls of one batch that run at the same time"""

RestWhy = Literal["done", "waiting", "paused", "stopped", "failed"]


@dataclass(frozen=True)
class Rest:
    """Nothing to do without a person."""

    why: RestWhy


@dataclass(frozen=True)
class Close:
    """End what a stop abandoned."""

    calls: Sequence[CallState]


@dataclass(frozen=True)
class Recover:
    """Tell the model about calls that were cut off by a crash."""

    calls: Sequence[CallState]


@dataclass(frozen=True)
class Work:
    """Take these calls one step on, at once."""

    calls: Sequence[CallState]


@dataclass(frozen=True)
class AskModel:
    notes: Sequence[int]
    """what the request brings, by sequence number"""


@dataclass(frozen=True)
class WaitUntil:
    """Before the model is asked again after a failure."""

    moment: datetime


@dataclass(frozen=True)
class Finish:
    reason: str


@dataclass(frozen=True)
class Fail:
    message: str


Step = Rest | Close | Recover | Work | AskModel | WaitUntil | Finish | Fail


def next_step(state: SessionState, offered: dict[str, Tool], budget: Budget, now: datetime) -> Step:
    """`now`: the present moment, for the wait between two tries."""
    calls = list(state.unfinished.values())
    if abandoned := [c for c in calls if c.abandoned]:
        return Close(abandoned)
    if state.life != "running":
        return Rest(state.life)
    if cut := [c for c in calls if c.phase == "started" and not _repeatable(c, offered)]:
        return Recover(cut)
    if calls:
        batch = [c for c in calls if (c.call.turn, c.call.batch) == (calls[0].call.turn, calls[0].call.batch)]
        ready = [c for c in batch if not c.waits]
        return Work(ready[:AT_ONCE]) if ready else Rest("waiting")
    return _next_turn(state, budget, now)


def _repeatable(call: CallState, offered: dict[str, Tool]) -> bool:
    tool = offered.get(call.call.tool)
    return tool is not None and tool.reads_only


def _next_turn(state: SessionState, budget: Budget, now: datetime) -> Step:
    notes = deliverable(state)
    called = any(isinstance(state.notes[seq], UserMessage | SessionResumed) for seq in notes)
    nothing_asked = state.turn == 0 and not state.task.strip()
    if (state.answered or nothing_asked) and not called:
        return Finish(_reason(state))
    if why := exceeded(state, budget):
        return Fail(why)
    if state.retry_at is not None and state.retry_at > now:
        return WaitUntil(state.retry_at)
    return AskModel(notes)


def _reason(state: SessionState) -> str:
    if state.last_turn is None:
        return "there is no task yet"
    return "length" if state.last_turn.finish == "length" else "finished"
