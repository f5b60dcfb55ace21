"""Our messages to `pydantic_ai.direct` and back: what the providers of real endpoints share.

Importing this loads `pydantic_ai`, so only providers do, and they are themselves loaded when one is made. The SDKs
retry nothing here: a request is sent once, and the loop decides what a failure means.
"""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import TypeAdapter
from pydantic_ai import exceptions as failures
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from workbench.agent.messages import (
    Answer,
    AskedCall,
    CallResult,
    Message,
    Picture,
    Piece,
    ProviderError,
    ReasoningPiece,
    Reply,
    TextPiece,
    ToolSpec,
    UserText,
)
from workbench.journal.kinds import Usage

log = logging.getLogger(__name__)

THINKING = TypeAdapter(list[ThinkingPart])
FINISH = {"stop": "stop", "length": "length", "content_filter": "refusal", "tool_call": "calls", "error": "error"}


@dataclass
class Wire:
    """`agent.messages.Provider` over a pydantic_ai model."""

    model: Model[Any]
    where: str
    """the endpoint's address"""
    closing: Callable[[], Awaitable[None]]
    key: str = field(default="", repr=False)
    """never in an error text, also when the endpoint repeats it"""
    settings: ModelSettings = field(default_factory=ModelSettings)
    takes_images: bool = True

    async def request(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[Piece]:
        history = to_wire(system, messages, images=self.takes_images)
        parameters = ModelRequestParameters(function_tools=[_tool(t) for t in tools], allow_text_output=True)
        try:
            opened = model_request_stream(
                self.model, history, model_request_parameters=parameters, model_settings=self.settings
            )
            async with opened as stream:
                async for event in stream:
                    if piece := _piece(event):
                        yield piece
                response = stream.get()
        except Exception as e:
            raise self._failure(e, history) from e
        yield self._reply(response)

    async def close(self) -> None:
        await self.closing()

    def _reply(self, response: ModelResponse) -> Reply:
        if response.finish_reason is None:
            where = shown(self.where)
            raise ProviderError(
                f"The answer from the endpoint {where} broke off before it was complete.", retryable=True
            )
        thinking = [p for p in response.parts if isinstance(p, ThinkingPart)]
        calls = [p for p in response.parts if isinstance(p, ToolCallPart)]
        return Reply(
            text="".join(p.content for p in response.parts if isinstance(p, TextPart)),
            reasoning="\n\n".join(p.content for p in thinking if p.content),
            calls=tuple(AskedCall(p.tool_call_id, p.tool_name, p.args or "{}") for p in calls),
            usage=_usage(response),
            finish="calls" if calls else FINISH[response.finish_reason],
            state=_state(thinking, calls),
        )

    def _failure(self, error: Exception, history: Sequence[ModelMessage]) -> ProviderError:
        if isinstance(error, ProviderError):
            return error
        failure = explain(error, f"the endpoint {shown(self.where)}", hide=self.key)
        if _rejected(error) and self.takes_images and _has_images(history):
            self.takes_images = False
            message = f"{failure.message} The images are left out from now on, in case that is the reason."
            return ProviderError(message, retryable=True)
        return failure


def to_wire(system: str, messages: Sequence[Message], *, images: bool) -> list[ModelMessage]:
    """The conversation as requests and responses in turn."""
    found: list[ModelMessage] = []
    parts: list[ModelRequestPart] = [SystemPromptPart(system)] if system else []
    for message in messages:
        match message:
            case UserText(text):
                parts.append(UserPromptPart(text))
            case CallResult():
                parts.append(_result(message, images=images))
            case Answer():
                if parts:
                    found.append(ModelRequest(parts=parts))
                parts = []
                found.append(ModelResponse(parts=_answer(message)))
    if parts:
        found.append(ModelRequest(parts=parts))
    return found


def _result(result: CallResult, *, images: bool) -> ToolReturnPart[Any]:
    shown = [BinaryContent(data=p.data, media_type=p.mime) for p in result.media if images and p.data]
    data = result.data if len(shown) == len(result.media) else {**result.data, "not_shown": _names(result.media)}
    content: Any = [data, *shown] if shown else data
    return ToolReturnPart(tool_name=result.tool, content=content, tool_call_id=result.id)


def _names(media: Sequence[Picture]) -> list[str]:
    return [f"{p.name or 'unnamed'} ({p.mime}): this model takes no images" for p in media]


def _answer(answer: Answer) -> list[ModelResponsePart]:
    state = answer.state if isinstance(answer.state, dict) else {}
    parts: list[ModelResponsePart] = list(THINKING.validate_python(state.get("thinking", [])))
    if answer.text:
        parts.append(TextPart(answer.text))
    extras = state.get("calls", [])
    for number, call in enumerate(answer.calls):
        arguments = call.arguments if isinstance(call.arguments, dict) else {"not_valid_json": str(call.arguments)}
        extra = extras[number] if number < len(extras) and isinstance(extras[number], dict) else {}
        parts.append(ToolCallPart(call.tool, arguments, call.id, **extra))
    return parts


def _state(thinking: list[ThinkingPart], calls: list[ToolCallPart[Any]]) -> Any:
    """What must go back verbatim: signed thinking, and what a vendor hung on its calls."""
    state: dict[str, Any] = {}
    if signed := [p for p in thinking if p.signature or p.id or p.provider_details]:
        state["thinking"] = THINKING.dump_python(signed, mode="json")
    extras = [
        {k: v for k in ("id", "provider_name", "provider_details") if (v := getattr(p, k)) is not None} for p in calls
    ]
    if any("provider_details" in e or "id" in e for e in extras):
        state["calls"] = json.loads(json.dumps(extras, default=str))
    return state or None


def _piece(event: Any) -> Piece | None:
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return TextPiece(text) if text else None
        case PartStartEvent(part=ThinkingPart(content=text)):
            return ReasoningPiece(text) if text else None
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=more)):
            return ReasoningPiece(more) if more else None
        case _:
            return None


