"""Sets of places, against sets of single characters."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.files.spans import cut, merged, missing, shifted

WIDTH = 4
PLACES = st.tuples(st.integers(0, 6), st.integers(0, WIDTH - 1))
SPANS = st.lists(st.tuples(PLACES, PLACES))


def characters(spans: object) -> set[tuple[int, int]]:
    """The places within, in a text of lines that are all of one width."""
    return {
        (line, column)
        for start, end in spans  # type: ignore[attr-defined]
        for line in range(10)
        for column in range(WIDTH)
        if start <= (line, column) < end
    }


@given(SPANS)
def test_merged_spans_hold_the_same_places_and_never_touch(spans: list[object]) -> None:
    found = merged(spans)  # type: ignore[arg-type]
    assert characters(found) == characters(spans)
    assert all(a[1] < b[0] for a, b in pairwise(found))


@given(SPANS, st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_missing_lines_are_those_not_wholly_seen(spans: list[object], need: list[tuple[int, int]]) -> None:
    held = characters(spans)
    wanted = {line for first, end in need for line in range(first, end)}
    expected = {line for line in wanted if any((line, column) not in held for column in range(WIDTH))}
    found = missing(merged(spans), need)  # type: ignore[arg-type]
    assert {line for first, end in found for line in range(first, end)} == expected


def test_the_two_halves_of_a_long_line_are_the_line() -> None:
    halves = merged([((3, 0), (3, 500)), ((3, 500), (4, 0))])
    assert missing(halves, [(3, 4)]) == []
    assert missing(halves[:0] + merged([((3, 0), (3, 500))]), [(3, 4)]) == [(3, 4)]


def test_lines_after_a_change_move_and_the_new_ones_are_seen() -> None:
    seen = merged([((0, 0), (10, 0))])
    assert shifted(seen, [(2, 1, 4)]) == (((0, 0), (13, 0)),)
    assert shifted(seen, [(2, 3, 0)]) == (((0, 0), (7, 0)),)
    assert shifted(merged([((0, 0), (2, 0)), ((8, 0), (9, 0))]), [(1, 1, 1), (8, 1, 2)]) == (
        ((0, 0), (2, 0)),
        ((8, 0), (10, 0)),
    )


def test_what_was_not_seen_stays_unseen_after_a_change() -> None:
    assert shifted(merged([((4, 0), (6, 0))]), [(0, 0, 3)]) == (((0, 0), (3, 0)), ((7, 0), (9, 0)))
    assert cut([((0, 0), (5, 0))], (1, 2), (3, 0)) == [((1, 2), (3, 0))]
