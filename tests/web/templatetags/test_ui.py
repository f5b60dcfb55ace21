"""Marks: a state is a shape, a word and a colour together."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from workbench.journal.state import Status
from workbench.policy.call import Mode
from workbench.web.templatetags import ui


@pytest.mark.parametrize("state", Status.__args__)
def test_every_status_of_a_session_has_its_word_shape_and_colour(state: str) -> None:
    css, shape, word = ui.STATES[state]
    html = ui.status(state, chip=True)
    assert f"st {css} chip" in html and f"#i-{shape}" in html and word in html


def test_a_word_in_place_of_the_states_own_is_escaped() -> None:
    assert "&lt;b&gt;" in ui.status("done", "<b>")
    assert "&lt;b&gt;" in ui.status("<b>")


def test_a_moment_carries_itself_for_the_readers_clock() -> None:
    moment = datetime(2026, 1, 2, 14, 2, 11, 5000, tzinfo=UTC)
    assert ui.at(moment) == '<time datetime="2026-01-02T14:02:11.005Z" data-at="time">14:02:11</time>'
    assert "2 Jan 2026, 14:02" in ui.at(moment, "full")
    assert ">2 Jan<" in ui.at(moment, "short")
    assert ui.at(None) == ui.age(None) == ""


def test_an_age_runs() -> None:
    html = ui.age(timezone.now() - timedelta(seconds=3, milliseconds=500))
    assert "data-age" in html and ">0:03<" in html


def test_small_words() -> None:
    assert ui.digest("7f3ac21eaa") == "7f3a c21e"
    assert ui.digest(None) == ""
    assert ui.label("a\nb" + "x" * 200).startswith("a b") and len(ui.label("x" * 500)) == 160
    assert ui.control_words("asked") == "asked by the agent itself"
    assert all(ui.mode_words(mode) for mode in Mode) and ui.mode_words("x") == ""
    assert ui.key({"a": 1}, "a") == 1 and ui.key(None, "a") is None
