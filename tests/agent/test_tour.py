"""What the demo says and does, without a workspace: the results are made up (the real ones are in `providers/`)."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench.agent.messages import Answer, AskedCall, CallResult, Message, UserText
from workbench.agent.providers.demo import next_turn
from workbench.agent.tour import CASES, CODE, FROM_ELEVEN, FROM_TEN, TESTS, Data, Turn

World = Callable[[str, Data], Data]


class Play:
    """Runs the script to its end in a made-up world."""

    def __init__(self, answer: str = FROM_TEN, **replies: Any) -> None:
        self.answer = answer
        self.replies = replies
        self.messages: list[Message] = [UserText("mend it")]
        self.turns: list[Turn] = []
        self.red = True

    def world(self, tool: str, args: Data) -> Data:
        for key, reply in self.replies.items():
            if key in f"{tool} {args}".replace(" ", "_").replace("'", ""):
                data = reply.pop(0) if isinstance(reply, list) and reply else reply
                if data:
                    return data
        match tool:
            case "glob":
                return {"paths": ["README.md", CODE, CASES]}
            case "read_file":
                following = {"offset": args.get("offset", 0) + 80} if "catalogue" in args["path"] else None
                return {"path": args["path"], "next": following, "total_lines": 3634}
            case "ask_user":
                return {"answer": self.answer}
            case "edit_file":
                self.red = False
                return {"path": args["path"], "diff": "…"}
            case "bash" if args["command"] == TESTS:
                return {"exit_code": int(self.red)}
            case "bash":
                return {"exit_code": 0}
            case _:
                return {"matches": 3}

    def step(self) -> Turn:
        turn = next_turn(self.messages)
        self.turns.append(turn)
        asked = tuple(AskedCall(f"c{len(self.messages)}{n}", tool, args) for n, (tool, args) in enumerate(turn.calls))
        self.messages.append(Answer(turn.text, calls=asked))
        self.messages += [CallResult(c.id, c.tool, self.world(c.tool, c.arguments)) for c in asked]
        return turn

    def run(self) -> str:
        for _ in range(40):
            turn = self.step()
            if not turn.calls:
                return turn.text
        raise AssertionError("the script does not end")

    @property
    def calls(self) -> list[tuple[str, Data]]:
        return [call for turn in self.turns for call in turn.calls]

    def did(self, part: str) -> int:
        return sum(part in f"{tool} {args}" for tool, args in self.calls)


def test_it_shows_everything_once() -> None:
    play = Play()
    summary = play.run()
    tools = [[tool for tool, _ in turn.calls] for turn in play.turns]
    assert tools == [
        ["glob"], ["read_file", "read_file"], ["read_file"], ["read_file"], ["read_file"], ["grep", "read_file"],
        ["bash"], ["ask_user"], ["edit_file"], ["bash"], ["bash"], ["bash"], [],
    ]  # fmt: skip
    assert play.calls[-1] == ("bash", {"command": "git push origin main"})
    for row in (
        "| Tests before | The tests are red. |",
        "| Tests after | The tests are green. |",
        "| Push | It arrived. |",
    ):
        assert row in summary


def test_the_other_answer_changes_the_test_and_the_readme() -> None:
    play = Play(FROM_ELEVEN)
    play.run()
    edited = [args["path"] for tool, args in play.calls if tool == "edit_file"]
    assert edited == [CASES, "README.md"]
    assert play.did("begins at eleven")


@pytest.mark.parametrize(
    ("answer", "meant", "path"),
    [("hm, the code is right", FROM_ELEVEN, CASES), ("only from 11 on", FROM_ELEVEN, CASES), ("ten!", FROM_TEN, CODE)],
)
def test_an_answer_in_other_words_is_taken_one_way_and_that_is_said(answer: str, meant: str, path: str) -> None:
    play = Play(answer)
    play.run()
    turn = next(t for t in play.turns if t.calls and t.calls[0][0] == "edit_file")
    assert answer in turn.text and meant in turn.text and turn.calls[0][1]["path"] == path


def test_no_answer_is_no_dead_end() -> None:
    play = Play(ask_user={"answer": None, "outcome": "expired"})
    play.run()
    assert "No answer came" in next(t for t in play.turns if "edit_file" in str(t.calls)).text


def test_a_rejected_push_is_read_and_left() -> None:
    play = Play(git_push={"error": "rejected", "message": "A person rejected this call.", "reason": "on Friday? no"})
    summary = play.run()
    assert play.did("git push") == 1 and "you rejected it (on Friday? no)" in summary


def test_a_rejected_edit_leads_to_no_commit() -> None:
    play = Play(edit_file={"error": "rejected", "message": "no", "reason": "leave it"})
    summary = play.run()
    assert not play.did("git commit") and play.did(TESTS) == 1
    assert "you rejected it (leave it)" in summary and "There was nothing to deliver" in summary


def test_in_plan_mode_it_ends_with_what_was_denied() -> None:
    denied = {"error": "denied", "message": "Not allowed: the session only reads."}
    summary = Play(bash=denied, edit_file=denied).run()
    assert summary.count("Not allowed: the session only reads.") == 2


def test_red_tests_are_not_committed() -> None:
    play = Play(unittest={"exit_code": 1})
    assert "There was nothing to deliver" in play.run()
    assert not play.did("git")


def test_a_call_that_was_cut_off_is_made_once_more() -> None:
    cut = {"error": "interrupted", "message": "restart"}
    play = Play(unittest=[cut, None], git_push=[cut, None])
    assert "It arrived." in play.run()
    assert play.did("git push") == 2 and play.did(TESTS) == 3
    assert any("cut off" in turn.text for turn in play.turns)


def test_a_stale_file_is_read_again_before_the_edit() -> None:
    play = Play(edit_file=[{"error": "stale", "message": "changed"}, None])
    assert "`seedshop/pricing.py` is changed." in play.run()
    assert play.did("edit_file") == 2 and sum(args.get("path") == CODE for _, args in play.calls) == 4


def test_a_short_catalogue_is_not_paged() -> None:
    play = Play(catalogue={"next": None})
    play.run()
    assert play.did("catalogue") == 1


def test_a_message_in_between_is_read_and_the_tour_goes_on() -> None:
    play = Play()
    play.step()
    play.messages.append(UserText("please\nhurry"))
    assert play.step().text.startswith("(I read “please hurry”, but a script can't follow that")
    assert "It arrived." in play.run()


def test_whoever_goes_on_talking_gets_short_honest_answers() -> None:
    play = Play()
    play.run()
    play.messages.append(UserText("now write a poem"))
    assert "scripted demo" in play.run()
    play.messages.append(UserText("run the tests again"))
    assert play.run() == "The tests are green." and play.did(TESTS) == 3
    play.messages.append(UserText("[A person took back your change of seedshop/pricing.py (call c).]"))
    play.messages.append(UserText("see?"))
    assert "took my change back" in play.run()


def test_an_answer_that_was_stopped_in_the_middle_is_said_again() -> None:
    play = Play()
    play.step()
    play.messages += [Answer("A small Py"), UserText("[A person had stopped you here and now lets you go on.]")]
    assert "It arrived." in play.run()


def test_another_workspace_is_only_looked_at() -> None:
    play = Play(glob={"paths": ["src/main.rs", "README.txt", "Cargo.toml"]})
    text = play.run()
    assert {tool for tool, _ in play.calls} == {"glob", "read_file", "grep"}
    assert [args["path"] for tool, args in play.calls if tool == "read_file"] == ["README.txt", "Cargo.toml"]
    assert "I listed 3 files" in text and "real model" in text


@pytest.mark.parametrize("result", [{"paths": []}, {"error": "denied", "message": "no"}])
def test_an_empty_workspace_is_said_to_be_empty(result: Data) -> None:
    play = Play(glob=result)
    assert "no files here" in play.run() and len(play.calls) == 1


def test_a_session_of_another_script_is_not_guessed_at() -> None:
    asked = (AskedCall("c", "write_file", {}),)
    turn = next_turn([UserText("x"), Answer("", calls=asked), CallResult("c", "write_file", {})])
    assert "lost my place" in turn.text and not turn.calls
