"""The changed blocks between two contents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history import changes
from workbench.history.changes import TooHard, blocks, compare, grouped, lines_of
from workbench.history.worker import Worker

CONTENT = st.builds(
    lambda lines, tail: b"".join(lines) + tail,
    st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\0\n"]), max_size=25),
    st.sampled_from([b"", b"x", b"\r"]),
)


def test_no_change_no_block() -> None:
    assert blocks(b"a\n", b"a\n") == []
    assert lines_of(b"") == []


@given(st.binary(max_size=60))
@settings(deadline=None)
def test_lines_give_the_content_back(data: bytes) -> None:
    assert b"".join(lines_of(data)) == data


@given(CONTENT, CONTENT)
@settings(deadline=None)
def test_blocks_turn_one_into_the_other(old: bytes, new: bytes) -> None:
    a, b = lines_of(old), lines_of(new)
    out, at, last = [], 0, -1
    for w, x, y, z in blocks(old, new):
        assert w > last or (w, y) == (0, 0)
        assert (w, y) != (x, z)
        out += a[at:w] + b[y:z]
        assert out[len(out) - (z - y) :] == b[y:z]
        at = last = x
    assert b"".join(out + a[at:]) == new


def test_blocks_share_a_hunk_when_their_context_meets() -> None:
    found = [(1, 2, 1, 2), (8, 9, 8, 9), (16, 17, 16, 17)]
    assert [len(g) for g in grouped(found, 3)] == [2, 1]
    assert grouped([], 3) == []


def test_large_contents_are_compared_elsewhere_with_the_same_result() -> None:
    old = b"".join(b"line %d\n" % i for i in range(changes.LARGE))
    new = old.replace(b"7\n", b"seven\n")
    assert blocks(old, new) == compare(old, new)


def test_a_helper_that_gives_no_answer_is_too_hard(monkeypatch) -> None:
    """`python -m this` says something else and ends."""
    old = b"x\n" * changes.LARGE
    with monkeypatch.context() as m:
        m.setattr(changes, "_worker", Worker("this"))
        with pytest.raises(TooHard):
            blocks(old, old + b"y\n")
    assert blocks(old, old + b"y\n") == compare(old, old + b"y\n")
