"""The scripted model: needs no key, decides its next turn from the conversation so far, and makes real tool calls."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from workbench.agent.messages import (
    Answer,
    AskedCall,
    CallResult,
    Message,
    Piece,
    Provider,
    ReasoningPiece,
    Reply,
    TextPiece,
    ToolSpec,
    UserText,
)
from workbench.agent.providers import Endpoint
from workbench.agent.tour import Data, Heard, Turn, aside, tour
from workbench.journal.kinds import Usage

LOST = Turn("This session was begun by another version of the demo, so I have lost my place. Please start a new one.")


def make(model: str, endpoint: Endpoint) -> Provider:
    del model
    return Demo(endpoint.pace_s)


@dataclass(frozen=True)
class Demo:
    """`agent.messages.Provider` without a model."""

    pace_s: float
    takes_images: bool = False

    async def request(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[Piece]:
        del system, tools
        turn = next_turn(messages)
        for words in re.findall(r"\s*\S+", turn.reasoning):
            yield ReasoningPiece(words)
        for words in re.findall(r"\s*\S+(?:\s+\S+)?", turn.text):
            yield TextPiece(words)
            await asyncio.sleep(self.pace_s)
        number = sum(isinstance(m, Answer) for m in messages) + 1
        calls = tuple(AskedCall(f"demo_{number}_{i}", tool, args) for i, (tool, args) in enumerate(turn.calls, 1))
        yield Reply(
            turn.text,
            reasoning=turn.reasoning,
            calls=calls,
            usage=Usage(cost_usd=0.0),
            finish="calls" if calls else "stop",
        )

    async def close(self) -> None:
        """Nothing is held."""


@dataclass
class Exchange:
    """An answer of ours and what came after it."""

    answer: Answer
    results: list[Data]
    said: list[str]


def next_turn(messages: Sequence[Message]) -> Turn:
    """The script, run from its start with what the conversation holds."""
    script = tour()
    turn = next(script)
    waiting: list[str] = []
    for exchange in _exchanges(messages):
        if turn.calls and not exchange.answer.calls:  # it was stopped in mid-sentence: say it again
            waiting += exchange.said
            continue
        if [c.tool for c in exchange.answer.calls] != [tool for tool, _ in turn.calls]:
            return LOST
        said = (*waiting, *exchange.said)
        turn = script.send(Heard(tuple(exchange.results), said))
        if not turn.replies:
            turn = replace(turn, text=aside(said) + turn.text)
        waiting = []
    return turn


def _exchanges(messages: Sequence[Message]) -> list[Exchange]:
    found: list[Exchange] = []
    for message in messages:
        match message:
            case Answer():
                found.append(Exchange(message, [], []))
            case CallResult() if found:
                found[-1].results.append(message.data)
            case UserText() if found:
                found[-1].said.append(message.text)
            case _:
                pass
    return found
