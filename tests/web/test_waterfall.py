"""Calls over time, in percent of the width."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.records import START, answered, asked, call, card, decided, question, result, sealed, started
from workbench.journal.kinds import ModelTurn
from workbench.web.waterfall import Scale, Waterfall


def at(seconds: float):  # type: ignore[no-untyped-def]
    return START + timedelta(seconds=seconds)


def test_nothing_makes_an_empty_picture() -> None:
    empty = Waterfall([], [], START)
    assert empty.bars == [] and [t.label for t in empty.ticks] == ["0:00", "0:01"]


def test_a_call_is_a_bar_from_its_start_to_its_end() -> None:
    one = card(call(), started(), result(), seconds=(0, 2, 8))
    bar = Waterfall([one], [], at(10)).bars[0]
    assert (bar.look, bar.x, bar.width, bar.seq, bar.label) == ("done", 20.0, 60.0, 1, "bash 6.0 s")
    assert bar.inside and bar.label_x == bar.x


def test_a_running_call_grows_to_now() -> None:
    one = card(call(), started(), seconds=(0, 5))
    bar = Waterfall([one], [], at(10)).bars[0]
    assert (bar.look, bar.x + bar.width, bar.label) == ("running", 100.0, "bash running")


def test_a_wait_for_a_person_is_a_bar_of_its_own() -> None:
    waits = card(call(), asked(), seconds=(0, 1))
    assert [(b.look, b.label) for b in Waterfall([waits], [], at(4)).bars] == [("needs", "needs you 0:03")]
    over = card(call("ask_user"), started(), question(), answered(), result({}), seconds=(0, 1, 1, 4, 4))
    assert [(b.look, b.label) for b in Waterfall([over], [], at(5)).bars] == [("needs", "asked you 0:03")]


def test_a_long_wait_is_folded_and_says_so() -> None:
    cards = [
        card(call(), started(), result(), seconds=(0, 0, 10)),
        card(call(), asked(), decided(), started(), result(), seconds=(10, 10, 3610, 3610, 3620)),
    ]
    fall = Waterfall(cards, [], at(3620))
    looks = {bar.label.split()[0]: bar for bar in fall.bars}
    assert looks["asked"].width < 25
    assert looks["bash"].width > 30
    assert [t.label for t in fall.ticks if "folded" in t.label] == ["0:10, this wait is folded"]
    assert fall.said == "2 calls in 1:00:20, 1:00:00 of it waiting for people"


def test_what_runs_meanwhile_keeps_a_wait_open() -> None:
    waits = card(call(), asked(), seconds=(0, 1))
    runs = card(call(), started(), seconds=(0, 1))
    assert Waterfall([waits, runs], [], at(600)).scale.folds == []


def test_calls_at_the_same_time_lie_in_two_lanes() -> None:
    cards = [card(call(), started(), result(), seconds=(0, n, n + 5)) for n in (0, 1, 2)]
    assert [bar.lane for bar in sorted(Waterfall(cards, [], at(20)).bars, key=lambda b: b.x)] == [0, 1, 0]


def test_a_label_that_would_lie_on_the_next_bar_is_left_out() -> None:
    cards = [card(call(), started(), result(), seconds=(0, n, n + 0.1)) for n in range(0, 60, 2)]
    bars = Waterfall(cards, [], at(60)).bars
    by_lane: dict[int, list] = {}  # type: ignore[type-arg]
    for bar in bars:
        by_lane.setdefault(bar.lane, []).append(bar)
    for lane in by_lane.values():
        for left, right in pairwise(lane):
            assert not left.label or left.x + left.width + len(left.label) * 0.6 < right.x + 1


def test_the_models_turns_lie_beneath() -> None:
    turns = sealed([ModelTurn(turn=1, duration_ms=3000)], seconds=(4,))
    bar = Waterfall([], turns, at(9)).bars[0]
    assert (bar.look, bar.x, bar.width) == ("model", 0.0, 37.5)


@given(st.lists(st.tuples(st.floats(0, 5000), st.floats(0, 3000), st.booleans()), max_size=15))
def test_time_never_runs_backwards_and_stays_within_the_picture(spans: list[tuple[float, float, bool]]) -> None:
    waits = [(a, a + b) for a, b, wait in spans if wait]
    work = [(a, a + b) for a, b, wait in spans if not wait]
    scale = Scale(START, at(9000), waits, work)
    marks = [scale.percent(s) for s in range(0, 9001, 60)]
    assert marks == sorted(marks)
    assert marks[0] == 0 and marks[-1] == pytest.approx(100, abs=0.01)
    assert all(0 <= tick.x <= 100 for tick in scale.ticks())
