"""What a session's calls run with: its rules, its read state over restarts, its grants (S1, P3, G4)."""

import threading
from pathlib import Path

import pytest

from workbench.agent.scheduler import Asks, Ready, Settled, judge, run_now
from workbench.files import Refused
from workbench.files.fence import Access
from workbench.journal.kinds import ModelTurn, SessionStarted, ToolCall
from workbench.policy.call import Mode
from workbench.tools import no_stream
from workbench.web import adapters, models, runtime

pytestmark = pytest.mark.django_db(transaction=True)
PUSH = ToolCall(call_id="p1", turn=1, tool="bash", args={"command": "git push"})


def test_a_deny_rule_stops_every_tool_and_an_ask_is_left_to_the_gate(session_row: models.Session) -> None:
    wall = runtime.fence(Path(session_row.workspace.path), runtime.rules(session_row))
    wall.check("src/a.py", Access.WRITE)
    wall.check(".env", Access.READ)
    with pytest.raises(Refused) as caught:
        wall.check(".git/config", Access.WRITE)
    assert caught.value.code == "denied"
    assert caught.value.facts["rule"]


def test_the_context_names_the_session_the_call_and_its_tool(session_row: models.Session, data: Path) -> None:
    start = SessionStarted(task="t", workspace=session_row.workspace.path, model="demo", mode="ask")
    adapters.append(session_row.pk, [start, ModelTurn(turn=1), PUSH])
    context = runtime.toolbox(session_row).context("p1", no_stream, threading.Event())
    assert (context.session, context.call, context.history.by) == (session_row.pk, "p1", "bash")
    assert context.spool == data / "spool" / session_row.pk
    assert context.spool.stat().st_mode & 0o077 == 0
    assert not context.fence.root.is_relative_to(data)


def test_what_a_session_has_read_is_known_after_a_restart(session_row: models.Session, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    start = SessionStarted(task="t", workspace=str(workspace), model="demo", mode="ask")
    read = ToolCall(call_id="r", turn=1, tool="read_file", args={"path": "a.txt"})
    edit = ToolCall(
        call_id="e", turn=2, tool="edit_file", args={"path": "a.txt", "old_string": "one", "new_string": "1"}
    )
    assert run_now(runtime.toolbox(session_row), edit, Mode.ASK).data["error"] == "not_read"
    result = run_now(runtime.toolbox(session_row), read, Mode.ASK)
    adapters.append(session_row.pk, [start, ModelTurn(turn=1), read, result])
    assert run_now(runtime.toolbox(session_row), edit, Mode.ASK).ok


def test_a_grant_allows_exactly_that_call_in_that_session(session_row: models.Session) -> None:
    box = runtime.toolbox(session_row)
    asked = judge(box, PUSH, Mode.ASK)
    assert isinstance(asked, Asks)
    models.Grant.objects.create(session=session_row, digest=asked.digest, by="ann")
    allowed = judge(box, PUSH, Mode.ASK)
    assert isinstance(allowed, Ready)
    assert "allowed by ann" in allowed.decision.rule
    other = ToolCall(call_id="p2", turn=1, tool="bash", args={"command": "git push --force"})
    assert isinstance(judge(box, other, Mode.ASK), Asks)
    second = models.Session.objects.create(workspace=session_row.workspace, model="demo")
    assert isinstance(judge(runtime.toolbox(second), PUSH, Mode.ASK), Asks)


def test_a_grant_does_not_outlive_a_deny(session_row: models.Session) -> None:
    box = runtime.toolbox(session_row)
    asked = judge(box, PUSH, Mode.ASK)
    assert isinstance(asked, Asks)
    models.Grant.objects.create(session=session_row, digest=asked.digest, by="ann")
    assert isinstance(judge(box, PUSH, Mode.PLAN), Settled)


def test_what_a_call_changed_is_told_by_path(session_row: models.Session, workspace: Path) -> None:
    box = runtime.toolbox(session_row, tool_of=lambda _: "write_file")
    for name in ("new.txt", "old.txt"):
        if name == "old.txt":
            (workspace / name).write_text("x")
        history = box.context("c1", no_stream, threading.Event()).history
        with history.before(history.fence.resolve(name), becomes=b"y") as pending:
            (workspace / name).write_text("y")
            pending.done(b"y")
    assert box.changes("c1") == [
        {"path": "new.txt", "change": "created"},
        {"path": "old.txt", "change": "changed"},
    ]
    assert box.changes("c2") == []


def test_the_prompt_says_where_and_how_it_works(session_row: models.Session) -> None:
    prompt = runtime.toolbox(session_row).system(Mode.PLAN)
    assert str(session_row.workspace.path) in prompt
    assert runtime.sandbox_words() in prompt


def test_bytes_that_are_kept_come_back(session_row: models.Session) -> None:
    box = runtime.toolbox(session_row)
    assert box.recall(box.keep(b"picture")) == b"picture"
    assert box.recall("0" * 64) is None
