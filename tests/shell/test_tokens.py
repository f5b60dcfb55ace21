"""What tokens may hold, in bash's own terms."""

import pytest

from workbench.shell import tokens
from workbench.shell.tokens import GAPS, LEAVES, heredoc_problem, heredoc_quoted, heredoc_text_problem


@pytest.mark.parametrize("gap", [" ", "\t", "  \t", " \\\n", "\\\n ", " \\\n  \\\n"])
def test_blanks_and_continuations_part_words(gap: str) -> None:
    assert GAPS["command"].fullmatch(gap)


@pytest.mark.parametrize("gap", ["\\\n", "\n", " \n", "\f", "\v", "\r", ";", " # ", "\u00a0"])
def test_nothing_else_does(gap: str) -> None:
    assert not GAPS["command"].fullmatch(gap)


@pytest.mark.parametrize("gap", ["\n", "\n\n  ", " \n", " \\\n ", " \\\n\n"])
def test_lines_part_statements(gap: str) -> None:
    assert GAPS["program"].fullmatch(gap)


@pytest.mark.parametrize("gap", ["\n\\\n", "\n \\\n", "\n\\", "\r\n"])
def test_no_continuation_after_a_newline(gap: str) -> None:
    assert not GAPS["program"].fullmatch(gap)


@pytest.mark.parametrize(
    ("kind", "text", "holds"),
    [
        ("word", "abc", True),
        ("word", "a\\ b", True),
        ("word", "a#b", True),
        ("word", "a b", False),
        ("word", "a\\\nb", False),
        ("word", "a;b", False),
        ("word", "$x", False),
        ("raw_string", "'a b $(c)'", True),
        ("raw_string", "'a'b'", False),
        ("ansi_c_string", "$'a\\'b'", True),
        ("string_content", "a $ b", True),
        ("string_content", "a $b", False),
        ("string_content", "a `b`", False),
        ("string_content", 'a \\" b', True),
        ("regex", "^a[b]$", True),
        ("regex", "$(x)", False),
        ("comment", "# a ' b", True),
        ("comment", "# a\nb", False),
        ("number", "42", True),
        ("number", "4 2", False),
    ],
)
def test_leaves_hold_what_such_a_token_may(kind: str, text: str, holds: bool) -> None:
    assert (LEAVES[kind].fullmatch(text) is not None) == holds


def test_quoted_delimiters() -> None:
    assert heredoc_quoted("'EOF'")
    assert heredoc_quoted('"EOF"')
    assert heredoc_quoted("E\\OF")
    assert not heredoc_quoted("EOF")


def spans(text: str, end: str) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Delimiter, body and closing line of a here-document that starts `cat <<EOF`."""
    at = text.rindex(end)
    return (6, 9), (10, at), (at, at + len(end))


def test_a_here_document_ends_at_the_first_line_that_is_its_delimiter() -> None:
    assert heredoc_problem("cat <<EOF\nx\nEOF\nls", "<<", *spans("cat <<EOF\nx\nEOF\nls", "EOF")) == ""
    text = "cat <<EOF\nx\nEOF\nrm y\nEOF"
    assert "does not end where" in heredoc_problem(text, "<<", *spans(text, "EOF"))
    assert "does not end where" in heredoc_problem("cat <<EOF\nx\n EOF", "<<", *spans("cat <<EOF\nx\n EOF", "EOF"))


def test_an_unusual_delimiter_is_refused() -> None:
    assert "unusual" in heredoc_problem("cat <<E F\nx\nE F", "<<", (6, 9), (10, 12), (12, 15))


@pytest.mark.parametrize("text", ["plain", "a $ b", "\\$x \\`", "100%\n"])
def test_plain_text_in_a_here_document(text: str) -> None:
    assert heredoc_text_problem(text) == ""


@pytest.mark.parametrize("text", ["$x", "`x`", "$(x)", "a\\\nb"])
def test_text_that_may_expand(text: str) -> None:
    assert heredoc_text_problem(text)


def test_every_keyword_is_reserved_or_a_sign_of_the_grammar() -> None:
    assert tokens.RESERVED < tokens.KEYWORDS
    assert {"if", "do", "{", "!"} < tokens.RESERVED
    assert "time" not in tokens.RESERVED
