"""A call as its templates see it."""

import logging

import pytest

from tests.web.records import answered, asked, call, card, decided, question, result, rolled_back, started
from workbench.web import models
from workbench.web.cards import draw, tool_template
from workbench.web.timeline import card_html

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("events", "look"),
    [
        ([], "queued"),
        ([asked()], "needs"),
        ([asked(), decided()], "queued"),
        ([started()], "running"),
        ([started(), question()], "needs"),
        ([started(), question(), answered()], "running"),
        ([started(), result()], "done"),
        ([started(), result({"exit_code": 1, "output": ""})], "failed"),
        ([started(), result({"exit_code": None, "timed_out": True})], "failed"),
        ([result({"error": "not_found", "message": "x"}, ok=False)], "failed"),
        ([result({"error": "denied", "message": "x"}, ok=False)], "denied"),
        ([asked(), decided("rejected"), result({"error": "rejected", "message": "x"}, ok=False)], "denied"),
        ([started(), result({"error": "interrupted", "message": "x"}, ok=False)], "interrupted"),
    ],
)
def test_how_it_stands(events: list[object], look: str) -> None:
    assert card(call(), *events).look == look  # type: ignore[arg-type]


def test_the_arguments_are_those_that_would_run() -> None:
    assert card(call(args={"command": "a"})).args == {"command": "a"}
    assert card(call(), asked(args={"command": "b"})).args == {"command": "b"}
    assert card(call(), asked(), decided(args={"command": "c"})).args == {"command": "c"}


def test_what_was_rolled_back_and_put_back_again() -> None:
    edited = (call("edit_file"), started(), result({"path": "a.py"}, versions=[7]))
    assert not card(*edited).rolled_back
    back = card(*edited, rolled_back())
    assert back.rolled_back and list(back.undone) == [7] and back.version == 7
    again = card(*edited, rolled_back(), rolled_back(7, 9, put_back=True))
    assert not again.rolled_back and not again.undone


def test_some_of_many_versions_taken_back_is_not_all() -> None:
    two = (call(), started(), result(versions=[7, 8]))
    assert not card(*two, rolled_back(7)).rolled_back
    assert card(*two, rolled_back(7), rolled_back(8)).rolled_back
    assert card(*two).version is None


def test_an_open_request_knows_its_row(session_row: models.Session) -> None:
    models.Approval.objects.create(
        session=session_row, seq=2, call_id="c1", tool="bash", args={}, digest="d", asked_at=session_row.created_at
    )
    waiting = card(call(), asked())
    waiting.record = waiting.record.__class__(session_row.pk, 1, waiting.record.at, waiting.record.event, "", "h")
    assert waiting.approval == models.Approval.objects.get().pk
    assert card(call(), asked(), decided()).approval is None
    assert card(call()).question is None


def test_the_choice_of_an_option_is_told_from_own_words() -> None:
    assert card(call("ask_user"), started(), question(), answered("first")).chose_option
    assert not card(call("ask_user"), started(), question(), answered("neither")).chose_option


@pytest.mark.parametrize("tool", ["mcp__jira__create", "../../etc/passwd", "Bash", "", "bash.html#call", "_generic"])
def test_a_foreign_tool_is_drawn_by_the_generic_template(tool: str) -> None:
    assert tool_template(tool, "call") == "tools/_generic.html#call"


def test_a_tool_is_drawn_by_the_template_of_its_name() -> None:
    assert tool_template("bash", "call") == "tools/bash.html#call"
    assert tool_template("bash", "no_such_partial") == "tools/_generic.html#no_such_partial"


def test_a_template_that_fails_is_logged_and_the_fallback_drawn(caplog: pytest.LogCaptureFixture) -> None:
    broken = {"args": {"path": "x"}, "data": {"next": {"no": "offset"}}, "card": card(call("read_file"))}
    with caplog.at_level(logging.ERROR):
        html = draw("tools/read_file.html#result", broken, "tools/_generic.html#result")
    assert "failed" in caplog.text and "offset" in html
    with pytest.raises(KeyError):
        draw("tools/read_file.html#result", broken)


def test_one_broken_part_leaves_the_rest_of_the_card() -> None:
    html = card_html(card(call("read_file", {"path": "a.py"}), started(), result({"next": {"no": "offset"}})))
    assert "a.py" in html and "read_file" in html


def test_arguments_that_are_no_object_are_drawn_as_they_are() -> None:
    html = card_html(
        card(call("edit_file", "{not json <b>"), result({"error": "bad_args", "message": "no JSON"}, ok=False))
    )
    assert "bad_args" in html and "<b>" not in html
