"""Records of a small session."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from workbench.journal import chain
from workbench.journal.kinds import Event, ModelTurn, Record, SessionDone, SessionStarted, ToolCall, ToolResult, Usage

BEGAN = datetime(2030, 1, 2, 3, 4, 5, 678901, UTC)


def sealed(events: list[Event], session: str = "s1") -> list[Record]:
    """The events as a journal keeps them: written down and read again."""
    records: list[Record] = []
    prev = chain.START
    for number, event in enumerate(events, start=1):
        record = chain.seal(session, prev, number, BEGAN + timedelta(seconds=number), event)
        records.append(chain.from_line(chain.to_line(record)))
        prev = record.hash
    return records


@pytest.fixture
def events() -> list[Event]:
    return [
        SessionStarted(task="mend it", workspace="/w", model="demo", mode="ask"),
        ModelTurn(turn=1, text="I look.\r\n\x1b[31m\u2028", usage=Usage(input_tokens=5, output_tokens=2, cost_usd=0.5)),
        ToolCall(call_id="c1", turn=1, tool="read_file", args={"path": "é", "n": 0.1}),
        ToolResult(call_id="c1", ok=True, data={"content": "x"}),
        ModelTurn(turn=2, text="Done."),
        SessionDone(),
    ]


@pytest.fixture
def records(events: list[Event]) -> list[Record]:
    return sealed(events)


@pytest.fixture
def sealer() -> Callable[..., list[Record]]:
    """Events to records."""
    return sealed
