"""Where a page ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.cut import Caps, Cut, Next, cut_page, tokens


def page(text: str, *, limit: int = 10, whole: bool = True, column: int = 0, **caps: int) -> Cut:
    return cut_page(text, whole=whole, offset=0, column=column, limit=limit, caps=Caps(**caps))


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 5, Cut((), None)),
        ("\n", 5, Cut(("",), None, ended=True)),
        ("a\nb", 5, Cut(("a", "b"), None)),
        ("a\nb\n", 2, Cut(("a", "b"), None, ended=True)),
        ("a\nb\nc", 2, Cut(("a", "b"), Next(2), ended=True)),
        ("a\n\n", 1, Cut(("a",), Next(1), ended=True)),
    ],
)
def test_by_lines(text: str, limit: int, expected: Cut) -> None:
    assert page(text, limit=limit) == expected


def test_after_a_whole_line_when_there_is_one() -> None:
    assert page("aaaa\nbbbb\ncccc\n", chars=9) == Cut(("aaaa", "bbbb"), Next(2), ended=True, by="chars")
    assert page("aaaa\nbbbb\n", chars=9).next is None


def test_inside_a_line_that_alone_is_too_long() -> None:
    assert page("aaaa\nb", chars=3, column=7) == Cut(("aaa",), Next(0, 10), by="chars")


def test_exactly_at_the_cap_is_not_cut() -> None:
    assert page("x" * 2000 + "\n", chars=2000) == Cut(("x" * 2000,), None, ended=True)


def test_by_tokens_even_inside_a_line() -> None:
    cut = page("字" * 100, tokens=40)
    assert (cut.pieces, cut.next, cut.by) == (("字" * 40,), Next(0, 40), "tokens")


def test_it_gets_on_even_under_a_senseless_cap() -> None:
    assert page("字字", tokens=0).next == Next(0, 1)


def test_text_that_runs_out_before_a_cap_is_met_goes_on_where_it_stopped() -> None:
    assert page("ab\ncd", whole=False) == Cut(("ab", "cd"), Next(1, 2), by="chars")
    assert page("ab\n", whole=False) == Cut(("ab",), Next(1), ended=True, by="chars")


@given(st.text(alphabet="ab字\n"), st.integers(1, 5), st.integers(1, 20), st.integers(1, 10))
def test_pages_in_a_row_are_the_text(text: str, limit: int, chars: int, most: int) -> None:
    got, rest = "", text
    for _ in range(len(text) + 2):
        cut = page(rest, limit=limit, chars=chars, tokens=most)
        got += cut.text
        rest = rest[len(cut.text) :]
        if not cut.next:
            break
        assert cut.text
    assert got == text


def test_tokens_are_about_right() -> None:
    assert tokens("def f(x): return x") == 5
    assert tokens("中文字") == 3
    assert tokens("") == 0
