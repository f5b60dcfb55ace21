"""What a session is, as a fold over its journal. Whoever asks "what state is it in" asks here.

A session's status, and the events that change it:

    event             | from                             | to
    ------------------+----------------------------------+--------
    session_started   | (new)                            | running
    session_paused    | running, waiting                 | paused
    session_resumed   | paused, stopped, failed, done    | running
    session_stopped   | running, waiting, paused, failed | stopped
    session_done      | running                          | done
    session_failed    | running, waiting                 | failed
    user_message      | done, failed, stopped            | running

An event from any other status leaves the status as it is. *waiting* is no event of its own: a running session waits
while an approval or a question of it is open.

A call's phase, and the events that change it: open -> (approval_asked) asked -> (approval_decided) decided ->
(tool_started) started -> (tool_result) finished; a tool that asks a person goes started -> (question_asked) questioned
-> (question_answered) answered -> finished. After `decided` an approval may be asked anew, when what would run is no
longer what was approved. `started` without a result at the beginning of a run means: cut off. A stop abandons the
calls that are not finished: they never run, and the next run of the loop closes them.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModeChanged,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    Record,
    RolledBack,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    ToolCall,
    ToolResult,
    ToolStarted,
    Usage,
    UserMessage,
)
from workbench.policy.call import Mode, canonical

Life = Literal["running", "paused", "done", "failed", "stopped"]
Status = Literal["running", "waiting", "paused", "done", "failed", "stopped"]
Phase = Literal["open", "asked", "decided", "started", "questioned", "answered", "finished"]

STATUS: dict[type[Event], tuple[frozenset[Life], Life]] = {
    SessionPaused: (frozenset({"running"}), "paused"),
    SessionResumed: (frozenset({"paused", "stopped", "failed", "done"}), "running"),
    SessionStopped: (frozenset({"running", "paused", "failed"}), "stopped"),
    SessionDone: (frozenset({"running"}), "done"),
    SessionFailed: (frozenset({"running"}), "failed"),
    UserMessage: (frozenset({"done", "failed", "stopped"}), "running"),
}
"""the table above; `waiting` counts as running there"""

Note = UserMessage | RolledBack | ModeChanged | SessionResumed
"""what the model is told beside the results of its calls"""


@dataclass
class CallState:
    """One tool call and what became of it."""

    seq: int
    """of its `tool_call` record: the id of its card"""
    call: ToolCall
    phase: Phase = "open"
    asked: ApprovalAsked | None = None
    """the latest; its fate is `decided`"""
    asked_seq: int = 0
    decided: ApprovalDecided | None = None
    """the decision on `asked`; None while it is open"""
    args: dict[str, Any] | None = None
    """as a person edited them, None while they are the model's own"""
    question: QuestionAsked | None = None
    answered: QuestionAnswered | None = None
    started: ToolStarted | None = None
    result: ToolResult | None = None
    rolled_back: list[RolledBack] = field(default_factory=list)
    abandoned: bool = False
    """the session was stopped before it was finished"""

    @property
    def waits(self) -> bool:
        """For a person."""
        return self.phase in ("asked", "questioned") and not self.abandoned


@dataclass
class Leg:
    """What the session used since a person last spoke or resumed it; budgets count by it."""

    turns: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    active_ms: int = 0
    """time spent on model requests and tools; waiting for people does not count"""


