"""Lines are counted as `grep -n`, `wc -l` and git count them (R4)."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import lines

TEXTS = st.lists(st.sampled_from(["a", "\n", "\r\n", "\r", "\f", "\x85", "\u2028", "\u2029", "\v", "\x1c"])).map(
    "".join
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb\n", ["a\rb"]),
        ("a\r\r\nb\n", ["a\r", "b"]),
        ("a\fb\x85c\u2028d\u2029e\n", ["a\fb\x85c\u2028d\u2029e"]),
    ],
)
def test_only_lf_and_crlf_end_a_line(text: str, expected: list[str]) -> None:
    assert lines.split(text) == expected
    assert lines.count(text) == len(expected)


@given(TEXTS.filter(bool))
def test_counts_agree_with_grep(text: str) -> None:
    counted = subprocess.run(["grep", "-c", ""], input=text.encode(), capture_output=True, check=True).stdout
    assert lines.count(text) == len(lines.split(text)) == int(counted)


@given(TEXTS)
def test_every_position_of_the_lf_view_leads_back(text: str) -> None:
    view = lines.LfView(text)
    assert view.text == lines.lf_view(text)
    for position, character in enumerate(view.text):
        original = view.original(position)
        assert text[original] == character or text[original : original + 2] == "\r\n"
    assert view.original(len(view.text)) == len(text)


@given(TEXTS)
def test_a_slice_of_the_lf_view_is_a_slice_of_the_text(text: str) -> None:
    view = lines.LfView(text)
    middle = len(view.text) // 2
    head, tail = text[: view.original(middle)], text[view.original(middle) :]
    assert (head + tail, lines.lf_view(tail)) == (text, view.text[middle:])


@given(TEXTS)
def test_the_line_at_a_position(text: str) -> None:
    where = lines.LineMap(text)
    assert len(where) == lines.count(text)
    for position in range(len(text)):
        assert where.line_at(position) == text.count("\n", 0, position)
    assert where.line_at(len(text)) == max(0, len(where) - 1)


@pytest.mark.parametrize(
    ("text", "eol"),
    [("", "none"), ("a", "none"), ("a\n", "lf"), ("a\r\nb\r\n", "crlf"), ("a\r\nb\n", "mixed"), ("a\rb", "cr")],
)
def test_how_lines_end(text: str, eol: str) -> None:
    assert lines.eol(text) == eol
