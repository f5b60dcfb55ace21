"""Line ends are counted exactly, by whoever counts them."""

import os
import threading
from pathlib import Path

import pytest

from workbench.shell.jail import count
from workbench.shell.jail.count import Counter
from workbench.shell.jail.ring import Ring


def counted(data: bytes, monkeypatch: pytest.MonkeyPatch, small: int) -> tuple[int, bool]:
    """(line ends, whether `wc` took part)"""
    monkeypatch.setattr(count, "SMALL", small)
    counter, ring, helped, seen = Counter(), Ring(1000), False, 0
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as file:
            file.write(data)

    thread = threading.Thread(target=fill)
    thread.start()
    while True:
        copied = counter.copy(read)
        if copied == 0:
            break
        piece = ring.read(read, copied)
        if copied is None:
            if not piece:
                break
            counter.count(piece)
        else:
            helped = True
            rest = copied - len(piece)
            while rest:
                rest -= len(ring.read(read, rest))
        seen += len(piece)
    thread.join()
    os.close(read)
    counter.close()
    return counter.newlines, helped


LINES = b"".join(b"%d\n" % n for n in range(200_000))


@pytest.mark.parametrize("data", [b"", b"\n", b"no end", b"\n\n\nx", LINES, LINES + b"rest", b"\n" * 300_000])
@pytest.mark.parametrize("small", [0, 1000, 10**9])
def test_every_line_end_counts_once(monkeypatch: pytest.MonkeyPatch, data: bytes, small: int) -> None:
    newlines, helped = counted(data, monkeypatch, small)
    assert newlines == data.count(b"\n")
    assert helped == (len(data) > small)


def test_without_wc_it_counts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count.shutil, "which", lambda *_, **__: None)
    assert counted(LINES, monkeypatch, 0) == (200_000, False)


def test_what_is_no_pipe_is_counted_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(count, "SMALL", 0)
    (tmp_path / "file").write_bytes(b"a\nb\n")
    counter, ring = Counter(), Ring(100)
    with (tmp_path / "file").open("rb") as file:
        assert counter.copy(file.fileno()) is None
        counter.count(ring.read(file.fileno()))
    counter.close()
    assert counter.newlines == 2
