"""ask_user waits for a person (A3)."""

from typing import Any

import pytest

from workbench.tools import ToolError, Waiting, all_tools


@pytest.fixture
def tool() -> Any:
    return all_tools()["ask_user"]


def ask(tool: Any, raw: Any) -> Waiting:
    args = tool.parse(raw)
    assert tool.effects(args, None) == ()
    waiting = tool.run(args, None)
    assert isinstance(waiting, Waiting)
    return waiting


def test_a_question_without_options(tool: Any) -> None:
    assert ask(tool, {"question": "Which colour?"}) == Waiting("Which colour?")


def test_options_are_words_or_words_with_an_explanation(tool: Any) -> None:
    waiting = ask(tool, {"question": "?", "options": ["red", {"label": "blue", "description": "like the sea"}]})
    assert waiting.options == (
        {"label": "red", "description": ""},
        {"label": "blue", "description": "like the sea"},
    )


@pytest.mark.parametrize(
    "raw",
    [
        {}, {"question": ""}, {"question": "  \n"}, {"question": 7}, {"question": "x" * 4001},
        {"question": "?", "more": 1},
        {"question": "?", "options": "red"}, {"question": "?", "options": [""]}, {"question": "?", "options": [7]},
        {"question": "?", "options": [{"label": "a", "colour": "b"}]}, {"question": "?", "options": ["x"] * 11},
        {"question": "?", "options": {"label": "red"}}, "not json", [],
    ],
)  # fmt: skip
def test_bad_arguments_are_explained(tool: Any, raw: Any) -> None:
    with pytest.raises(ToolError) as caught:
        tool.parse(raw)
    assert caught.value.code == "bad_args" and "ask_user" in caught.value.message


def test_it_changes_nothing_and_may_be_asked_again_after_a_crash(tool: Any) -> None:
    assert tool.reads_only
    assert tool.name == "ask_user" and "wait for the answer" in tool.description
