"""The hash chain finds whatever was done to a journal (J2)."""

import copy
import json
import random
from collections.abc import Callable

import pytest

from workbench.journal import chain
from workbench.journal.kinds import KINDS, Event, ModelTurn, Record, Unknown


@pytest.fixture
def lines(records: list[Record]) -> list[chain.Line]:
    return [json.loads(json.dumps(chain.to_line(r))) for r in records]


def test_an_untouched_journal_fits(lines: list[chain.Line]) -> None:
    assert chain.verify(lines) is None
    assert chain.verify([]) is None


def test_a_record_survives_being_written_and_read(records: list[Record]) -> None:
    for record in records:
        assert chain.from_line(json.loads(json.dumps(chain.to_line(record)))) == record


def test_only_fields_that_were_set_are_stored() -> None:
    assert chain.dump(ModelTurn(turn=1)) == {"turn": 1}


def test_the_same_content_gives_the_same_hash_whatever_the_order_of_keys(lines: list[chain.Line]) -> None:
    turned = [dict(reversed(line.items())) for line in lines]
    assert chain.verify(turned) is None


@pytest.mark.parametrize(
    ("where", "change", "words"),
    [
        (3, lambda ls: ls[2].update(data={**ls[2]["data"], "tool": "bash"}), "changed"),
        (3, lambda ls: ls[2].update(at="2031-01-02T03:04:08.678901+00:00"), "changed"),
        (3, lambda ls: ls[2].update(kind="tool_result"), "changed"),
        (3, lambda ls: ls[2].update(hash="0" * 64), "changed"),
        (3, lambda ls: ls.pop(2), "missing"),
        (3, lambda ls: ls.insert(2, copy.deepcopy(ls[1])), "inserted"),
        (2, lambda ls: ls.reverse() or ls.insert(0, ls.pop()), "out of order"),
        (1, lambda ls: ls.pop(0), "missing"),
        (4, lambda ls: ls[3].pop("prev"), "prev"),
        (4, lambda ls: ls[3].update(extra=1), "extra"),
        (4, lambda ls: ls[3].update(session="other"), "belongs to session other"),
        (4, lambda ls: ls[3].update(data=float("nan")), "not JSON"),
    ],
)
def test_the_first_place_that_does_not_fit_is_named(
    lines: list[chain.Line], where: int, change: Callable[[list[chain.Line]], object], words: str
) -> None:
    change(lines)
    flaw = chain.verify(lines)
    assert flaw is not None and flaw.seq == where and words in flaw.message


def test_a_record_that_was_changed_and_hashed_anew_breaks_the_next(lines: list[chain.Line]) -> None:
    lines[2]["data"]["tool"] = "bash"
    lines[2]["hash"] = chain.link(*(lines[2][k] for k in ("prev", "session", "seq", "at", "kind", "data")))
    flaw = chain.verify(lines)
    assert flaw is not None and flaw.seq == 4 and "does not follow" in flaw.message


def test_every_flipped_character_is_found(lines: list[chain.Line], rounds: Callable[[int], int]) -> None:
    dice = random.Random(5)
    for _ in range(rounds(2000)):
        number = dice.randrange(len(lines))
        text = json.dumps(lines[number])
        at = dice.randrange(len(text))
        changed = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
        try:
            line = json.loads(changed)
        except ValueError:
            continue
        if not isinstance(line, dict) or line == lines[number]:
            continue
        flaw = chain.verify([*lines[:number], line, *lines[number + 1 :]])
        assert flaw is not None and flaw.seq == number + 1, changed


@pytest.mark.parametrize("kind", ["from_the_future", *KINDS])
def test_what_is_not_understood_is_kept_and_still_fits(kind: str) -> None:
    data = {"new_field": [1, {"a": None}], "turn": "no number"}
    event = chain.load(kind, data)
    assert event == Unknown(kind_name=kind, data=data)
    assert (chain.name(event), chain.dump(event)) == (kind, data)


def test_a_kind_that_gained_a_field_keeps_the_hashes_of_its_old_records(records: list[Record]) -> None:
    class Wider(ModelTurn):
        colour: str = "none"

    old = KINDS["model_turn"]
    KINDS["model_turn"] = Wider
    try:
        lines = [chain.to_line(chain.from_line(chain.to_line(r))) for r in records]
    finally:
        KINDS["model_turn"] = old
    assert chain.verify(lines) is None


def test_a_copy_that_is_behind_is_no_flaw_one_that_differs_is(lines: list[chain.Line]) -> None:
    assert chain.compare(lines, lines[:3], session="s1") is None
    assert chain.compare(lines, [], session="s1") is None
    other = copy.deepcopy(lines)
    other[4]["hash"] = "f" * 64
    flaw = chain.compare(lines, other, session="s1")
    assert flaw is not None and flaw.seq == 5
    flaw = chain.compare(lines[:3], lines, session="s1")
    assert flaw is not None and flaw.seq == 4


def test_an_event_is_stored_the_same_after_any_number_of_rounds(events: list[Event]) -> None:
    for event in events:
        once = chain.dump(event)
        again = chain.dump(chain.load(chain.name(event), json.loads(json.dumps(once))))
        assert json.dumps(once) == json.dumps(again)