def _tool(spec: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=spec.name, description=spec.description, parameters_json_schema=spec.schema, strict=False
    )


def _usage(response: ModelResponse) -> Usage:
    used = response.usage
    try:
        cost = float(response.cost().total_price)
    except Exception as e:  # no price is known for many models, in many ways
        log.debug("no price for %s: %s", response.model_name, e)
        cost = None
    return Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cost_usd=cost,
    )


def _has_images(history: Sequence[ModelMessage]) -> bool:
    parts = (p for m in history if isinstance(m, ModelRequest) for p in m.parts if isinstance(p, ToolReturnPart))
    return any(isinstance(c, BinaryContent) for p in parts if isinstance(p.content, list) for c in p.content)


def _rejected(error: Exception) -> bool:
    """The endpoint dislikes the request itself, for a reason that images could be."""
    others = failures.ModelAuthenticationError | failures.ModelNotFoundError | failures.ModelContextWindowExceededError
    return isinstance(error, failures.ModelRequestRejectedError) and not isinstance(error, others)


EXPLAINED: tuple[tuple[type[Exception], str, bool], ...] = (
    (failures.ModelAuthenticationError, "{where} refuses the key. Check it in the settings or the environment.", False),
    (failures.ModelNotFoundError, "{where} does not know the model {model}, or the base URL is wrong.", False),
    (failures.ModelContextWindowExceededError, "The conversation no longer fits into the context of {model}.", False),
    (failures.ModelQuotaExceededError, "The account at {where} has no quota or credit left.", False),
    (failures.ModelRequestRejectedError, "{where} rejects the request.", False),
    (failures.ModelRateLimitError, "{where} limits the rate of requests.", True),
    (failures.ModelUnavailableError, "{where} is overloaded or not available.", True),
    (failures.ModelServerError, "{where} had an error of its own.", True),
    (failures.ModelTimeoutError, "{where} did not answer in time.", True),
    (failures.ModelRequestTimeout, "{where} did not answer in time.", True),
    (failures.ModelConnectionError, "The connection to {where} can't be made, or broke off.", True),
    (failures.ContentFilterError, "{where} filtered the answer.", False),
    (failures.ModelAPIError, "The request to {where} failed or broke off.", True),
    (failures.UnexpectedModelBehavior, "The answer from {where} can't be understood.", True),
)  # fmt: skip
"""kind of failure, what a person is told, whether to try again; the first that fits"""


def shown(url: str) -> str:
    """The address without what it may hold of a login."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def explain(error: Exception, where: str, *, hide: str = "") -> ProviderError:
    """Any exception of the layers below as one of ours; `hide` is left out of what the endpoint said."""
    detail = _detail(error, hide)
    for kind, text, retryable in EXPLAINED:
        if isinstance(error, kind):
            said = text.format(where=where, model=getattr(error, "model_name", "the model"))
            said = said[:1].upper() + said[1:]
            retry_after = getattr(error, "retry_after", None)
            return ProviderError(f"{said} {detail}".strip(), retryable=retryable, retry_after=retry_after)
    log.error("a request to %s failed in an unknown way", where, exc_info=error)
    return ProviderError(f"The request to {where} failed. {detail}".strip(), retryable=False)


def _detail(error: Exception, hide: str) -> str:
    """What the endpoint itself said, on one short line."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    text = inner.get("message") if isinstance(inner, dict) else inner
    if not text:
        cause = error.__cause__ or error
        text = str(cause) or type(cause).__name__
    line = " ".join(str(text).split())
    line = line.replace(hide, "•••") if hide else line
    line = line if len(line) <= 300 else line[:299] + "…"
    return f"(HTTP {status}: {line})" if status else f"({line})"
