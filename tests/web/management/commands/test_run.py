"""`run`: a session driven wholly in the terminal, with exit codes to build on."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.web.scripted import Scripted
from tests.web.server import PYTHON, ROOT, Workbench, environment, events, manage, until

MODEL = ["--model", "openai:scripted"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path


def run(home: Path, model: Scripted, *words: str) -> "subprocess.CompletedProcess[str]":
    where = ["--workspace", str(home / "ws")]
    return manage("run", *words, *MODEL, *where, data=home / "data", env=model.env)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_finished_agent_is_exit_0_and_every_event_is_a_line(home: Path, model: Scripted) -> None:
    done = run(home, model, "hello", "--json")
    assert done.returncode == 0, done.stderr
    told = lines(done.stdout)
    assert [e["seq"] for e in told] == list(range(1, len(told) + 1))
    assert (told[0]["kind"], told[-1]["kind"]) == ("session_started", "session_done")
    assert manage("verify_journal", data=home / "data").returncode == 0


def test_the_first_ask_is_exit_3_and_it_waits_on(home: Path, model: Scripted) -> None:
    done = run(home, model, "ask", "--json")
    assert done.returncode == 3, done.stderr
    assert lines(done.stdout)[-1]["kind"] == "question_asked"
    with Workbench(home / "data", home / "ws", env=model.env) as bench, bench.api() as api:
        question = api.get("/questions", params={"status": "pending"}).json()["items"][0]
        api.post(f"/questions/{question['id']}", json={"answer": "the first"})
        until(lambda: "session_done" in [e["kind"] for e in events(api, question["session"])])


def test_approve_all_goes_to_the_end_and_takes_the_likeliest_answer(home: Path, model: Scripted) -> None:
    done = run(home, model, "ask", "--approve", "all", "--json")
    assert done.returncode == 0, done.stderr
    answered = next(e for e in lines(done.stdout) if e["kind"] == "question_answered")
    assert answered["answer"] == "the first"


def test_the_lines_are_for_people_without_json(home: Path, model: Scripted) -> None:
    done = run(home, model, "ask", "--approve", "all")
    assert "? Which one?" in done.stdout
    assert "- the second" in done.stdout
    assert "done: finished" in done.stdout
    assert "{" not in done.stdout.splitlines()[0]


def test_a_model_that_fails_is_exit_1_with_its_reason(home: Path, model: Scripted) -> None:
    done = run(home, model, "refuses")
    assert done.returncode == 1
    assert "401" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["x", "--model", "nobody"], "no model 'nobody'"),
        (["  ", "--model", "openai:x"], "task is empty"),
        (["x", "--model", "openai:x", "--workspace", "/no/such"], "There is no folder"),
    ],
)
def test_what_cannot_start_is_one_line(home: Path, words: list[str], says: str) -> None:
    done = manage("run", *words, data=home / "data")
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_it_works_beside_a_running_workbench(live: Workbench) -> None:
    words = ["run", "hello", *MODEL, "--workspace", str(live.workspace), "--json"]
    done = manage(*words, data=live.data, env=live.env)
    assert done.returncode == 0, done.stderr
    with live.api() as api:
        session = api.get("/sessions").json()["items"][0]["id"]
        assert events(api, session) == lines(done.stdout)


def status(home: Path) -> str:
    code = "from workbench.web.models import Session; print(Session.objects.get().status)"
    return manage("shell", "-v", "0", "-c", code, data=home / "data").stdout.strip()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_ctrl_c_or_the_end_of_the_terminal_stops_the_session(
    home: Path, model: Scripted, sent: signal.Signals, code: int
) -> None:
    words = [PYTHON, str(ROOT / "manage.py"), "run", "slow", *MODEL, "--workspace", str(home / "ws"), "--json"]
    env = environment(home / "data", model.env)
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True, cwd=home) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.7)
        process.send_signal(sent)
        rest = process.stdout.read()
        assert process.wait(15) == code, rest
    assert status(home) == "stopped"


def test_when_nobody_reads_any_more_the_session_is_stopped(home: Path, model: Scripted) -> None:
    words = [PYTHON, str(ROOT / "manage.py"), "run", "slow", *MODEL, "--workspace", str(home / "ws"), "--json"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env=environment(home / "data", model.env), cwd=home, **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(15) == 143
        assert "Traceback" not in process.stderr.read()
    assert status(home) == "stopped"


def test_the_demo_runs_to_its_end_in_a_sample_of_its_own(tmp_path: Path) -> None:
    done = manage("run", "Show me what you can do", "--model", "demo", "--approve", "all", "--json",
                  data=tmp_path / "data", timeout=110)  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = lines(done.stdout)
    kinds = {e["kind"] for e in told}
    assert {"question_asked", "approval_asked", "tool_result", "session_done"} <= kinds
    workspace = Path(told[0]["workspace"])
    assert workspace.is_relative_to(tmp_path / "workbench-samples")
    remote = workspace.with_name(f"{workspace.name}.git")
    pushed = subprocess.run(["git", "-C", str(remote), "log", "--oneline", "--all"], capture_output=True, text=True)
    assert len(pushed.stdout.splitlines()) >= 2, pushed
    assert sys.version_info >= (3, 12)
