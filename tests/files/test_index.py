"""Marks in a large text, against counting from the top."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.files import index as module
from workbench.files.decode import Encoding
from workbench.files.index import Index, after_lines, decoded_part, line_ends


def from_bytes(data: bytes) -> Callable[[int, int], bytes]:
    return lambda length, at: data[at : at + length]


def never() -> bool:
    return False


def whole(data: bytes, name: str = "utf-8", *, bom: bytes = b"") -> Index:
    found = Index(Encoding(name, bom), len(data))
    found.scan(from_bytes(data), until=None, budget=1 << 40, stop=never)
    return found


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 16)


@given(
    st.lists(st.sampled_from(["a", "é", "名", "🎉", "\n", "\r\n", "\r", "long line of text "])).map("".join),
    st.sampled_from(["utf-8", "utf-16le", "utf-16be", "utf-32le", "gb18030"]),
)
@settings(max_examples=300)
def test_every_mark_is_where_it_says(text: str, name: str) -> None:
    data = text.encode(name)
    found = whole(data, name)
    lf = text.replace("\r\n", "\n")
    assert found.total == lf.count("\n") + (bool(lf) and not lf.endswith("\n"))
    for line in range(found.total + 1):
        for column in (0, 5, 40):
            at_line, at_column, at = found.before(line, column)
            assert (at_line, at_column) <= (line, column)
            before = data[:at].decode(name).replace("\r\n", "\n")
            assert before.count("\n") == at_line
            assert len(before) - (before.rfind("\n") + 1) == at_column


def test_it_scans_no_further_than_asked() -> None:
    data = b"line\n" * 100
    found = Index(Encoding("utf-8"), len(data))
    read = found.scan(from_bytes(data), until=(10, 0), budget=1 << 30, stop=never)
    assert found.total is None
    assert 50 < read < 100
    assert found.scan(from_bytes(data), until=(5, 0), budget=1 << 30, stop=never) == 0
    assert found.scan(from_bytes(data), until=None, budget=30, stop=never) < 60
    assert found.scan(from_bytes(data), until=None, budget=1 << 30, stop=lambda: True) == 0
    found.scan(from_bytes(data), until=None, budget=1 << 30, stop=never)
    assert found.total == 100


def test_a_file_cut_while_it_is_scanned_ends_there() -> None:
    found = Index(Encoding("utf-8"), 10_000)
    found.scan(from_bytes(b"a\nb\nc"), until=None, budget=1 << 30, stop=never)
    assert found.total == 3


def test_the_bom_is_before_the_first_mark() -> None:
    assert whole(b"\xef\xbb\xbfa\n", bom=b"\xef\xbb\xbf").before(0, 0) == (0, 0, 3)
    assert whole(b"\xef\xbb\xbf", bom=b"\xef\xbb\xbf").total == 0


def test_marks_are_thinned_out_so_that_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MARKS", 16)
    found = whole(b"line\n" * 2000)
    assert len(found._bytes) <= 17
    for line in range(0, 2000, 97):
        at_line, _, at = found.before(line, 0)
        assert at == at_line * 5


def test_line_ends_in_a_chunk() -> None:
    assert line_ends(b"a\nb\nc", Encoding("utf-8")) == (2, 4)
    assert after_lines(b"a\nb\nc", 1, Encoding("utf-8")) == 2
    wide = "a\nb\u0a00\nc".encode("utf-16le")
    assert line_ends(wide, Encoding("utf-16le")) == (2, 10)
    assert after_lines(wide, 1, Encoding("utf-16le")) == 4


def test_a_chunk_that_cuts_a_character_or_a_crlf_leaves_it_for_the_next() -> None:
    assert decoded_part("aé".encode()[:-1], Encoding("utf-8")) == ("a", 1)
    assert decoded_part(b"a\r", Encoding("utf-8")) == ("a", 1)
    assert decoded_part("🎉".encode("utf-16le")[:2], Encoding("utf-16le")) == ("", 0)
