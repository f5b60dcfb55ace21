"""Everything that can appear on a timeline: one small frozen class a kind.

The kind of an event is its class name in snake_case (`ApprovalAsked` -> `approval_asked`); the template that draws it
is `templates/timeline/<kind>.html`. An event whose class sets `part_of_call` is drawn inside the card of the call it
names by `call_id`; every other event is a row of its own.

Fields hold JSON values only. A field that is not set when an event is written keeps its default for ever, so new
fields need one.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """Base of all kinds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: ClassVar[str] = ""
    part_of_call: ClassVar[bool] = False
    row: ClassVar[bool] = True
    """False: nothing is drawn for it on the timeline by itself"""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.kind:  # said by the class itself: not one of the kinds that are written
            return
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        KINDS[cls.kind] = cls


KINDS: dict[str, type[Event]] = {}
"""every kind that is written, by name"""


class Unknown(Event):
    """An event of a kind, or with fields, that this version does not know: kept as it is, drawn raw, never written."""

    kind = "_unknown"
    kind_name: str
    """as it stands in the journal"""
    data: Any


class Usage(BaseModel):
    """Tokens of one model turn, and what they cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cost_usd: float | None = None


class Media(BaseModel):
    """An image or document that a result carries beside its JSON; the bytes lie in the history store."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    mime: str
    sha256: str
    name: str = ""


class SessionStarted(Event):
    task: str
    workspace: str
    """absolute path"""
    model: str
    mode: Literal["plan", "ask", "auto"]
    control: Literal["blocked", "asked", "seen"] = "blocked"
    """level of control: blocked before it runs, asked by the agent itself, seen afterwards"""
    sandbox: str = "off"
    """level of isolation of commands at the start, in words"""
    by: str = ""


class UserMessage(Event):
    """Words of a person. Never consent: a message decides no approval and answers no question."""

    text: str
    by: str
    delivery: Literal["queue", "steer"] = "queue"
    """queue: the model reads it when it would end; steer: with its next request"""


class ModelTurn(Event):
    """One answer of the model; its calls follow as `ToolCall` in the same append."""

    turn: int
    text: str = ""
    reasoning: str = ""
    usage: Usage = Usage()
    finish: str = ""
    duration_ms: int = 0
    provider_state: Any = None
    """what the provider needs back verbatim on the next request (signatures, ids); never shown"""
    took: list[int] = []
    """sequence numbers of the messages and notes that the model read for the first time in this turn's request"""


class ModelFailed(Event):
    """A request to the model failed; `retry_in_s` is null when it is not tried again."""

    message: str
    attempt: int
    retry_in_s: float | None = None


class ToolCall(Event):
    call_id: str
    """unique within the session"""
    turn: int
    tool: str
    args: Any
    """as the model gave them: an object, or a string when that was not valid JSON"""
    batch: int = 0
    """calls of one turn with the same batch number run at once"""


class ApprovalAsked(Event):
    part_of_call = True
    call_id: str
    digest: str
    effects: list[dict[str, Any]] = []
    reasons: list[str] = []
    rule: str = ""
    cwd: str = ""
    args: dict[str, Any] | None = None
    """the arguments it is about, when they are not the call's own (a person had edited them)"""


class ApprovalDecided(Event):
    part_of_call = True
    call_id: str
    outcome: Literal["approved", "rejected", "expired", "withdrawn"]
    by: str
    via: str = ""
    """browser, API, terminal …"""
    reason: str = ""
    args: dict[str, Any] | None = None
    """the arguments as edited by the person, null when unchanged"""
    digest: str = ""
    """what was approved; differs from the one asked for when the arguments were edited"""


class QuestionAsked(Event):
    part_of_call = True
    call_id: str
    question: str
    options: list[dict[str, str]] = []
    """each {"label", "description"}"""


class QuestionAnswered(Event):
    part_of_call = True
    call_id: str
    outcome: Literal["answered", "withdrawn", "expired"]
    answer: str = ""
    by: str = ""


class ToolStarted(Event):
    """Written before the effect: a call with this and without a result was interrupted."""

    part_of_call = True
    row = False
    call_id: str
    digest: str = ""
    rule: str = ""
    reasons: list[str] = []


class ToolResult(Event):
    part_of_call = True
    call_id: str
    ok: bool
    """False when `data` is a refusal, {"error", "message", …}"""
    data: dict[str, Any]
    """what the model reads"""
    view: dict[str, Any] = {}
    """facts for the page only: version ids, size of the whole output …"""
    media: list[Media] = []
    duration_ms: int = 0


class RolledBack(Event):
    """A person took an edit of this call back, or put it back again."""

    part_of_call = True
    call_id: str
    version: int
    """the version that was undone"""
    new_version: int
    path: str
    by: str
    put_back: bool = False


class ModeChanged(Event):
    mode: Literal["plan", "ask", "auto"]
    by: str


class SessionPaused(Event):
    by: str


class SessionResumed(Event):
    by: str


class SessionStopped(Event):
    by: str


class SessionRecovered(Event):
    """The workbench was restarted while the session was running."""

    interrupted: list[str] = []
    """call ids that were cut off"""


class SessionDone(Event):
    """The model finished its answer and waits for nothing. A message opens the session again."""

    reason: str = "finished"


class SessionFailed(Event):
    """It can't go on by itself: the model is out of reach, or a budget is used up. A message or resume tries again."""

    message: str


@dataclass(frozen=True)
class Record:
    """An event where it stands in its session's journal."""

    session: str
    seq: int
    """1, 2, 3 … without gaps"""
    at: datetime
    """UTC"""
    event: Event
    prev: str
    """hash of the record before; 64 zeros for the first"""
    hash: str
