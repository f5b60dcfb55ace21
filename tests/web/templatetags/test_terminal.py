"""Output as a terminal shows it: colours and overwritten lines, nothing that acts (security G4)."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.hostile import PAYLOADS, acts
from workbench.web.templatetags.terminal import LONGEST_LINE, Screen, after_cut, terminal, terminal_html


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_plain_output_stays_plain() -> None:
    assert terminal_html(b"one\ntwo\n") == "one\ntwo"
    assert terminal_html(b"") == ""
    assert terminal_html(b"crlf\r\nends\r\n") == "crlf\nends"


@pytest.mark.parametrize(
    ("data", "html"),
    [
        (b"\x1b[31mred\x1b[0m off", '<span class="r">red</span> off'),
        (b"\x1b[1;32mbold green\x1b[m", '<span class="b g">bold green</span>'),
        (b"\x1b[91mbright\x1b[39m none", '<span class="r">bright</span> none'),
        (b"\x1b[31m\x1b[32mlast wins", '<span class="g">last wins</span>'),
        (b"\x1b[41mground\x1b[49m", '<span class="on-r">ground</span>'),
        (b"\x1b[38;5;196mcube\x1b[0m", '<span class="r">cube</span>'),
        (b"\x1b[38;2;0;0;255mtrue\x1b[0m", '<span class="bl">true</span>'),
        (b"\x1b[38:5:46mcolons\x1b[0m", '<span class="g">colons</span>'),
        (b"\x1b[7minverse\x1b[27m.", '<span class="inv">inverse</span>.'),
        (b"\x1b[8mconcealed is shown", "concealed is shown"),
        (b"\x1b[38;5m\x1b[48m\x1b[38;9;9mcut short", '<span class="w x">cut short</span>'),
    ],
)
def test_colours_become_classes(data: bytes, html: str) -> None:
    assert terminal_html(data) == html


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b]0;title\x07",
        b"\x1b]8;;http://evil\x1b\\",
        b"\x1b]52;c;aGk=\x07",
        b"\x1bP1$qm\x1b\\",
        b"\x1b_app\x1b\\",
        b"\x1b^pm\x1b\\",
        b"\x1bXsos\x1b\\",
        b"\x1b[2J",
        b"\x1b[10;10H",
        b"\x1b[?25l",
        b"\x1b[6n",
        b"\x1b7",
        b"\x1b8",
        b"\x1bc",
        b"\x1b(B",
        b"\x1b=",
        b"\x1b[5A",
    ],
)
def test_what_is_no_colour_is_dropped_with_all_it_carries(sequence: bytes) -> None:
    assert terminal_html(b"a" + sequence + b"b") == "ab"


def test_an_overwritten_line_shows_its_last_state_and_that_it_was_overwritten() -> None:
    html = terminal_html(b"10%\r50%\r100%\ndone\n")
    assert html.startswith("100% <span") and "↺2" in html and html.endswith("\ndone")
    assert text_of(terminal_html(b"hidden\r\x1b[Kshown")).startswith("shown ↺")
    assert text_of(terminal_html(b"abc\b\bX")).startswith("aXc")


def test_other_control_characters_are_drawn_as_numbers() -> None:
    assert text_of(terminal_html(b"a\x07b\x00c\x7f")) == "a\\u{7}b\\u{0}c\\u{7F}"
    assert text_of(terminal_html("x\u202ey\x9b31m".encode())) == "x\\u{202E}y\\u{9B}31m"
    assert text_of(terminal_html(b"lone \x1b")) == "lone \\u{1B}"


def test_bytes_that_are_no_text_show_as_replacement() -> None:
    assert terminal_html(b"a\xffb") == "a\ufffdb"


@given(
    st.lists(
        st.sampled_from(
            [b"\x1b[31m", b"x", "é".encode(), b"\r", b"\n", b"\x1b]8;;u\x07", b"\x1b[0m", b"\x1b", b"\xc3"]
        ),
        max_size=40,
    ),
    st.data(),
)
def test_the_pieces_do_not_matter(tokens: list[bytes], data: st.DataObject) -> None:
    """Fed byte by byte or at once, the screen ends the same."""
    whole = b"".join(tokens)
    once, pieces = Screen(), Screen()
    once.feed(whole, final=True)
    at = 0
    while at < len(whole):
        step = data.draw(st.integers(1, 7))
        pieces.feed(whole[at : at + step], final=at + step >= len(whole))
        at += step
    if not whole:
        pieces.feed(b"", final=True)
    assert (list(once.lines), once.current()) == (list(pieces.lines), pieces.current())


def test_a_screen_keeps_its_last_lines_only() -> None:
    screen = Screen(keep=3)
    screen.feed(b"".join(b"%d\n" % n for n in range(10)) + b"tail")
    assert list(screen.lines) == ["7", "8", "9"] and screen.finished == 10 and screen.current() == "tail"


def test_an_endless_line_is_cut_into_lines() -> None:
    screen = Screen(keep=1000)
    screen.feed(b"x" * (LONGEST_LINE * 3 + 5))
    assert screen.finished == 3 and screen.current() == "xxxxx"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_output_acts(payload: str) -> None:
    assert not acts(terminal(payload))
    screen = Screen()
    screen.feed(payload.encode("utf-8", "replace"))
    assert not acts(screen.current())


def test_the_line_about_a_cut_is_left_out() -> None:
    assert after_cut("[… first 9 bytes cut …]\ntail") == "tail"
    assert after_cut("tail") == "tail"
