"""Where `old` stands, exactly and by one tolerance, and how positions come back from a folded text."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.tolerate import (
    TOLERANCES,
    Folded,
    Piece,
    canonical,
    exact,
    line_end_blanks,
    quotes,
    shared,
    tokens,
)


def edited(finder: object, text: str, old: str, new: str, *, overlapping: bool = True) -> list[str]:
    """The text after each hit alone."""
    found = list(finder(text, old, new, overlapping=overlapping))  # type: ignore[operator]
    return [text[: h.cut] + h.insert + text[h.cut_end :] for h in found]


# --- nothing happens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("finder", [exact, *TOLERANCES.values()])
def test_text_without_the_words_has_no_hit(finder: object) -> None:
    assert edited(finder, "one “two” \n<x> é\n", "three", "four") == []


@pytest.mark.parametrize(
    ("finder", "text", "old"),
    [
        (quotes, "`x`", "'x'"),
        (quotes, "„x“", '"x"'),
        (quotes, "5′", "5'"),
        (quotes, '"a"', "'a'"),
        (line_end_blanks, "a  b\n", "a b\n"),
        (line_end_blanks, "  a\n", "a \n  "),
        (line_end_blanks, "a\u00a0\nb", "a\nb"),
        (line_end_blanks, "a\nb\n", "\t\n"),
        (line_end_blanks, "a b\n", "a  "),
        (line_end_blanks, "x ok 👍\n", "👍 "),
        (canonical, "ﬁ", "fi"),
        (canonical, "ｖ", "v"),
        (canonical, "e\u0301", "e\u0300"),
        (tokens, "<name>", "<nn>"),
    ],
)
def test_what_is_never_folded(finder: object, text: str, old: str) -> None:
    """E2"""
    assert edited(finder, text, old, "new") == []


# --- quotes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("“a”", '"a"', '"a" and "b"', "“a” and “b”"),
        ("it’s", "it's", "it's Ann's", "it’s Ann’s"),
        ("it’s", "it's", "it's 'so'", "it’s ‘so’"),
        ('"a"', "“a”", "“a” or “b”", '"a" or "b"'),
        ("他说“好”。", '他说"好"。', '他说"好"和"坏"。', "他说“好”和“坏”。"),
        ("“it's”", '"it\'s"', '"it\'s" "so"', "“it's” “so”"),
        ('f("“x”")', 'f(""x"")', 'f(""x"", "y")', 'f("“x”", "y")'),
        ("“a”\n“b”", '"a"\n"b"', '"a"\n"("c")"\n"b"', "“a”\n“(“c”)”\n“b”"),
        ("“a” b", '"a" b', "“a” c", "“a” c"),
        ("say “a”", 'say "a"', 'say "a" x = 1', "say “a” x = 1"),
    ],
)
def test_quotes_of_the_file_stay_and_added_ones_follow_its_style(text: str, old: str, new: str, after: str) -> None:
    """E2"""
    assert edited(quotes, text, old, new) == [after]


def test_each_place_has_a_style_of_its_own() -> None:
    text = "“a” ‘b’\n\"a\" 'b'\n"
    assert edited(quotes, text, '"a" ‘b’', '"a" ‘c’ ‘d’') == ["“a” ‘c’ ‘d’\n\"a\" 'b'\n", "“a” ‘b’\n\"a\" 'c' 'd'\n"]


# --- blanks at line ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a  \nb\n", "a\nb", "a\nc", "a  \nc\n"),
        ("a\nb\n", "a \t\nb", "a \t\nc", "a\nc\n"),
        ("a \nb\n", "a\nb", "x\nb", "x\nb\n"),
        ("  \n  b \nc", "\n  b\nc", "\n  d\nc", "  \n  d\nc"),
        ("if x:\n    \n    y()\n", "if x:\n\n    y()", "if x:\n\n    z()", "if x:\n    \n    z()\n"),
        ("a   \nb", "a \nb", "a \nb\nc", "a   \nb\nc"),
        ("    pass \n\nx", "    pass\n\nx", "    return\n\nx", "    return\n\nx"),
    ],
)
def test_blanks_at_line_ends_do_not_count_and_stay_where_nothing_changes(
    text: str, old: str, new: str, after: str
) -> None:
    """E2, E3"""
    assert edited(line_end_blanks, text, old, new) == [after]


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_tokens_of_old_stand_in_full_and_are_written_so() -> None:
    """E2"""
    assert edited(tokens, "<name>x</name>", "<n>x</n>", "<n>y</n>") == ["<name>y</name>"]
    assert edited(tokens, "a\n\nHuman: hi", "a\n\nH: hi", "a\n\nH: ho") == ["a\n\nHuman: ho"]


def test_a_token_that_old_does_not_have_is_literal() -> None:
    assert edited(tokens, "<name>x", "<n>x", "<n><s>x</s>") == ["<name><s>x</s>"]


# --- canonical Unicode -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("re\u0301sume\u0301 v1", "résumé v1", "résumé v2", "re\u0301sume\u0301 v2"),
        ("résumé v1", "re\u0301sume\u0301 v1", "re\u0301sume\u0301 v2", "résumé v2"),
        ("\u1112\u1161\u11ab 1", "한 1", "한 2", "\u1112\u1161\u11ab 2"),
        ("x\u0323\u0307y", "x\u0307\u0323y", "z", "z"),
        ("\u212b", "Å", "A", "A"),
        ("\u0958", "\u0915\u093c", "x", "x"),
    ],
)
def test_composed_and_decomposed_are_the_same_and_the_file_keeps_its_form(
    text: str, old: str, new: str, after: str
) -> None:
    """E2"""
    assert edited(canonical, text, old, new) == [after]


def test_a_match_never_splits_a_composed_character() -> None:
    """E2: the file has é in two characters, and `old` ends or begins inside it."""
    assert edited(canonical, "cafe\u0301 e\u0301", "é e", "x") == []
    assert edited(canonical, "q\u0307\u0323", "q\u0323", "x") == []


# --- laws ------------------------------------------------------------------------------------------------------------

LETTERS = st.text(alphabet="ab'\"“”‘’ \t\né\u0301e<n>", max_size=40)


@given(LETTERS, LETTERS)
def test_the_head_and_tail_in_common_are_the_longest_that_do_not_overlap(a: str, b: str) -> None:
    head, tail = shared(a, b)
    assert a[:head] == b[:head]
    assert a[len(a) - tail :] == b[len(b) - tail :]
    assert head + tail <= min(len(a), len(b))
    assert head == min(len(a), len(b)) or a[head] != b[head]


@given(LETTERS, LETTERS, LETTERS, st.sampled_from(sorted(TOLERANCES)), st.booleans())
def test_a_hit_lies_in_the_text_and_keeps_what_surrounds_the_middle(
    text: str, old: str, new: str, name: str, overlapping: bool
) -> None:
    """E3"""
    if not old:
        return
    last = 0
    for hit in TOLERANCES[name](text, old, new, overlapping=overlapping):  # type: ignore[index]
        assert 0 <= hit.start <= hit.cut <= hit.cut_end <= hit.end <= len(text)
        assert overlapping or hit.start >= last
        last = hit.end


@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_the_folded_result_is_the_folded_replacement(before: str, old: str, behind: str, new: str) -> None:
    """E2: with quotes folded, an edit by tolerance is the edit that was asked for."""
    plain = str.maketrans("“”‘’", "\"\"''")
    text = before + old.translate(str.maketrans("“’", "”‘")) + behind
    if old:
        for after, hit in zip(edited(quotes, text, old, new), quotes(text, old, new, overlapping=True), strict=True):
            wanted = text[: hit.start] + new + text[hit.end :]
            assert after.translate(plain) == wanted.translate(plain)


@given(st.text(alphabet="aé\u0301\u0323e한\u1112\u1161\u11abÅ\u212bx", max_size=30), st.data())
def test_any_part_is_found_again_in_another_normal_form(text: str, data: st.DataObject) -> None:
    """E2: whole units of a text match whichever form they are written in."""
    other = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), text)
    if other == text:
        return
    assert edited(canonical, text, other, "!") == ["!"]


def test_positions_come_back_through_pieces_that_fold_away_and_that_change_length() -> None:
    away = Folded("ab", [Piece(1, 3, 1, 0)])  # "a   b"
    assert [away.back(1, after=after) for after in (False, True)] == [1, 4]
    assert [away.forth(i) for i in range(6)] == [0, 1, 1, 1, 1, 2]
    shorter = Folded("xéy", [Piece(1, 2, 1, 1)])  # "xe´y"
    assert [shorter.back(i, after=False) for i in range(4)] == [0, 1, 3, 4]
    assert [shorter.forth(i) for i in range(5)] == [0, 1, None, 2, 3]


@pytest.mark.parametrize("name", sorted(TOLERANCES))
def test_long_texts_take_time_in_proportion(name: str) -> None:
    for text in ("“" * 200_000 + "q", " " * 200_000 + "q \n", "e\u0301" * 100_000, "<n>" * 60_000):
        start = time.monotonic()
        list(TOLERANCES[name](text, 'x"q\u0301 \nq', "y", overlapping=True))  # type: ignore[index]
        assert time.monotonic() - start < 5
