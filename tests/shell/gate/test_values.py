"""Texts that are known in part."""

import pytest

from workbench.shell.gate.values import (
    ANY,
    BENEATH,
    BLANK,
    BRACKET,
    CLOSE,
    COMMA,
    FETCHED,
    MANY,
    MAX_WORDS,
    NONE,
    OPEN,
    SECRET,
    SOME,
    may_be_option,
    shown,
    static,
    taint,
    unknown,
    word_set,
    words,
)  # fmt: skip


def test_static_texts_hold_no_mark() -> None:
    assert static("a*b")
    assert not static(f"a{SOME}")
    assert not static(f"a{SECRET}")


def test_what_may_be_anything() -> None:
    assert unknown(f"a{ANY}")
    assert unknown(MANY)
    assert not unknown(f"src/{BENEATH}")
    assert not unknown(SOME)


@pytest.mark.parametrize(
    ("word", "may"), [(ANY, True), (f"a{MANY}", True), (f"a{ANY}", False), (SOME, False), (f"./{BENEATH}", False)]
)
def test_what_may_turn_out_to_be_an_option(word: str, may: bool) -> None:
    assert may_be_option(word) == may


def test_marks_are_shown_as_stars_and_dots() -> None:
    assert shown(f"src/{SOME}.py {ANY}{FETCHED}{SECRET}") == "src/*.py …"


def test_marks_of_origin_are_collected() -> None:
    assert taint("a", f"b{SECRET}", f"{FETCHED}c") == FETCHED + SECRET
    assert taint("a", ANY) == ""


def braced(text: str) -> str:
    return text.translate(str.maketrans({"{": OPEN, "}": CLOSE, ",": COMMA, "[": BRACKET}))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a", ["a"]),
        ("{a,b}", ["a", "b"]),
        ("x{a,b}y", ["xay", "xby"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("{rm,-rf,x}", ["rm", "-rf", "x"]),
        ("a{,.bak}", ["a", "a.bak"]),
        ("{a}", ["{a}"]),
        ("{a", ["{a"]),
        ("a,b", ["a,b"]),
        ("{1..5}", [SOME]),
        ("x{a..c}.py", [f"x{SOME}.py"]),
        ("[a-z]x", [f"{SOME}x"]),
        ("[a", ["[a"]),
    ],
)
def test_braces_and_brackets(text: str, found: list[str]) -> None:
    assert words(braced(text)) == found


def test_blanks_of_expansions_split_and_empty_words_go() -> None:
    assert words(f"a{BLANK}b{BLANK}{BLANK}c") == ["a", "b", "c"]
    assert words(BLANK) == []
    assert words("") == [""]


def test_an_empty_list_is_no_word_but_nothing_beside_text() -> None:
    assert words(NONE) == []
    assert words(f"a{NONE}b{NONE}") == ["ab"]


def test_too_many_words_are_unknown() -> None:
    assert words(braced("{a,b}" * 8)) == [MANY]
    assert len(words(braced("{a,b}" * 5))) == 32 <= MAX_WORDS


def test_word_sets() -> None:
    assert word_set(" a\n b a ") == {"a", "b"}
