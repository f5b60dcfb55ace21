"""What a `not_found` says: the nearest place, and what differs there."""

import json
import time

import pytest

from workbench.files.nearest import nearest

CODE = "def run(self):\n    total = price * 1.19\n    return total\n\n\ndef stop(self):\n\treturn None\n"


@pytest.mark.parametrize(
    ("text", "old", "line", "why"),
    [
        (
            CODE,
            "def run(self):\n  total = price * 1.19",
            1,
            "on line 2 the indentation differs: the file has 4",
        ),
        (CODE, "def stop(self):\n    return None", 6, "the file has 1 tab, old_string has 4 blanks"),
        (CODE, "def Run(self):", 1, "the case differs"),
        (CODE, "total = price * 1.20", 2, "the file has `1` where old_string has `2`"),
        (CODE, "return total\n\ndef stop", 3, "the number of blank lines differs"),
        (CODE, "total  =  price * 1.19", 2, "the file has 1 blank where old_string has 2 blanks"),
        (CODE, "return total\n\n\ndef stop(self):\n\treturn None\n\n", 3, "another blank line"),
        ("a — b\n", "a - b", 1, "U+2014 (EM DASH) where old_string has `-`"),
        ("a\u00a0b\n", "a b", 1, "U+00A0 (NO-BREAK SPACE) where old_string has a blank"),
        ("ａ（b）\n", "a(b)", 1, "U+FF41"),
        ("x\u200by\n", "xy", 1, "U+200B (ZERO WIDTH SPACE)"),
        ("x\u00ady\n", "xy", 1, "U+00AD"),
        ("5′\n", "5'", 1, "U+2032 (PRIME)"),
        ("pаypal\n", "paypal = 1", 1, "U+0430 (CYRILLIC SMALL LETTER A)"),
        ("say `x`\n", "say 'x'", 1, "the file has ``` where old_string has `'`"),
        ("foo(x);\n", "foo(x) ;", 1, "the file has no blank where old_string has 1 blank"),
        ("if (a < b)\n", "if (a &lt; b)", 1, "HTML entities where the file has the characters"),
        ("if (a &lt; b)\n", "if (a < b)", 1, "the file has HTML entities"),
        ('say "x"\n', 'say \\"x\\"', 1, "old_string has escapes"),
        ('s = "a\\nb"\n', 's = "a\nb"', 1, "the file has escapes"),
        ('s = "\\u2019"\n', 's = "’"', 1, "the file has escapes"),
        ("one\ntwo\n", "     1| one\n     2| two", 1, "line number"),
        ("    code()\n", "12→    code()", 1, "line number"),
        ("a\ntoken = abc\n", "token = <redacted: key>", 2, "<redacted: key> only marks"),
        ("tail\nend\n", "[… first 900 bytes cut …]\ntail", 1, "only marks where something was left out"),
    ],
)
def test_it_names_the_place_and_the_difference(text: str, old: str, line: int, why: str) -> None:
    """E1, E2"""
    assert old not in text
    found = nearest(text, old, "a.py")
    assert found.code == "not_found"
    assert found.facts["nearest"]["line"] == line
    assert why in found.message
    assert "a.py" in found.message


def test_it_shows_the_text_of_the_place() -> None:
    found = nearest(CODE, "def run(self):\n    total = price * 2\n", "a.py")
    assert found.facts["nearest"]["text"].startswith("def run(self):\n    total = price * 1.19")


def test_where_nothing_is_similar_it_says_so() -> None:
    found = nearest("abc\n", "something else entirely", "a.py")
    assert "no place in it is similar" in found.message
    assert "nearest" not in found.facts


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n"])
def test_an_empty_text_has_no_place(text: str) -> None:
    assert nearest(text, "x", "a.py").code == "not_found"


@pytest.mark.parametrize("old", ["\n\n\n\n", "   ", "\t", "-", "\udcff", "x" * 100_000, "\\", "<redacted"])
def test_no_old_string_makes_it_fail(old: str) -> None:
    assert nearest(CODE, old, "a.py").code == "not_found"


def test_bytes_that_do_not_decode_are_named_and_never_sent_as_half_characters() -> None:
    """Half a character in a result would make the whole conversation invalid for a model."""
    found = nearest("ok \udcc0 bad\n", "ok \ufffd bad", "a.py")
    assert "the byte C0, which does not decode" in found.message
    assert found.facts["nearest"]["text"] == "ok \ufffd bad"
    json.dumps(found.as_data(), ensure_ascii=False).encode()


def test_long_lines_are_cut() -> None:
    found = nearest("x" * 10_000 + "\ny\n", "X" * 10_000, "a.py")
    assert len(found.message) < 1000
    assert len(found.facts["nearest"]["text"]) < 500


def test_a_large_text_is_searched_around_its_best_line() -> None:
    text = "nothing here\n" * 400_000 + "def wanted(a):\n\treturn a\n" + "nor here\n" * 400_000
    start = time.monotonic()
    found = nearest(text, "def wanted(a):\n    return a\n", "a.py")
    assert found.facts["nearest"]["line"] == 400_001
    assert "1 tab" in found.message
    assert time.monotonic() - start < 6


def test_hostile_texts_take_time_in_proportion() -> None:
    for text, old in [(" " * 200_000, " " * 1000 + "x"), ("a\n" * 100_000, "a\n" * 50_000 + "b"), ("(" * 300_000, ")")]:
        start = time.monotonic()
        nearest(text, old, "a.py")
        assert time.monotonic() - start < 6
