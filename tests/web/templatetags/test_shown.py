"""Every character that shows nothing or moves others is drawn as its number (security E1 to E3)."""

import re
import unicodedata
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.web.templatetags.shown import HIDDEN, coded, plain_name, shown, shown_name, shown_prose

# Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt)
IGNORABLE = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)


def test_ordinary_text_stays_as_it_is() -> None:
    for text in ("plain", "tab\tand\nline", "Grüße, 你好, שלום, 🙂", "naïve — “quotes”"):
        assert shown(text) == text


def test_markup_is_escaped() -> None:
    assert shown("<b>&'\"") == "&lt;b&gt;&amp;&#x27;&quot;"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("\x1b", "1B"),
        ("\r", "D"),
        ("\x00", "0"),
        ("\u200b", "200B"),
        ("\u202e", "202E"),
        ("\xa0", "A0"),
        ("\u3164", "3164"),
        ("\ufeff", "FEFF"),
        ("\ue000", "E000"),
        ("\U000e0041", "E0041"),
        ("\ud800", "D800"),
        ("\u2800", "2800"),
    ],
)
def test_a_hidden_character_is_drawn_as_its_number(text: str, number: str) -> None:
    assert shown(f"a{text}b") == f'a<span class="cc">\\u{{{number}}}</span>b'


def test_the_set_is_the_one_of_unicodes_tables() -> None:
    pattern = re.compile(f"[{HIDDEN}]")
    ignorable = {code for first, last in IGNORABLE for code in range(first, last + 1)}
    wrong = []
    for code in range(0x110000):
        character = chr(code)
        hidden = (
            unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cs")
            or code in ignorable
            or character == "\u2800"
        ) and character not in " \t\n"
        if hidden and not pattern.match(character):
            wrong.append(hex(code))
    assert not wrong


def test_a_name_shows_its_tabs_and_line_ends_too() -> None:
    assert "\\u{A}" in shown_name("a\nb") and "\\u{9}" in shown_name("a\tb")
    assert plain_name("a\nb\u202e") == "a\\u{A}b\\u{202E}"


def test_running_text_keeps_the_joints_of_an_emoji_and_the_blanks_of_typesetting() -> None:
    for text in ("⚠️ look", "👩‍💻 works", "10\u00a0%", "你好\u3000世界"):
        assert shown_prose(text) == text
    assert "\\u{FE0F}" in shown_prose("a\ufe0f") and "\\u{200D}" in shown_prose("a\u200db")
    assert "\\u{202E}" in shown_prose("safe\u202egpj.exe")


def test_backticks_in_a_sentence_hold_code() -> None:
    assert coded("`a<b` asks, `c` too") == "<code>a&lt;b</code> asks, <code>c</code> too"
    assert coded("an odd ` one <b>") == "an odd ` one &lt;b&gt;"
    assert coded(None) == "" and "\\u{202E}" in coded("`\u202e`")


@given(st.text())
def test_what_is_shown_can_be_read_back(text: str) -> None:
    """No two texts look alike: without the marks' own spelling the text comes back."""
    html = shown(text)
    assert not re.search(f"[{HIDDEN}]", html)
    plain = re.sub(r'<span class="cc">\\u\{([0-9A-F]+)\}</span>', lambda m: chr(int(m[1], 16)), html)
    assert unescape(plain) == text or "&" in text  # unescape reads entities the text itself wrote
