"""Our messages to pydantic_ai's and back; the servers are in `providers/`."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, ToolReturnPart, UserPromptPart

from workbench.agent.messages import Answer, AskedCall, CallResult, Picture, UserText
from workbench.agent.wire import EXPLAINED, explain, to_wire


def test_requests_and_responses_take_turns() -> None:
    wire = to_wire(
        "be brief",
        [
            UserText("one"), UserText("two"), Answer("", calls=(AskedCall("c", "look", {}),)),
            CallResult("c", "look", {"a": 1}), UserText("three"), Answer("done"), UserText("four"),
        ],
        images=True,
    )  # fmt: skip
    assert [type(m) for m in wire] == [ModelRequest, ModelResponse, ModelRequest, ModelResponse, ModelRequest]
    assert [type(p) for p in wire[0].parts] == [SystemPromptPart, UserPromptPart, UserPromptPart]
    assert [type(p) for p in wire[2].parts] == [ToolReturnPart, UserPromptPart]


def test_pictures_that_can_not_be_shown_are_named() -> None:
    media = (Picture("image/png", b"x", "a.png"), Picture("image/png", b"", "gone.png"))
    (request,) = to_wire("", [CallResult("c", "look", {"path": "a"}, media=media)], images=False)
    (part,) = request.parts
    assert isinstance(part, ToolReturnPart) and isinstance(part.content, dict)
    assert part.content["not_shown"][0].startswith("a.png (image/png)")
    (request,) = to_wire("", [CallResult("c", "look", {"path": "a"}, media=media)], images=True)
    assert isinstance(request.parts[0], ToolReturnPart) and len(request.parts[0].content) == 2


def test_a_state_that_is_not_understood_is_left_out() -> None:
    for state in (None, "x", [], {"calls": ["x"]}, {"other": 1}):
        (response,) = to_wire("", [Answer("a", calls=(AskedCall("c", "t", {}),), state=state)], images=True)
        assert len(response.parts) == 2


@pytest.mark.parametrize("kind", [kind for kind, _, _ in EXPLAINED])
def test_every_kind_of_failure_is_explained_by_its_own_words(kind: type[Exception]) -> None:
    if kind is failures.ModelRequestTimeout:
        error: Exception = failures.ModelRequestTimeout("tiny", 5)
    elif issubclass(kind, failures.UnexpectedModelBehavior):
        error = kind("said\nso")
    else:
        error = kind("tiny", "said\nso")
    explained = explain(error, "the endpoint x")
    index = [k for k, _, _ in EXPLAINED].index(kind)
    words = EXPLAINED[index][1].format(where="the endpoint x", model="tiny")
    assert explained.message.startswith(words[0].upper() + words[1:])
    assert "\n" not in explained.message


def test_an_unknown_failure_is_not_tried_again() -> None:
    error = explain(KeyError("choices"), "the endpoint x")
    assert not error.retryable and "choices" in error.message


def test_the_start_up_path_loads_no_sdk() -> None:
    code = (
        "import sys, workbench.agent.loop, workbench.agent.providers\n"
        "assert not {'pydantic_ai', 'openai', 'anthropic', 'workbench.agent.wire'} & set(sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
