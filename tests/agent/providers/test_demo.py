"""The demo on the sample workspace, with the real tools, gate and history (A5; the whole way of the product)."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.agent.messages import ReasoningPiece, Reply, TextPiece, UserText
from workbench.agent.providers import make
from workbench.agent.sample import Sample
from workbench.journal.kinds import ApprovalAsked, ModelTurn, ToolCall, ToolResult

Real = Callable[..., Any]


def git(where: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=where, capture_output=True, text=True, check=True).stdout


def results(desk: Any, tool: str) -> list[ToolResult]:
    asked = {e.call_id: e.tool for e in desk.journal.events if isinstance(e, ToolCall)}
    return [r for r in desk.journal.results.values() if asked[r.call_id] == tool]


async def drive(desk: Any, answer: str = "", reject: str = "") -> str:
    """Approve everything but the commands that hold `reject`."""
    while (why := await desk.advance()) == "waiting":
        state = desk.journal.state
        for call in state.open_approvals:
            no = reject and reject in str(call.call.args)
            desk.decide("rejected" if no else "approved", call.call.call_id, **({"reason": "not now"} if no else {}))
        for call in state.open_questions:
            desk.answer(answer or call.question.options[0]["label"])
    return str(why)


async def test_the_whole_way(real: Real, sample: Sample) -> None:
    desk = real(sample.workspace)
    assert await drive(desk) == "done"
    assert not [r for r in desk.journal.results.values() if not r.ok]
    asked = [desk.journal.state.calls[e.call_id].call for e in desk.journal.events if isinstance(e, ApprovalAsked)]
    assert asked[-1].args == {"command": "git push origin main"}
    batches = [(e.turn, e.batch) for e in desk.journal.events if isinstance(e, ToolCall) and e.turn == 2]
    assert batches == [(2, 0), (2, 0)], "two reads at once"
    pages = [r.data["offset"] for r in results(desk, "read_file") if "catalogue" in r.data["path"]]
    assert pages == [0, 80, 160]
    assert "+    if quantity >= BULK_FROM:" in results(desk, "edit_file")[0].data["diff"]
    assert [r.data["exit_code"] for r in results(desk, "bash")] == [1, 0, 0, 0]
    assert "quantity >= BULK_FROM" in (sample.workspace / "seedshop" / "pricing.py").read_text()
    assert sample.remote is not None
    assert git(sample.remote, "log", "-1", "--format=%s", "main") == "Give the bulk discount from ten packets on\n"
    assert git(sample.workspace, "status", "--short") == ""
    output = b"".join(data for _, data in desk.live.outputs)
    assert b"\x1b[31mFAIL" in output and len(desk.live.outputs) > 10, "live, in colour"
    last = [e for e in desk.journal.events if isinstance(e, ModelTurn)][-1]
    assert last.text.startswith("## What happened") and "| Push | It arrived. |" in last.text


async def test_the_push_asks_and_a_rejection_keeps_it_here(real: Real, sample: Sample) -> None:
    desk = real(sample.workspace)
    assert await drive(desk, reject="git push") == "done"
    assert sample.remote is not None
    assert len(git(sample.remote, "log", "--format=%h", "main").split()) == 2
    assert len(git(sample.workspace, "log", "--format=%h", "main").split()) == 3
    assert "not now" in [e for e in desk.journal.events if isinstance(e, ModelTurn)][-1].text


async def test_the_other_answer(real: Real, sample: Sample) -> None:
    desk = real(sample.workspace)
    assert await drive(desk, answer="More than 10, as the code does") == "done"
    assert "More than 10 packets" in (sample.workspace / "README.md").read_text()
    assert [r.data["exit_code"] for r in results(desk, "bash")] == [1, 0, 0, 0]


async def test_in_plan_mode_nothing_changes(real: Real, sample: Sample) -> None:
    desk = real(sample.workspace, mode="plan")
    assert await drive(desk) == "done"
    assert git(sample.workspace, "status", "--short") == ""
    assert results(desk, "edit_file")[0].data["error"] == "denied"


async def test_another_workspace(real: Real, tmp_path: Path) -> None:
    root = tmp_path / "other"
    root.mkdir()
    (root / "notes.txt").write_text("TODO: nothing\n")
    desk = real(root)
    assert await drive(desk) == "done"
    assert [r.ok for r in desk.journal.results.values()] == [True, True, True]
    assert sorted(p.name for p in root.iterdir()) == ["notes.txt"]


async def test_it_streams_in_small_pieces() -> None:
    provider = make("demo")
    pieces = [p async for p in provider.request("", [UserText("hello")], [])]
    text = [p.text for p in pieces if isinstance(p, TextPiece)]
    reply = pieces[-1]
    assert isinstance(reply, Reply) and "".join(text) == reply.text and len(text) > 10
    assert reply.usage.cost_usd == 0 and reply.calls[0].id == "demo_1_1"
    assert not any(isinstance(p, ReasoningPiece) for p in pieces)
