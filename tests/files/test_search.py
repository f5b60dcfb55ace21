"""Searching one file, against searching its lines one by one."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.files import Refused, lines, search
from workbench.files.find import Deadline
from workbench.files.opened import opened_bytes
from workbench.files.search import Hit, Pattern, count, hits


def found(data: bytes, pattern: str, *, context: int = 0, encoding: str | None = None) -> list[Hit]:
    return list(hits(opened_bytes("f", data, "v", encoding), Pattern(pattern), Deadline(9), context=context))


@given(
    st.lists(st.sampled_from(["a", "b", "ab", " ", "\n", "\r\n", "\r", "é", "名", "\u2028", "\f", "aaa"])).map("".join),
    st.sampled_from(["a", "b+", "^a", "b$", "^$", "a.b", r"\s+", "[^a]+", "a|名", "é", r"\W", "(?i)A", "a*", r"^\s*$"]),
    st.integers(0, 2),
    st.sampled_from(["utf-8", "gb18030", "utf-16le"]),
)
@settings(max_examples=400, deadline=None)
def test_it_finds_the_lines_that_match(text: str, pattern: str, context: int, encoding: str) -> None:
    """R4, R10: the same numbers as reading, whatever the window size."""
    data = text.encode(encoding)
    expected = [
        (n, line, tuple(rows[max(0, n - 1 - context) : n - 1]), tuple(rows[n : n + context]))
        for rows in [lines.split(data.decode(encoding))]
        for n, line in enumerate(rows, 1)
        if re.search(pattern, line, re.A if pattern in (r"\s+", r"\W", r"^\s*$") else 0)
    ]
    before = search._WINDOW, search._FIRST
    for window in (16, 1 << 20):
        search._WINDOW = search._FIRST = window
        try:
            got = found(data, pattern, context=context, encoding=encoding)
        finally:
            search._WINDOW, search._FIRST = before
        assert [(hit.line, hit.text) for hit in got] == [(n, line) for n, line, _, _ in expected]
        if window > len(data):
            assert [(hit.before, hit.after) for hit in got] == [(b, a) for _, _, b, a in expected]
            assert count(opened_bytes("f", data, "v", encoding), Pattern(pattern), Deadline(9)) == len(expected)


def test_context_reaches_over_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_WINDOW", 64)
    text = "".join(f"line {n}\n" for n in range(100))
    for hit in found(text.encode(), "line", context=2):
        number = hit.line - 1
        assert hit.before == tuple(f"line {n}" for n in range(max(0, number - 2), number))
        assert hit.after == tuple(f"line {n}" for n in range(number + 1, min(100, number + 3)))


def test_a_line_longer_than_a_window_is_one_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_WINDOW", 64)
    assert [hit.line for hit in found(b"x" * 1000 + b"\nx\n", "x$")] == [1, 2]
    assert [hit.line for hit in found(b"ax" * 1000 + b"\nx\n", "^x")] == [2]
    monkeypatch.setattr(search, "_LINE", 64)
    assert [hit.line for hit in found(b"x" * 1000 + b"\nx\n", "x")] == [1, 2]


def test_the_column_counts_characters() -> None:
    assert [hit.column for hit in found("名称 foo\n".encode("gb18030"), "foo", encoding="gb18030")] == [3]


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(a*)*b", "(.*)*(.*)*z", "(?:(?:.?){50}){19}zzz", "x*x*x*x*x*x*y"])
@pytest.mark.parametrize("data", [b"x" * 3_000_000 + b"\n", b"ab \n" * 300_000, (b"x" * 2000 + b"\n") * 1000])
def test_no_pattern_hangs(pattern: str, data: bytes) -> None:
    """Where RE2 falls back to its slow way, what is left is given up in time, and marked."""
    deadline = Deadline(1)
    began = time.monotonic()
    list(hits(opened_bytes("f", data, "v"), Pattern(pattern), deadline))
    assert time.monotonic() - began < 1.6


def test_the_deadline_ends_it() -> None:
    deadline = Deadline(0.05)
    began = time.monotonic()
    list(hits(opened_bytes("f", b"a\n" * 3_000_000, "v"), Pattern("a"), deadline))
    assert time.monotonic() - began < 0.5
    assert deadline.met


@pytest.mark.parametrize("pattern", ["foo(", "[z-a]", r"(?=x)", r"(a)\1", "*", "x{2000}"])
def test_a_bad_pattern_is_told(pattern: str) -> None:
    with pytest.raises(Refused) as e:
        Pattern(pattern)
    assert e.value.code == "bad_args"
    assert "(?m)" not in e.value.message
