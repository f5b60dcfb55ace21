"""Output as it comes: counted, kept up to a quota, shown in pieces, its tail cut at a line (SPEC B2)."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.shell.jail.output import LIVE_MOST, TAIL, Output, cut_tail


def feed(taken: Output, pieces: list[bytes]) -> None:
    """Through a pipe, as it comes from a command."""
    read, write = os.pipe()
    for piece in pieces:
        for start in range(0, len(piece), 60_000):
            os.write(write, piece[start : start + 60_000])
            assert taken.take(read)
    os.close(write)
    assert not taken.take(read)
    os.close(read)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_a_tail_is_an_end_that_begins_at_a_line_or_a_character(whole: bytes, size: int) -> None:
    last = whole[-size:] if size else b""
    tail = cut_tail(last, len(whole))
    assert whole.endswith(tail)
    if len(last) < len(whole) and b"\n" in last[:-1]:
        assert whole[: len(whole) - len(tail)].endswith(b"\n")


def test_a_tail_never_starts_inside_a_character() -> None:
    whole = ("漢" * 4000).encode()
    tail = cut_tail(whole[-8191:], len(whole))
    assert tail.decode() == "漢" * (8191 // 3)


def test_output_that_fits_is_not_cut() -> None:
    assert cut_tail(b"half a line", 11) == b"half a line"


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=30))
def test_the_spool_holds_all_within_its_quota(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    spool = tmp_path_factory.mktemp("spool") / "c"
    live: list[bytes] = []
    taken = Output(spool, 1024 * 1024, live.append)
    feed(taken, pieces)
    taken.close()
    whole = b"".join(pieces)
    assert spool.read_bytes() == whole == b"".join(live)
    assert (taken.total, taken.spooled, taken.full) == (len(whole), len(whole), "")
    assert taken.lines == len(whole.split(b"\n")) - (whole.endswith(b"\n") or not whole)
    assert taken.tail() == cut_tail(whole[-TAIL:], len(whole))


@given(st.lists(st.binary(min_size=1, max_size=400), min_size=1, max_size=40), st.integers(100, 2000))
def test_beyond_the_quota_the_beginning_and_the_end_are_kept(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], quota: int
) -> None:
    spool = tmp_path_factory.mktemp("spool") / "c"
    taken = Output(spool, quota, lambda _: None)
    feed(taken, pieces)
    taken.close()
    whole, kept = b"".join(pieces), spool.read_bytes()
    assert taken.spooled <= quota
    if len(whole) <= quota - quota // 4:
        assert (kept, taken.full) == (whole, "")
        return
    left_out = len(whole) - taken.spooled
    mark = b"\n[\xe2\x80\xa6 %d bytes not kept \xe2\x80\xa6]\n" % left_out if left_out else b""
    head = quota - quota // 4
    assert kept == whole[:head] + mark + whole[len(whole) - (taken.spooled - head) :]


def test_what_goes_by_too_fast_to_show_is_said(tmp_path: Path) -> None:
    live: list[bytes] = []
    taken = Output(tmp_path / "c", 10 * LIVE_MOST, live.append)
    feed(taken, [b"first\n", b"x" * 99 + b"\n" + b"y\n" * LIVE_MOST])
    taken.close()
    assert live[0] == b"first\n"
    assert len(live) == 2
    assert b"bytes went by too fast to show" in live[1]
    assert live[1].endswith(b"y\ny\n")
    assert len(live[1]) < LIVE_MOST + 100
