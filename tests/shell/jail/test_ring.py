"""The end of a stream in memory that never grows."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import given
from hypothesis import strategies as st

from workbench.shell.jail.ring import Ring


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    try:
        yield read, write
    finally:
        os.close(read)
        os.close(write)


@given(
    st.lists(st.binary(min_size=1, max_size=60), max_size=60),
    st.integers(1, 80),
    st.integers(1, 40),
    st.integers(0, 99),
)
def test_it_holds_the_end_of_everything(pieces: list[bytes], keep: int, window: int, size: int) -> None:
    ring = Ring(keep, window)
    whole = b""
    with pipe() as (read, write):
        for piece in pieces:
            os.write(write, piece)
            got = b""
            while len(got) < len(piece):
                got += bytes(ring.read(read, len(piece) - len(got)))
            assert got == piece
            whole += piece
            assert ring.end(keep) == whole[-keep:]
            end = ring.end(size)
            assert whole.endswith(end)
            assert len(end) >= min(size, keep, len(whole))


def test_a_pipe_that_ended_gives_nothing() -> None:
    ring = Ring(10)
    read, write = os.pipe()
    os.write(write, b"x")
    os.close(write)
    assert bytes(ring.read(read)) == b"x"
    assert bytes(ring.read(read)) == b""
    assert ring.end(5) == b"x"
    os.close(read)
