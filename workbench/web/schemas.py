"""What the JSON API takes and gives, as its OpenAPI document shows it."""

from typing import Any, Literal

from ninja import Field, Schema


class Strict(Schema):
    """A body: a misspelt field is an error, not a silent default."""

    model_config = {"extra": "forbid"}


class StartSession(Strict):
    prompt: str = Field(min_length=1, description="what the agent should do")
    workspace: str | None = Field(default=None, description="absolute path; without it the one `up` was given")
    model: str | None = Field(default=None, description="a name from /api/models")
    mode: Literal["plan", "ask", "auto"] = "ask"


class SendMessage(Strict):
    text: str = Field(min_length=1)
    delivery: Literal["queue", "steer"] = Field(
        default="queue", description="steer: the model reads it with its next request"
    )


class SetMode(Strict):
    mode: Literal["plan", "ask", "auto"]


class Decide(Strict):
    decision: Literal["approve", "reject"]
    args: dict[str, Any] | None = Field(default=None, description="edited arguments; the gate decides on them anew")
    reason: str = Field(default="", description="the model reads it: what to do instead")
    remember: Literal["session"] | None = Field(default=None, description="the same is not asked again")


class Answer(Strict):
    answer: str = Field(min_length=1)


class Rollback(Strict):
    hunks: list[int] = Field(default=[], description="only these hunks of the change; empty: all of it")
    recreate: bool = Field(default=False, description="yes to bringing a deleted file back")
    preview: bool = Field(default=False, description="only say what would happen")


class Rewind(Strict):
    seq: int = Field(ge=0, description="take back what calls after this event changed")
    uncertain: list[int] = Field(default=[], description="uncertain changes to take back too, by id")
    preview: bool = False


class Workspace(Schema):
    id: int
    path: str
    name: str


class Usage(Schema):
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Session(Schema):
    id: str
    status: Literal["running", "waiting", "paused", "done", "failed", "stopped"]
    title: str
    task: str
    model: str
    mode: str
    workspace: Workspace
    control: str
    sandbox: str
    failure: str
    last_seq: int
    usage: Usage
    started_by: str
    created_at: str
    updated_at: str
    archived: bool


class Approval(Schema):
    id: int
    session: str
    seq: int
    call_id: str
    tool: str
    args: Any
    digest: str
    effects: list[dict[str, Any]]
    reasons: list[str]
    rule: str
    cwd: str
    status: str
    asked_at: str
    decided_at: str | None
    decided_by: str
    via: str
    reason: str
    edited_args: dict[str, Any] | None


class Question(Schema):
    id: int
    session: str
    seq: int
    call_id: str
    question: str
    options: list[dict[str, str]]
    status: str
    asked_at: str
    answer: str
    answered_at: str | None
    answered_by: str


class Change(Schema):
    id: int
    session: str
    call_id: str
    path: str
    before: dict[str, Any]
    after: dict[str, Any] | None
    by: str
    at: str
    status: str
    undoes: list[int]
    undone_by: int | None
    uncertain: bool


class Model(Schema):
    name: str
    provider: str
    model: str
    base_url: str
    source: str
    default: bool


class Sessions(Schema):
    items: list[Session]
    next: str | None


class Events(Schema):
    items: list[dict[str, Any]] = Field(description="each {seq, kind, at, …}")
    next: int | None = Field(description="`after` of the next page; null at the end")


class Approvals(Schema):
    items: list[Approval]
    next: int | None


class Questions(Schema):
    items: list[Question]
    next: int | None


class Changes(Schema):
    items: list[Change]
    next: int | None


class Workspaces(Schema):
    items: list[Workspace]
    next: int | None


class Models(Schema):
    items: list[Model]
    next: None = None


class Outcomes(Schema):
    items: list[dict[str, Any]] = Field(description="one a path: {path, status, message, version, …}")
    next: None = None


class Problem(Schema):
    error: str
    message: str
