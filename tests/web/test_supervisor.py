"""Sessions through decisions, stops, crashes and restarts, in real processes (A7, A8, G4; threats 37-39)."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.web.scripted import Scripted
from tests.web.server import ROOT, Workbench, environment, events, manage, until, wait_for
from workbench.journal.kinds import UserMessage
from workbench.web.supervisor import Supervisor

Start = Callable[..., Workbench]


def begin(api: httpx.Client, prompt: str, status: str, **more: Any) -> str:
    made = api.post("/sessions", json={"prompt": prompt, "model": "openai:scripted", **more})
    assert made.status_code == 201, made.text
    session = str(made.json()["id"])
    wait_for(api, session, status)
    return session


def waits(api: httpx.Client, session: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = api.get("/approvals", params={"status": "pending", "session": session}).json()[
        "items"
    ]
    assert len(found) == 1
    return found[0]


def kinds(api: httpx.Client, session: str) -> list[str]:
    return [e["kind"] for e in events(api, session)]


@pytest.fixture
def own(workbench_up: Start, model: Scripted) -> Iterator[Workbench]:
    """A workbench that the test may kill."""
    yield workbench_up(env=model.env)


def ran(workspace: Path) -> int:
    """How often the approved command has run."""
    file = workspace / "ran.txt"
    return len(file.read_text().splitlines()) if file.is_file() else 0


def test_of_two_who_decide_at_once_one_wins_and_the_other_is_told(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "push", "waiting")
    approval = waits(api, session)["id"]
    answers: list[httpx.Response] = []
    gate = threading.Barrier(8)

    def decide(n: int) -> None:
        with live.api() as mine:
            gate.wait()
            decision = {"decision": "approve"} if n % 2 else {"decision": "reject", "reason": "no"}
            answers.append(mine.post(f"/approvals/{approval}", json=decision))

    threads = [threading.Thread(target=decide, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(a.status_code for a in answers) == [200] + [409] * 7
    won = next(a for a in answers if a.status_code == 200).json()
    for lost in (a.json() for a in answers if a.status_code == 409):
        assert lost["decided_by"] == won["decided_by"] != ""
        assert lost["outcome"] == won["status"]
        assert won["decided_by"] in lost["message"]
    wait_for(api, session, "done")
    assert kinds(api, session).count("approval_decided") == 1


def test_a_rejection_tells_the_model_why_and_runs_nothing(live: Workbench, api: httpx.Client) -> None:
    before = ran(live.workspace)
    session = begin(api, "push", "waiting")
    api.post(f"/approvals/{waits(api, session)['id']}", json={"decision": "reject", "reason": "push to a fork instead"})
    wait_for(api, session, "done")
    result = events(api, session, "tool_result")[0]
    assert result["data"]["error"] == "rejected"
    assert "push to a fork instead" in result["data"]["message"]
    assert ran(live.workspace) == before


def test_edited_arguments_are_what_runs(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "push", "waiting")
    asked = waits(api, session)
    args = {**asked["args"], "command": "echo edited > edited.txt"}
    decided = api.post(f"/approvals/{asked['id']}", json={"decision": "approve", "args": args}).json()
    assert decided["status"] == "approved"
    wait_for(api, session, "done")
    assert (live.workspace / "edited.txt").read_text() == "edited\n"
    event = events(api, session, "approval_decided")[0]
    assert event["args"]["command"] == args["command"]
    assert event["digest"] != asked["digest"]
    assert event["digest"] == events(api, session, "tool_started")[0]["digest"]


@pytest.mark.parametrize("args", [{"command": 5}, {"nonsense": 1}, {"command": ""}])
def test_edited_arguments_that_the_tool_refuses_decide_nothing(
    live: Workbench, api: httpx.Client, args: dict[str, Any]
) -> None:
    session = begin(api, "push", "waiting")
    asked = waits(api, session)
    answer = api.post(f"/approvals/{asked['id']}", json={"decision": "approve", "args": args})
    assert answer.status_code == 400, answer.text
    assert waits(api, session)["id"] == asked["id"]
    api.post(f"/sessions/{session}/stop")


def test_what_is_remembered_is_not_asked_again_in_this_session_only(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "push", "waiting")
    asked = waits(api, session)
    api.post(f"/approvals/{asked['id']}", json={"decision": "approve", "remember": "session"})
    wait_for(api, session, "done")
    other = begin(api, "push", "waiting")
    assert waits(api, other)["digest"] == asked["digest"]
    api.post(f"/sessions/{other}/stop")


def test_a_stop_ends_a_command_within_a_second_and_withdraws_what_waits(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "sleep", "running")
    until(lambda: "tool_started" in kinds(api, session))
    time.sleep(0.5)
    begun = time.monotonic()
    assert api.post(f"/sessions/{session}/stop").json()["status"] == "stopped"
    until(lambda: "tool_result" in kinds(api, session), seconds=5)
    assert time.monotonic() - begun < 2
    waiting = begin(api, "push", "waiting")
    api.post(f"/sessions/{waiting}/stop")
    until(lambda: api.get("/approvals", params={"session": waiting}).json()["items"][0]["status"] == "withdrawn")
    late = api.get("/approvals", params={"session": waiting}).json()["items"][0]["id"]
    assert api.post(f"/approvals/{late}", json={"decision": "approve"}).status_code == 409


def test_a_pause_lets_the_step_end_and_a_resume_goes_on(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "slow", "running")
    assert api.post(f"/sessions/{session}/pause").json()["status"] == "paused"
    until(lambda: "model_turn" in kinds(api, session))
    time.sleep(0.5)
    assert "session_done" not in kinds(api, session)
    api.post(f"/sessions/{session}/resume")
    wait_for(api, session, "done")


def test_a_message_opens_a_session_that_was_done(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "hello", "done")
    api.post(f"/sessions/{session}/messages", json={"text": "and now?"})
    until(lambda: kinds(api, session).count("session_done") == 2)


def test_a_message_is_never_consent(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "push", "waiting")
    api.post(f"/sessions/{session}/messages", json={"text": "yes, approved, go ahead", "delivery": "steer"})
    time.sleep(1)
    assert api.get(f"/sessions/{session}").json()["status"] == "waiting"
    assert waits(api, session)
    api.post(f"/sessions/{session}/stop")


def test_an_approval_survives_a_kill_and_the_command_runs_once(own: Workbench) -> None:
    with own.api() as api:
        session = begin(api, "push", "waiting")
        asked = waits(api, session)
    own.kill()
    own.start()
    with own.api() as api:
        time.sleep(1)
        assert api.get(f"/sessions/{session}").json()["status"] == "waiting"
        assert waits(api, session) == asked
        assert ran(own.workspace) == 0
        assert api.post(f"/approvals/{asked['id']}", json={"decision": "approve"}).status_code == 200
        wait_for(api, session, "done")
        assert ran(own.workspace) == 1
        assert api.post(f"/approvals/{asked['id']}", json={"decision": "approve"}).status_code == 409
        assert kinds(api, session).count("tool_started") == 1
    assert manage("verify_journal", data=own.data).returncode == 0


def test_a_decision_that_a_kill_cut_off_from_its_run_still_runs_once(own: Workbench) -> None:
    """The decision is durable; the process dies before it acts on it."""
    with own.api() as api:
        session = begin(api, "push", "waiting")
        approval = waits(api, session)["id"]
    own.kill()
    code = (
        "from workbench.web import actions;"
        f"actions.decide_approval({approval}, 'approve', actions.Who('ann', 'terminal'))"
    )
    assert manage("shell", "-c", code, data=own.data).returncode == 0
    assert ran(own.workspace) == 0
    own.start()
    with own.api() as api:
        wait_for(api, session, "done")
        assert ran(own.workspace) == 1
        assert events(api, session, "approval_decided")[0]["by"] == "ann"


def test_a_command_that_a_kill_cut_off_is_told_to_the_model_and_not_run_again(own: Workbench) -> None:
    with own.api() as api:
        session = begin(api, "sleep", "running")
        until(lambda: "tool_started" in kinds(api, session))
        time.sleep(0.5)
    own.kill()
    own.start()
    with own.api() as api:
        wait_for(api, session, "done", seconds=30)
        assert events(api, session, "session_recovered")[0]["interrupted"] == ["call_0_0"]
        result = events(api, session, "tool_result")
        assert [r["data"]["error"] for r in result] == ["interrupted"]
        assert kinds(api, session).count("tool_started") == 1
        assert events(api, session, "model_turn")[-1]["text"].strip() == "Slept."
    assert manage("verify_journal", data=own.data).returncode == 0


def test_an_orphan_of_the_killed_process_does_not_live_on(own: Workbench) -> None:
    with own.api() as api:
        session = begin(api, "sleep", "running")
        until(lambda: "tool_started" in kinds(api, session))
        time.sleep(0.5)
    own.kill()
    until(lambda: not _sleepers("sleep 40"), seconds=5)


def _sleepers(command: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and command.replace(" ", "\0") in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_sigterm_brings_sessions_to_rest_closes_sockets_with_1012_and_exits_0(own: Workbench) -> None:
    with own.api() as api:
        session = begin(api, "sleep", "running")
        until(lambda: "tool_started" in kinds(api, session))
    headers = {"Authorization": f"Bearer {own.facts['api_token']}"}
    url = f"{own.socket_url}/ws/sessions/{session}/?format=json"
    with connect(url, additional_headers=headers, proxy=None) as socket:
        socket.recv(timeout=5)
        begun = time.monotonic()
        os.kill(own.pid, signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(timeout=10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert own.process is not None
        assert own.process.wait(12) == 0
        assert time.monotonic() - begun < 10
    assert not (own.data / "server.json").exists()
    assert not _sleepers("sleep 40")
    own.start()
    with own.api() as api:
        wait_for(api, session, "done", seconds=30)


def test_another_process_takes_a_decision_and_this_one_goes_on_within_a_second(own: Workbench) -> None:
    with own.api() as api:
        session = begin(api, "push", "waiting")
        approval = waits(api, session)["id"]
        code = (
            "from workbench.web import actions;"
            f"actions.decide_approval({approval}, 'reject', actions.Who('ann', 'terminal'))"
        )
        manage("shell", "-c", code, data=own.data)
        wait_for(api, session, "done", seconds=3)


def test_a_session_that_a_dead_terminal_left_is_taken_up(own: Workbench, model: Scripted) -> None:
    """`run` is killed in the middle; the workbench goes on with its session."""
    words = ["run", "slow", "--model", "openai:scripted", "--workspace", str(own.workspace), "--json"]
    with subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *words], env=environment(own.data, model.env), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.5)
        process.kill()
    with own.api() as api:
        session = api.get("/sessions").json()["items"][0]["id"]
        wait_for(api, session, "done")


@pytest.mark.parametrize(("prompt", "says"), [("refuses", "401"), ("breaks", "")])
def test_a_model_that_fails_is_said_and_the_server_lives(own: Workbench, prompt: str, says: str) -> None:
    with own.api() as api:
        made = api.post("/sessions", json={"prompt": prompt, "model": "openai:scripted"}).json()["id"]
        until(lambda: {"model_failed", "session_failed"} & set(kinds(api, made)))
        failed = next(e for e in events(api, made) if e["kind"] in ("model_failed", "session_failed"))
        assert failed["message"]
        assert says in failed["message"]
        assert api.get("/models").status_code == 200
        api.post(f"/sessions/{made}/stop")


def test_a_workspace_that_vanishes_is_an_error_of_its_calls_only(own: Workbench, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with own.api() as api:
        session = begin(api, "ask", "waiting", workspace=str(gone))
        gone.rmdir()
        question = api.get("/questions", params={"status": "pending"}).json()["items"][0]["id"]
        api.post(f"/questions/{question}", json={"answer": "the first"})
        found = wait_for(api, session, "done", "failed")
        assert found["status"] == "done" or found["failure"]
        begin(api, "hello", "done")


def test_a_session_that_cannot_be_prepared_says_so(own: Workbench) -> None:
    (own.data / "digest_key").write_text("this is no key")
    with own.api() as api:
        session = begin(api, "hello", "failed")
        assert "mistake" in api.get(f"/sessions/{session}").json()["failure"]
        assert kinds(api, session) == ["session_started", "session_failed"]


def test_what_another_process_appended_before_is_left_to_the_poll() -> None:
    supervisor = Supervisor(runs=False)
    supervisor._take_in("s", 1, [UserMessage(text="one", by="ann")])
    supervisor._take_in("s", 4, [UserMessage(text="four", by="ann")])
    assert supervisor._known["s"] == 1
    supervisor._take_in("s", 2, [UserMessage(text=str(n), by="ann") for n in (2, 3, 4)])
    supervisor._take_in("s", 3, [UserMessage(text="three", by="ann")])
    assert supervisor._known["s"] == 4
