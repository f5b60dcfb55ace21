"""A conversation in our own words, and the contract of a model provider.

A provider turns these into its vendor's wire format and back; nothing above it knows a vendor.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.journal.kinds import Usage


@dataclass(frozen=True)
class Picture:
    """An image or document, as bytes."""

    mime: str
    data: bytes
    name: str = ""


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the model is told about it."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True)
class AskedCall:
    """A call as the model asked for it."""

    id: str
    """the provider's; may be empty or used before, the loop then gives one of its own"""
    tool: str
    arguments: Any
    """JSON text, or an object where the provider gives one"""


@dataclass(frozen=True)
class UserText:
    """What a person said, or a note about what a person did."""

    text: str


@dataclass(frozen=True)
class Answer:
    """An earlier turn of the model."""

    text: str
    reasoning: str = ""
    calls: tuple[AskedCall, ...] = ()
    state: Any = None
    """`Reply.state` of that turn, back to the provider as it gave it"""


@dataclass(frozen=True)
class CallResult:
    """What a call of the answer before gave; one for each of its calls, in their order."""

    id: str
    tool: str
    data: dict[str, Any]
    ok: bool = True
    media: tuple[Picture, ...] = ()


Message = UserText | Answer | CallResult


@dataclass(frozen=True)
class TextPiece:
    """A piece of the answer while it streams."""

    text: str


@dataclass(frozen=True)
class ReasoningPiece:
    text: str


@dataclass(frozen=True)
class Reply:
    """The whole turn; the last thing a request yields."""

    text: str
    reasoning: str = ""
    calls: tuple[AskedCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    """stop, calls, length, refusal …"""
    state: Any = None
    """JSON value that this provider wants back with the turn (signatures, item ids)"""


Piece = TextPiece | ReasoningPiece | Reply


class ProviderError(Exception):
    """A request failed. `message` is for a person: what happened, with which endpoint, and what to do."""

    def __init__(self, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        """trying the same request again may help"""
        self.retry_after = retry_after
        """seconds the endpoint asked to wait"""


class Provider(Protocol):
    """A model behind an endpoint. Belongs to the event loop that first uses it."""

    @property
    def takes_images(self) -> bool:
        """False: pictures are named in words instead."""

    def request(self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> AsyncIterator[Piece]:
        """One turn, streamed; ends with exactly one `Reply`. Raises ProviderError, and nothing else of its own.

        Runs no tool, tries nothing twice, changes nothing: the caller decides whether to ask again. May be cancelled.
        """

    async def close(self) -> None:
        """Let go of connections."""
