"""Pages joined give back the file, whatever is in it; and any page of a large file is found."""

import hashlib
import itertools
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.files import Refused, lines, opened
from workbench.files.decode import decode
from workbench.files.fence import Fence
from workbench.files.opened import open_text
from workbench.files.page import Caps, Next, Page, read

ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "gb18030", "shift_jis", "latin-1", "big5"]
PIECES = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "\r\n",
        "\r",
        "\r\r\n",
        "\n\n",
        "\t",
        "é",
        "名",
        "日本語",
        "\U0001f389",
        "\f",
        "\u2028",
        "x" * 50,
    ]
)


def pages(fence: Fence, name: str, *, limit: int, caps: Caps, encoding: str | None = None) -> list[Page]:
    """All pages of a file, following `next`."""
    found = [read(fence, name, limit=limit, caps=caps, encoding=encoding)]
    while following := found[-1].next:
        assert len(found) < 5000, "does not get on"
        found.append(
            read(
                fence, name, offset=following.offset, column=following.column, limit=limit, caps=caps, encoding=encoding
            )
        )
    return found


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    return Fence(tmp_path)


@given(
    data=st.one_of(
        st.tuples(st.lists(PIECES).map("".join), st.sampled_from(ENCODINGS)).map(
            lambda case: case[0].encode(case[1], "replace")
        ),
        st.binary(max_size=300),
        st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"\xe4", b"\xbd\xa0", b"\x81", b"\xff"])).map(b"".join),
    ),
    encoding=st.sampled_from(ENCODINGS),
    limit=st.integers(1, 5),
    chars=st.integers(1, 60),
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_joined_are_the_file(fence: Fence, data: bytes, encoding: str, limit: int, chars: int) -> None:
    """R2: every character of the LF view once, for any bytes read in any encoding."""
    (fence.root / "f").write_bytes(data)
    try:
        whole = decode(data, encoding)
    except Refused as e:
        assert e.code == "binary"
        return
    found = pages(fence, "f", limit=limit, caps=Caps(chars=chars), encoding=encoding)
    assert "".join(page.text for page in found) == lines.lf_view(whole.view)
    assert found[0].total_lines == lines.count(whole.text)
    for page, following in itertools.pairwise(found):
        assert page.span[1] == following.span[0]
        assert sum(map(len, page.pieces)) + len(page.pieces) - 1 <= chars or len(page.pieces) == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("content", ["many lines", "long lines", "one line", "crlf at chunk ends"])
def test_a_large_file_gives_the_same_pages(
    fence: Fence, content: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9: scanned chunk by chunk from the disk, with the whole-file limits lowered."""
    for name in ("WHOLE", "_SMALL", "_SAMPLE"):
        monkeypatch.setattr(opened, name, 1000)
    unit = {"many lines": "line é 名\r\n", "long lines": "日本 é x" * 9000 + "\n", "one line": "aé名" * 40000}.get(
        content
    )
    text = unit * (30000 // len(unit) + 3) if unit else ("a" * (128 * 1024 - 1) + "\r\n") * 3 + "\rz"
    data = text.encode(encoding, "replace")
    text = lines.lf_view(data.decode(encoding))
    if encoding.startswith("utf-") and encoding != "utf-8":
        data = "\ufeff".encode(encoding) + data
    (fence.root / "f").write_bytes(data)
    os.utime(fence.root / "f", (1, 1))
    found = pages(fence, "f", limit=500, caps=Caps(chars=20_000), encoding=encoding)
    assert "".join(page.text for page in found) == text
    assert found[0].version.startswith("stat-")
    assert found[-1].total_lines == lines.count(text)


def test_a_page_deep_in_a_long_line_costs_no_more(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    """R2, R9: the index has marks inside the line too."""
    for name in ("WHOLE", "_SMALL"):
        monkeypatch.setattr(opened, name, 1000)
    (fence.root / "f").write_text("é" * 3_000_000)
    page = read(fence, "f", column=2_900_000, caps=Caps(chars=100))
    assert (page.pieces, page.next) == (("é" * 100,), Next(0, 2_900_100))
    with open_text(fence, fence.resolve("f")) as file:
        file.facts.index.scan(file.pread, until=None, budget=1 << 30, stop=lambda: False)
        assert file.facts.index.before(0, 2_900_000)[1] > 2_700_000


def test_only_what_is_needed_is_read(fence: Fence) -> None:
    """R9: a page near the top of a huge file does not look at the rest."""
    path = fence.root / "f"
    with path.open("wb") as file:
        file.write(b"line\n" * 100_000)
        file.truncate(1 << 40)
    began = time.monotonic()
    page = read(fence, "f", offset=50_000)
    assert time.monotonic() - began < 1
    assert (page.pieces[0], page.total_lines, page.next) == ("line", None, Next(50_080))


def test_stopping_ends_the_search_for_a_page(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "WHOLE", 1000)
    (fence.root / "f").write_bytes(b"line\n" * 200_000)
    page = read(fence, "f", offset=150_000, stop=lambda: True)
    assert (page.pieces, page.next, page.cut_by) == ((), Next(150_000), "seek")


def test_a_page_of_a_large_file_carries_the_hash_of_its_bytes(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9"""
    monkeypatch.setattr(opened, "WHOLE", 1000)
    monkeypatch.setattr(opened, "_SMALL", 1000)
    data = "名称\r\n".encode("gb18030") * 1000
    (fence.root / "f").write_bytes(data)
    page = read(fence, "f", offset=10, limit=5, encoding="gb18030")
    assert page.bytes_seen is not None
    start, end, sha256 = page.bytes_seen
    assert (start, end) == (60, 90)
    assert hashlib.sha256(data[start:end]).hexdigest() == sha256


def test_a_file_cut_under_the_reader_never_crashes(fence: Fence, rounds: Callable[[int], int]) -> None:
    path = fence.root / "f"
    path.write_bytes(b"line\n" * 100_000)
    stop = threading.Event()

    def cut_and_grow() -> None:
        while not stop.is_set():
            os.truncate(path, 10)
            with path.open("ab") as file:
                file.write(b"line\n" * 100_000)

    writer = threading.Thread(target=cut_and_grow)
    writer.start()
    try:
        for _ in range(rounds(1000)):
            page = read(fence, "f", offset=50_000)
            assert {*page.pieces[:-1]} <= {"line"}
    finally:
        stop.set()
        writer.join()


def test_what_is_odd_about_a_file_is_said(fence: Fence) -> None:
    (fence.root / "f").write_bytes(b"10%\r20%\rok \xff\n")
    page = read(fence, "f")
    assert page.encoding.lossy
    assert any("lone CR" in warning for warning in page.warnings)
    assert any("invalid bytes" in warning for warning in page.warnings)
