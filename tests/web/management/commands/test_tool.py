"""`tool`: calls without a model; a line is answered before the next is read, and none ends the loop."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.web.server import PYTHON, ROOT, environment, manage


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_text("one\ntwo\n")
    return tmp_path


def tool(home: Path, *words: str, stdin: str = "") -> list[dict[str, Any]]:
    done = manage("tool", *words, "--workspace", str(home / "ws"), data=home / "data", stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines(*calls: object) -> str:
    return "".join((call if isinstance(call, str) else json.dumps(call)) + "\n" for call in calls)


def test_one_call_is_one_result(home: Path) -> None:
    (result,) = tool(home, "read_file", '{"path": "a.txt"}')
    assert result["content"] == "     1| one\n     2| two"


def test_what_was_read_in_one_line_may_be_edited_in_the_next(home: Path) -> None:
    edit = {"tool": "edit_file", "args": {"path": "a.txt", "old_string": "two", "new_string": "2"}}
    refused, read, edited = tool(
        home, "--jsonl", stdin=lines(edit, {"tool": "read_file", "args": {"path": "a.txt"}}, edit)
    )
    assert refused["error"] == "not_read"
    assert read["total_lines"] == 2
    assert "+2" in edited["diff"]
    assert (home / "ws" / "a.txt").read_text() == "one\n2\n"


def test_no_line_ends_the_loop(home: Path) -> None:
    given = [
        "not json", "[]", "3", "null", '"text"', '{"tool": 5}', '{"args": {}}', '{"tool": "nothing"}',
        '{"tool": "read_file"}', '{"tool": "read_file", "args": []}', '{"tool": "read_file", "args": "x"}',
        '{"tool": "read_file", "args": {"path": "\\ud800"}}', '{"tool": "read_file", "args": {"path": "../x"}}',
        '{"tool": "read_file", "args": {"path": "a.txt", "nonsense": 1}}', "[" * 5000,
        '{"tool": "read_file", "args": {"path": "a.txt"}}',
    ]  # fmt: skip
    answers = tool(home, "--jsonl", stdin="\n" + lines(*given))
    assert len(answers) == len(given)
    assert all(a["error"] and a["message"] for a in answers[:-1])
    assert answers[-1]["path"] == "a.txt"


def test_bytes_that_are_no_utf_8_are_an_error_of_their_line_only(home: Path) -> None:
    words = [PYTHON, str(ROOT / "manage.py"), "tool", "--jsonl", "--workspace", str(home / "ws")]
    where = environment(home / "data", {"PYTHONIOENCODING": "utf-8:strict"})
    given = b'{"tool": "glob", "args": {"pattern": "\xff"}}\n{"tool": "glob", "args": {"pattern": "*"}}\n'
    done = subprocess.run(words, env=where, input=given, capture_output=True, check=True, timeout=60)
    bad, good = map(json.loads, done.stdout.splitlines())
    assert bad["error"] == "bad_args"
    assert good["paths"] == ["a.txt"]


def test_a_line_is_answered_before_the_next_is_read(home: Path) -> None:
    words = [PYTHON, str(ROOT / "manage.py"), "tool", "--jsonl", "--workspace", str(home / "ws")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env=environment(home / "data"), **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write('{"tool": "glob", "args": {"pattern": "*"}}\n')
            process.stdin.flush()
            assert "a.txt" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(10) == 0


def test_what_asks_is_refused_with_its_reasons_unless_all_is_approved(home: Path) -> None:
    (refused,) = tool(home, "read_file", '{"path": ".env"}') if (home / "ws" / ".env").write_text("K=v") else ({},)
    assert refused["error"] == "approval_required"
    assert refused["reasons"]
    assert refused["effects"]
    (read,) = tool(home, "read_file", '{"path": ".env"}', "--approve", "all")
    assert "K=v" in read["content"]


def test_a_change_can_be_taken_back_like_any_other(home: Path) -> None:
    tool(home, "write_file", '{"path": "new.txt", "content": "x"}')
    code = "from workbench.web.models import Version as V; v = V.objects.get(); print(v.path, v.status, v.by)"
    said = manage("shell", "-v", "0", "-c", code, data=home / "data").stdout.strip()
    assert said == "new.txt done write_file"


@pytest.mark.parametrize("words", [[], ["read_file", "{}", "--jsonl"]])
def test_half_a_request_says_how_it_goes(home: Path, words: list[str]) -> None:
    done = manage("tool", *words, data=home / "data")
    assert done.returncode == 2
    assert "either a tool and its arguments, or --jsonl" in done.stderr


def test_a_workspace_that_is_not_there_is_one_line(home: Path) -> None:
    done = manage("tool", "read_file", "{}", "--workspace", str(home / "none"), data=home / "data")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
