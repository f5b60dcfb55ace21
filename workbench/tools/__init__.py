"""The contract of a tool, and the folder that finds its own files.

One file a tool: `tools/<name>.py` ends with `tool = SomeTool()`; the file name is the tool's name. Its drawing is
`templates/tools/<name>.html` with the partials `call` and `result`. Nothing else is edited to add one.
"""

import importlib
import json
import pkgutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from workbench.files import Refused
from workbench.files.fence import Fence
from workbench.files.seen import Seen
from workbench.history.versions import History
from workbench.policy.call import Call, Effect
from workbench.shell.sandbox import Sandbox


class ToolError(Refused):
    """A refusal by the tool itself; like every `Refused` the model reads it. Whatever else is raised is our defect."""


@dataclass(frozen=True)
class MediaPart:
    """An image or document for the model, beside the JSON."""

    mime: str
    data: bytes
    name: str = ""


@dataclass(frozen=True)
class Result:
    """What a call gave."""

    data: dict[str, Any]
    """the JSON object that the model reads"""
    view: dict[str, Any] = field(default_factory=dict)
    """facts that only the page needs, JSON values"""
    media: tuple[MediaPart, ...] = ()


@dataclass(frozen=True)
class Waiting:
    """Returned instead of a result by a tool that waits for a person: the loop ends, the answer becomes the result."""

    question: str
    options: tuple[dict[str, str], ...] = ()
    """each {"label", "description"}"""


def no_stream(_: bytes) -> None:
    """A stream that nobody watches."""


@dataclass
class Context:
    """What a tool may use while it runs. Made anew for each call."""

    session: str
    call: str
    """call id"""
    fence: Fence
    """every path goes through it; `fence.root` is the workspace"""
    seen: Seen
    """what this session has read; shared by its calls, safe to use from several threads"""
    history: History
    """bytes before change, versions after"""
    sandbox: Sandbox
    """how commands are contained, and at which level"""
    spool: Path
    """folder for whole outputs, outside the workspace; `spool/<call>` is this call's"""
    stream: Callable[[bytes], None] = no_stream
    """live output for the page; may be called from any thread"""
    stop: threading.Event = field(default_factory=threading.Event)
    """set when a person stops the call: end within a second"""
    limits: Mapping[str, int] = field(default_factory=dict)
    """caps by name (`read.lines`, `bash.timeout_cap` …); a tool falls back to its own default"""


class Args(BaseModel):
    """Base of a tool's arguments: unknown names are refused, so that a misspelt option is not silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        """`true` is not the number 1: a call that says so means something else."""
        if isinstance(value, bool) and cls.model_fields[info.field_name or ""].annotation is int:
            raise PydanticCustomError("int_type", "Input should be a number, not true or false")
        return value


class Tool:
    """Base class of every tool. The class docstring is what the model is told."""

    name: ClassVar[str]
    """set from the file name by `all_tools`"""
    reads_only: ClassVar[bool] = False
    """True: changes nothing, so calls of one turn may run at once and a cut-off call may simply run again"""
    Args: ClassVar[type[Args]]
    """pydantic model of the arguments; the JSON schema offered to the model comes from it"""

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        """What the call would do, for the gate. Runs before the decision, may run twice, changes nothing.

        Raises ToolError when the call can be refused already (bad path, outside the workspace).
        """
        raise NotImplementedError  # pragma: no cover - every tool says

    def run(self, args: Any, ctx: Context) -> "Result | Waiting":
        """Do it. Runs in a worker thread, once, after the decision. Raises ToolError to refuse."""
        raise NotImplementedError  # pragma: no cover - every tool does

    def scripts(self, args: Any, ctx: Context) -> tuple[tuple[str, str], ...]:
        """(path, sha256) of the files the call would execute; an approval binds their content."""
        del args, ctx
        return ()

    @property
    def description(self) -> str:
        return cleandoc(type(self).__doc__ or "")

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        return self.Args.model_json_schema()

    def parse(self, raw: Any) -> BaseModel:
        """Arguments as the model gave them (object or JSON text), validated. ToolError `bad_args` says what is wrong"""
        if isinstance(raw, str):
            try:
                raw = json.loads(raw or "{}")
            except ValueError as e:
                raise ToolError(
                    "bad_args", f"The arguments of {self.name} are not valid JSON: {e}. Send one JSON object."
                ) from None
        if not isinstance(raw, dict):
            raise ToolError(
                "bad_args", f"The arguments of {self.name} must be one JSON object, not {type(raw).__name__}."
            )
        try:
            return self.Args.model_validate(raw)
        except ValidationError as e:
            problems = "; ".join(
                f"{'.'.join(map(str, p['loc'])) or 'arguments'}: {p['msg']}" for p in e.errors(include_url=False)
            )
            raise ToolError("bad_args", f"{self.name}: {problems}.") from None

    def call(self, args: BaseModel, ctx: Context) -> Call:
        """The call as the gate sees it."""
        return Call(
            tool=self.name,
            args=args.model_dump(mode="json"),
            effects=self.effects(args, ctx),
            cwd=str(ctx.fence.root),
            reads_only=self.reads_only,
            files=self.scripts(args, ctx),
        )


@cache
def all_tools() -> dict[str, Tool]:
    """Every tool of this folder by name, in alphabetical order."""
    found: dict[str, Tool] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        tool: Tool = importlib.import_module(f"{__name__}.{module.name}").tool
        type(tool).name = module.name
        found[module.name] = tool
    return found
