"""What is being written grows on the page, whoever comes in between (B2, G4)."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.hostile import PAYLOADS, acts
from workbench.web import streams
from workbench.web.hub import Piece

SWAP = re.compile(r'<(span|div) (?:id="([^"]+)" )?hx-swap-oob="([^"]+)">(.*?)</\1>(?=<|$)', re.DOTALL)
WORDS = st.sampled_from(["one ", "two\n", "\n\n", "```\n", "**b**", "- x\n", "# T\n", "| a |"])


@pytest.fixture(autouse=True)
def forgetful() -> None:
    streams._kept.held.clear()


class Page:
    """What fragments make of the live places of a page."""

    def __init__(self) -> None:
        self.at: dict[str, str] = {}

    def take(self, fragments: list[str]) -> None:
        for fragment in fragments:
            for match in SWAP.finditer(fragment):
                how, _, target = match[3].partition(":#")
                name = target or match[2]
                self.at[name] = self.at.get(name, "") + match[4] if how == "beforeend" else match[4]
            if 'id="live"' in fragment:
                self.at["live-done"] = fragment.split('<div id="live-done">')[1].split('</div><div id="live-tail">')[0]
                self.at["live-tail"] = fragment.split('<div id="live-tail">')[1].split("</div></div></div>")[0]


def play(session: str, what: str, pieces: list[str], *, from_piece: int = 0) -> Page:
    """A page that is there from the given piece on."""
    page, so_far = Page(), ""
    for number, data in enumerate(pieces):
        so_far += data
        whole = Piece(what, "k", so_far, whole=True)
        html = streams.draw(session, [Piece(what, "k", data)], [whole])
        if number == from_piece and from_piece:
            page.take(streams.draw(session, [whole], ()))  # a page that was just opened
        elif number >= from_piece:
            page.take(html)
    return page


def terminal(page: Page) -> str:
    name = streams.dom_id("output", "k")
    return unescape(re.sub(r"<[^>]+>", "", page.at.get(f"{name}-done", "") + page.at.get(f"{name}-tail", "")))


def test_output_grows_line_by_line() -> None:
    assert terminal(play("s", "output", ["one\ntw", "o\nthree"])) == "one\ntwo\nthree"


def test_a_cut_colour_waits_for_its_rest() -> None:
    page = play("s", "output", ["\x1b[3", "1mred", "\x1b[0m\n"])
    assert '<span class="r">red</span>' in page.at[f"{streams.dom_id('output', 'k')}-done"]


def test_a_page_opened_in_between_sees_all_of_it() -> None:
    pieces = ["one\n", "two ", "and\n", "three"]
    for start in range(1, 4):
        streams._kept.held.clear()
        assert terminal(play("s", "output", pieces, from_piece=start)) == "one\ntwo and\nthree"


def test_pieces_that_nobody_drew_are_made_good() -> None:
    streams.draw("s", [Piece("output", "k", "one\n")], [Piece("output", "k", "one\n", whole=True)])
    page = Page()
    page.take(streams.draw("s", [Piece("output", "k", "three")], [Piece("output", "k", "one\ntwo\nthree", whole=True)]))
    assert terminal(page) == "one\ntwo\nthree"


def test_a_flood_replaces_the_lines_instead_of_adding_to_them() -> None:
    many = "".join(f"{n}\n" for n in range(5000))
    page = play("s", "output", ["first\n", many])
    assert terminal(page).count("\n") == streams.LINES
    assert terminal(page).endswith("4999\n")


def test_call_ids_that_are_no_names_make_safe_places() -> None:
    assert re.fullmatch(r"o-[0-9a-f]{12}", streams.dom_id("output", '"><script> #.:/'))
    assert streams.dom_id("output", "a") != streams.dom_id("output", "b")


def test_an_answer_is_drawn_block_by_block() -> None:
    page = play("s", "text", ["# Title\n\nSome **bo", "ld** text", " ends.\n\n", "Next"])
    assert "<h3>Title</h3>" in page.at["live-done"] and "<strong>bold</strong>" in page.at["live-done"]
    assert page.at["live-tail"] == "<p>Next</p>\n"


def test_a_fence_is_no_end_of_a_block() -> None:
    page = play("s", "text", ["```python\nimport os\n\n", "import re\n```\n\nafter"])
    assert page.at["live-done"].count("<pre") == 1 and "after" in page.at["live-tail"]


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_an_answer_loses_no_word_however_it_comes(pieces: list[str]) -> None:
    streams._kept.held.clear()
    page = play("s", "text", pieces)
    shown = re.sub(r"<[^>]+>", "", page.at["live-done"] + page.at["live-tail"])
    for word in ("one", "two"):
        assert shown.count(word) == "".join(pieces).count(word)


def test_new_rows_put_the_answer_away_unless_it_goes_on() -> None:
    gone = streams.draw("s", [], [], restart=True)
    assert 'id="live" hx-swap-oob="true" hidden' in gone[0]
    still = streams.draw("s", [], [Piece("text", "2", "going on", whole=True)], restart=True)
    assert "going on" in still[0] and " hidden" not in still[0]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_is_written_acts(payload: str) -> None:
    for what in ("text", "output"):
        first = streams.draw("s", [Piece(what, payload, payload)], [])
        more = streams.draw("s", [Piece(what, payload, payload)], [Piece(what, payload, payload * 2, whole=True)])
        assert not acts("".join(first + more))
