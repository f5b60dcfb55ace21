"""`explain`: the decision, its rule, and what each command does; nothing is run (G2)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.server import manage


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path


def explain(home: Path, *words: str, stdin: str = "") -> list[dict[str, Any]]:
    done = manage("explain", "--workspace", str(home / "ws"), *words, data=home / "data", stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_reading_is_allowed_and_pushing_asks(home: Path) -> None:
    (found,) = explain(home, "ls -la && git push origin main")
    assert found.keys() == {"decision", "reasons", "commands", "rule"}
    assert found["decision"] == "ask"
    assert found["reasons"]
    assert [c["argv"] for c in found["commands"]] == [["ls", "-la"], ["git", "push", "origin", "main"]]
    (alone,) = explain(home, "ls -la")
    assert alone["decision"] == "allow"
    assert alone["rule"]


def test_lines_name_commands_or_tools_and_a_bad_one_ends_nothing(home: Path) -> None:
    given = [
        '{"command": "cat a"}', "nonsense", '{"tool": "write_file", "args": {"path": "x", "content": "y"}}',
        '{"tool": "nothing"}', '{"tool": "read_file", "args": {"path": "/etc/passwd"}}', "{}", '{"command": 5}',
        '{"command": "rm -rf /"}',
    ]  # fmt: skip
    found = explain(home, "--jsonl", stdin="\n".join(given) + "\n")
    assert len(found) == len(given)
    assert [f.get("decision", f.get("error")) for f in found] == [
        "allow", "bad_args", "allow", "deny", "deny", "bad_args", "deny", "deny",
    ]  # fmt: skip
    assert not (home / "ws" / "x").exists()


def test_a_command_that_looks_like_an_option_is_still_a_command(home: Path) -> None:
    (found,) = explain(home, "--", "--help")
    assert found["decision"] in ("ask", "allow")


def test_half_a_request_says_how_it_goes(home: Path) -> None:
    done = manage("explain", data=home / "data")
    assert done.returncode == 2
    assert "either a command or --jsonl" in done.stderr
