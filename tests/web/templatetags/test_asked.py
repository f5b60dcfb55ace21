"""What a person weighs before saying yes: nothing shortened, numbered like its effects (G4, G5, security E)."""

import re

import pytest

from tests.web.hostile import PAYLOADS, acts
from tests.web.records import EFFECTS
from workbench.policy.call import Verb
from workbench.web.templatetags import asked

COMMAND = "git push origin main && rm -rf build/"


def plain(html: str) -> str:
    return re.sub(r"<sup>\d+</sup>|<[^>]+>", "", html)


@pytest.mark.parametrize("verb", list(Verb))
def test_every_verb_has_words(verb: Verb) -> None:
    assert verb in asked.WORDS


def test_effects_are_numbered_rows_that_say_whether_they_can_be_taken_back() -> None:
    rows = asked.weighed(EFFECTS)
    assert [(row.number, row.word, row.target, row.back) for row in rows] == [
        (1, "Reaches outside", "origin/main", "Can't be taken back"),
        (2, "Deletes", "build/", "The history keeps it"),
    ]
    assert rows[0].grave and not rows[1].grave


def test_what_lies_outside_or_is_not_kept_can_not_be_taken_back() -> None:
    for effect in (
        {"verb": "delete", "target": "/etc/x"},
        {"verb": "write_ws", "target": "~/x"},
        {"verb": "delete", "target": "a", "detail": "it cannot be brought back: it is too large"},
    ):
        assert asked.weighed([effect])[0].grave, effect


def test_an_effect_of_a_later_version_counts_as_grave() -> None:
    row = asked.weighed([{"verb": "teleport"}])[0]
    assert row.word == "Teleport" and row.grave
    assert asked.weighed(None) == []


def test_each_thing_is_named_once() -> None:
    assert asked.in_words([*EFFECTS, EFFECTS[0]]) == "Reaches outside, Deletes"


def test_a_command_shows_its_parts_with_the_numbers_of_their_effects() -> None:
    html = asked.command(COMMAND, "/ws", EFFECTS)
    assert '<span class="part">git push origin main</span><sup>1</sup>' in html
    assert '<span class="part">rm -rf build/</span><sup>2</sup>' in html
    assert '<span class="op"> &amp;&amp; </span>' in html


@pytest.mark.parametrize(
    "command",
    [
        COMMAND,
        "a; b | c",
        "echo $(rm x) `rm y`",
        "for i in 1 2; do rm $i; done",
        "cat <<'E'\nx\nE\nrm z",
        "((",
        "",
        "sudo env A=1 rm x",
        "bash -c 'rm x && git push'",
        "rm 'é' ; git push",
        "x" * 20_000,
    ],
)
@pytest.mark.parametrize("parts", [(0,), (0, 1), (1, 0, 2), (5,), (None,)])
def test_the_text_of_a_command_is_whole_whatever_its_parts(command: str, parts: tuple[int | None, ...]) -> None:
    effects = [{"verb": "delete", "target": "x", "part": part} for part in parts]
    from html import unescape

    assert unescape(plain(asked.command(command, "/ws", effects))) == command


def test_arguments_one_by_one() -> None:
    found = asked.fields({"path": "a", "edits": [{"old": 1}], "n": 3})
    assert [(field.name, field.is_text) for field in found] == [("path", True), ("edits", False), ("n", False)]
    assert found[1].text == '[\n  {\n    "old": 1\n  }\n]' and found[1].rows == 5
    assert asked.fields("{broken")[0].text == '"{broken"'


def test_the_gist_is_one_line() -> None:
    assert asked.gist({"timeout": 3, "command": "a\n  b"}) == "a b"
    assert asked.gist({"title": "x", "n": 1}) == "x"
    assert asked.gist({}) == "" and asked.gist("raw") == "raw"


def test_the_first_line_says_how_many_follow() -> None:
    assert asked.head_line("one") == "one"
    assert asked.head_line("one\ntwo\nthree\n") == "one … 2 more lines"


def test_lists_side_by_side() -> None:
    assert asked.beside([1, 2], [3]) == [(1, 3), (2, None)]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_request_acts(payload: str) -> None:
    effects = [{"verb": payload, "target": payload, "detail": payload, "part": n} for n in range(3)]
    assert not acts(asked.command(payload, "/ws", effects))
    assert not acts(asked.pretty({payload: [payload]}))
