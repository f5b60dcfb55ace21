"""The conversation as the model must see it."""

from typing import Any

import pytest

from workbench.agent.conversation import Conversation, deliverable
from workbench.agent.messages import Answer, AskedCall, CallResult, Message, Picture, UserText
from workbench.journal import chain
from workbench.journal.kinds import (
    Event,
    Media,
    ModeChanged,
    ModelTurn,
    RolledBack,
    SessionResumed,
    SessionStopped,
    ToolCall,
    ToolResult,
    UserMessage,
)


@pytest.fixture
def told(desk: Any) -> Any:
    def messages(*events: Event, task: str = "do it", new: tuple[int, ...] = ()) -> list[Message]:
        desk.begin(task=task)
        desk.journal.put(*events)
        conversation = Conversation()
        for line in desk.journal.lines:
            conversation.apply(chain.from_line(line))
        return conversation.messages({"h1": b"png"}.get, new=new)

    return messages


def call(name: str, turn: int = 1) -> ToolCall:
    return ToolCall(call_id=name, turn=turn, tool="look", args={"path": name})


def result(name: str, **more: Any) -> ToolResult:
    return ToolResult(call_id=name, ok=True, data={"of": name}, **more)


def test_the_task_is_the_first_message(told: Any) -> None:
    assert told() == [UserText("do it")]
    assert told(task="") == []


def test_results_follow_their_answer_in_the_order_of_the_calls(told: Any) -> None:
    found = told(
        ModelTurn(turn=1, text="I look.", reasoning="hm", provider_state={"s": 1}), call("a"), call("b"),
        result("b"), result("a"), ModelTurn(turn=2, text="Done."),
    )  # fmt: skip
    asked = (AskedCall("a", "look", {"path": "a"}), AskedCall("b", "look", {"path": "b"}))
    assert found == [
        UserText("do it"),
        Answer("I look.", "hm", asked, {"s": 1}),
        CallResult("a", "look", {"of": "a"}),
        CallResult("b", "look", {"of": "b"}),
        Answer("Done."),
    ]


def test_a_message_stands_where_it_was_read_not_where_it_was_written(told: Any) -> None:
    found = told(
        ModelTurn(turn=1), call("a"), UserMessage(text="hurry", by="m"), result("a"),
        ModelTurn(turn=2, text="Hm."), ModelTurn(turn=3, text="Yes.", took=[4]),
    )  # fmt: skip
    assert [type(m).__name__ for m in found] == ["UserText", "Answer", "CallResult", "Answer", "UserText", "Answer"]
    assert found[4] == UserText("hurry")


def test_new_messages_come_last(told: Any) -> None:
    found = told(ModelTurn(turn=1, text="Done."), UserMessage(text="and?", by="m"), new=(3,))
    assert found[-1] == UserText("and?")
    assert told(ModelTurn(turn=1, text="Done."), UserMessage(text="and?", by="m"))[-1] == Answer("Done.")


def test_an_empty_answer_is_left_out(told: Any) -> None:
    assert told(ModelTurn(turn=1, text=" ")) == [UserText("do it")]


def test_pictures_come_from_the_store_or_are_empty(told: Any) -> None:
    media = [Media(mime="image/png", sha256="h1", name="a.png"), Media(mime="image/png", sha256="gone")]
    found = told(ModelTurn(turn=1), call("a"), result("a", media=media))
    assert found[-1].media == (Picture("image/png", b"png", "a.png"), Picture("image/png", b"", ""))


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([RolledBack(call_id="a", version=1, new_version=2, path="x.py", by="m")], "took back your change of x.py"),
        (
            [RolledBack(call_id="a", version=2, new_version=3, path="x.py", by="m", put_back=True)],
            "put your change of x.py (call a) back",
        ),
        ([ModeChanged(mode="auto", by="m")], "switched the session to auto mode"),
    ],
)
def test_what_people_did_is_told_in_brackets(told: Any, events: list[Event], words: str) -> None:
    found = told(ModelTurn(turn=1), call("a"), result("a"), *events, new=(5,))
    assert words in found[-1].text and found[-1].text.startswith("[")


def test_a_resume_after_a_stop_is_told(told: Any) -> None:
    found = told(ModelTurn(turn=1, text="Half"), SessionStopped(by="m"), SessionResumed(by="m"), new=(4,))
    assert found[-2:] == [Answer("Half"), UserText("[A person had stopped you here and now lets you go on.]")]


def test_what_the_next_request_brings(desk: Any) -> None:
    desk.begin()
    queue, steer = UserMessage(text="q", by="m"), UserMessage(text="s", by="m", delivery="steer")
    desk.journal.put(ModelTurn(turn=1), call("a"), queue, steer, ModeChanged(mode="plan", by="m"))
    assert deliverable(desk.journal.state) == [5, 6]
    desk.journal.put(result("a"), ModelTurn(turn=2, took=[5, 6]))
    assert deliverable(desk.journal.state) == [4]