@dataclass
class SessionState:
    """The fold. `apply` every record once, in order."""

    seq: int = 0
    """of the last record applied"""
    life: Life = "running"
    """`status` without `waiting`"""
    task: str = ""
    workspace: str = ""
    model: str = ""
    mode: Mode = Mode.ASK
    started_at: datetime | None = None
    turn: int = 0
    """number of the last model turn; turns count from 1"""
    last_turn: ModelTurn | None = None
    answered: bool = False
    """the last turn is a whole answer that asks for no calls"""
    at_rest: bool = True
    """the model is not in the middle of its work: it answered, or it was ended"""
    calls: dict[str, CallState] = field(default_factory=dict)
    """by call id, in order"""
    unfinished: dict[str, CallState] = field(default_factory=dict)
    """those of `calls` without a result, in order"""
    notes: dict[int, Note] = field(default_factory=dict)
    """by sequence number: what no model turn has taken yet"""
    usage: Usage = field(default_factory=Usage)
    """sums over the session"""
    leg: Leg = field(default_factory=Leg)
    failures: int = 0
    """requests to the model that failed in a row"""
    retry_at: datetime | None = None
    """when the model is asked again after a failure"""
    repeated: tuple[str, int] = ("", 0)
    """the last failing call (hash of tool, arguments and error) and how often it failed in a row"""
    error: str = ""
    """the last thing that went wrong with the session itself, for a person"""

    @property
    def status(self) -> Status:
        return "waiting" if self.life == "running" and any(c.waits for c in self.unfinished.values()) else self.life

    @property
    def title(self) -> str:
        """The first line of the task, short enough for a list."""
        line = next((s for line in self.task.splitlines() if (s := line.strip())), "")
        return line if len(line) <= 80 else line[:79].rstrip() + "…"

    @property
    def open_approvals(self) -> list[CallState]:
        return [c for c in self.unfinished.values() if c.phase == "asked" and c.waits]

    @property
    def open_questions(self) -> list[CallState]:
        return [c for c in self.unfinished.values() if c.phase == "questioned" and c.waits]

    @property
    def pending_messages(self) -> dict[int, UserMessage]:
        """By sequence number: messages of people that the model has not read yet."""
        return {seq: n for seq, n in self.notes.items() if isinstance(n, UserMessage)}

    def apply(self, record: Record) -> None:
        """Take the next record in. Unknown kinds change nothing."""
        if record.seq != self.seq + 1:
            raise ValueError(f"record {record.seq} after {self.seq}: the fold needs every record once, in order")
        self.seq = record.seq
        event = record.event
        before = self.life
        step = STATUS.get(type(event))
        if step and before in step[0]:
            self.life = step[1]
        match event:
            case SessionStarted():
                self._start(event, record.at)
            case UserMessage() | ModeChanged() | SessionResumed():
                self._person(event, record.seq, before)
            case SessionStopped() | SessionFailed() | SessionDone() | ModelFailed():
                self._end(event, record)
            case ModelTurn():
                self._turn(event)
            case ToolCall():
                self._call(event, record.seq)
            case _:
                self._of_call(event, record.seq)

    def _start(self, event: SessionStarted, at: datetime) -> None:
        self.task, self.workspace, self.model = event.task, event.workspace, event.model
        self.mode = Mode(event.mode)
        self.started_at = at

    def _person(self, event: UserMessage | ModeChanged | SessionResumed, seq: int, before: Life) -> None:
        if isinstance(event, ModeChanged):
            self.mode = Mode(event.mode)
        else:
            self._new_leg()
        if not isinstance(event, SessionResumed) or before == "stopped":
            self.notes[seq] = event

    def _end(self, event: Event, record: Record) -> None:
        match event:
            case SessionFailed():
                self.error = event.message
            case ModelFailed():
                self.error = event.message
                self.failures += 1
                self.retry_at = None if event.retry_in_s is None else record.at + timedelta(seconds=event.retry_in_s)
                return
            case SessionStopped():
                for call in self.unfinished.values():
                    call.abandoned = True
            case _:
                pass
        self.at_rest = True

    def _new_leg(self) -> None:
        self.leg = Leg()
        self.failures, self.retry_at = 0, None
        self.repeated = ("", 0)

    def _turn(self, event: ModelTurn) -> None:
        self.turn, self.last_turn = event.turn, event
        self.answered, self.at_rest = event.finish != "stopped", True
        self.failures, self.retry_at, self.error = 0, None, ""
        for seq in event.took:
            self.notes.pop(seq, None)
        self.usage = add(self.usage, event.usage)
        self.leg.turns += 1
        self.leg.tokens += event.usage.input_tokens + event.usage.output_tokens
        self.leg.cost_usd += event.usage.cost_usd or 0.0
        self.leg.active_ms += event.duration_ms

    def _call(self, event: ToolCall, seq: int) -> None:
        self.calls[event.call_id] = self.unfinished[event.call_id] = CallState(seq, event)
        self.answered = self.at_rest = False

    def _of_call(self, event: Event, seq: int) -> None:
        call = self.calls.get(getattr(event, "call_id", ""))
        if call is None:
            return
        if isinstance(event, RolledBack):
            call.rolled_back.append(event)
            self.notes[seq] = event
            return
        advance_call(call, event, seq)
        if isinstance(event, ToolResult):
            self.unfinished.pop(event.call_id, None)
            self.leg.active_ms += event.duration_ms
            self._count_failure(call, event)

    def _count_failure(self, call: CallState, event: ToolResult) -> None:
        if event.ok:
            self.repeated = ("", 0)
            return
        what = mark(call.call, event.data)
        self.repeated = (what, self.repeated[1] + 1 if what == self.repeated[0] else 1)


def advance_call(call: CallState, event: Event, seq: int = 0) -> None:
    """Take in an event that belongs to the call."""
    match event:
        case ApprovalAsked():
            call.asked, call.asked_seq, call.decided, call.phase = event, seq, None, "asked"
        case ApprovalDecided() if call.phase == "asked":
            call.decided, call.phase = event, "decided"
            call.args = event.args if event.args is not None else call.args
        case ToolStarted():
            call.started, call.phase = event, "started"
        case QuestionAsked():
            call.question, call.phase = event, "questioned"
        case QuestionAnswered() if call.phase == "questioned":
            call.answered, call.phase = event, "answered"
        case ToolResult():
            call.result, call.phase = event, "finished"
        case _:
            pass


def mark(call: ToolCall, data: dict[str, Any]) -> str:
    """The same for failing calls that are the same: tool, arguments and error code."""
    return hashlib.sha256(canonical([call.tool, call.args, data.get("error")])).hexdigest()


def fold(records: list[Record], state: SessionState | None = None) -> SessionState:
    """`state` (or a new one) after these records."""
    state = state or SessionState()
    for record in records:
        state.apply(record)
    return state


def add(a: Usage, b: Usage) -> Usage:
    cost = None if a.cost_usd is None and b.cost_usd is None else (a.cost_usd or 0.0) + (b.cost_usd or 0.0)
    return Usage(
        input_tokens=a.input_tokens + b.input_tokens,
        output_tokens=a.output_tokens + b.output_tokens,
        cache_read_tokens=a.cache_read_tokens + b.cache_read_tokens,
        cost_usd=cost,
    )
