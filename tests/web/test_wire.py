"""Rows and records as JSON: every field, nothing secret, one line."""

import json
from datetime import UTC, datetime

from workbench.journal.kinds import ModelTurn, Record, Unknown, UserMessage
from workbench.web import wire
from workbench.web.hub import Piece


def record(event: object) -> Record:
    return Record("s1", 3, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), event, "p", "h")  # type: ignore[arg-type]


def test_an_event_has_its_number_kind_time_and_fields() -> None:
    assert wire.event(record(UserMessage(text="hi", by="ann"))) == {
        "seq": 3,
        "kind": "user_message",
        "at": "2026-01-02T03:04:05.000000+00:00",
        "text": "hi",
        "by": "ann",
        "delivery": "queue",
    }


def test_what_only_the_provider_reads_stays_out() -> None:
    assert "provider_state" not in wire.event(record(ModelTurn(turn=1, provider_state={"signature": "s"})))


def test_an_event_that_this_version_does_not_know_is_given_raw() -> None:
    found = wire.event(record(Unknown(kind_name="tomorrow", data={"x": 1})))
    assert (found["kind"], found["data"]) == ("tomorrow", {"x": 1})


def test_a_line_is_one_line_of_plain_ascii() -> None:
    line = wire.event_line(record(UserMessage(text="a\n\u2028\x1b雪", by="ann")))
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == "a\n\u2028\x1b雪"


def test_the_queue_says_which_session() -> None:
    assert json.loads(wire.queue_line(record(UserMessage(text="x", by="ann"))))["session"] == "s1"


def test_a_live_piece_has_no_number() -> None:
    assert json.loads(wire.piece_line(Piece("output", "c1", "x"))) == {
        "live": "output",
        "key": "c1",
        "data": "x",
        "whole": False,
    }
