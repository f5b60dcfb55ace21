"""The one place that joins parse -> call -> decide -> run for a tool call: used by the loop and by `manage.py tool`.

Everything here is synchronous and runs in worker threads. Judging may happen any number of times and changes nothing;
`perform` happens once, after the call is in the journal as started. Whatever a call does wrong, and whatever goes
wrong in a tool, becomes a result that the model reads.
"""

import difflib
import logging
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import BaseModel

from workbench.agent import arguments
from workbench.agent.toolbox import Stream, Toolbox
from workbench.files import Refused
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Media,
    QuestionAnswered,
    QuestionAsked,
    ToolCall,
    ToolResult,
    ToolStarted,
)
from workbench.journal.state import CallState
from workbench.policy.call import Call, Decision, Mode, digest
from workbench.tools import Context, Result, Tool, Waiting, no_stream

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ready:
    """A call that may run now."""

    tool: Tool
    args: BaseModel
    call: Call
    decision: Decision
    digest: str


@dataclass(frozen=True)
class Asks:
    """A call that needs a person."""

    tool: Tool
    args: BaseModel
    call: Call
    decision: Decision
    digest: str


@dataclass(frozen=True)
class Settled:
    """A call that does not run (any more); `data` is what the model reads."""

    data: dict[str, Any]
    ok: bool = False


Verdict = Ready | Asks | Settled


def judge(box: Toolbox, asked: ToolCall, mode: Mode, args: Any = None) -> Verdict:
    """What the gate says now about the call (with `args` instead of its own, when given)."""
    tool = box.tools.get(asked.tool)
    if tool is None:
        return Settled(_unknown(asked.tool, list(box.tools)))
    try:
        parsed = tool.parse(arguments.obj(asked.args if args is None else args))
        ctx = box.context(asked.call_id, no_stream, threading.Event())
        _check_workspace(ctx)
        call = tool.call(parsed, ctx)
        decision = box.decide(call, mode)
        fingerprint = digest(call, box.key)
    except Refused as e:
        return Settled(arguments.clean(e.as_data()))
    except Exception as e:
        return Settled(_defect(asked, e, "Nothing was run."))
    if decision.outcome == "deny":
        return Settled(_denied(decision))
    verdict = Ready if decision.outcome == "allow" else Asks
    return verdict(tool, parsed, call, decision, fingerprint)


def consider(box: Toolbox, state: CallState, mode: Mode) -> Verdict:
    """The next step of a call that waits for no person, from what the journal says about it."""
    if state.answered is not None:
        return _answer(state.answered)
    if state.decided is None or state.asked is None:
        return judge(box, state.call, mode, state.args)
    if state.decided.outcome != "approved":
        return Settled(_not_approved(state.decided))
    verdict = judge(box, state.call, mode, state.args)
    if isinstance(verdict, Asks) and verdict.digest == (state.decided.digest or state.asked.digest):
        return Ready(verdict.tool, verdict.args, verdict.call, verdict.decision, verdict.digest)
    return verdict


def ask(state: CallState, verdict: Asks) -> ApprovalAsked:
    reasons = list(verdict.decision.reasons)
    if state.decided is not None:
        reasons.insert(0, "What would run is no longer what was approved, so it is asked about again.")
    return ApprovalAsked(
        call_id=state.call.call_id,
        digest=verdict.digest,
        effects=[asdict(e) for e in verdict.decision.effects or verdict.call.effects],
        reasons=reasons,
        rule=verdict.decision.rule,
        cwd=verdict.call.cwd,
        args=state.args,
    )


def start(asked: ToolCall, ready: Ready) -> ToolStarted:
    return ToolStarted(
        call_id=asked.call_id,
        digest=ready.digest,
        rule=ready.decision.rule,
        reasons=list(ready.decision.reasons),
    )


def perform(
    box: Toolbox, asked: ToolCall, ready: Ready, stream: Stream, stop: threading.Event, *, edited: bool = False
) -> ToolResult | QuestionAsked:
    """Run it. `edited`: a person changed the arguments, which the result then tells the model."""
    began = time.monotonic()
    media: list[Media] = []
    view: dict[str, Any] = {}
    try:
        out = ready.tool.run(ready.args, box.context(asked.call_id, stream, stop))
        if isinstance(out, Waiting):
            return _question(asked, out)
        data, view, ok = arguments.clean(out.data), arguments.clean(out.view), "error" not in out.data
        media = _kept(box, out)
    except Refused as e:
        data, ok = arguments.clean(e.as_data()), False
    except Exception as e:
        data, ok = _defect(asked, e, "It may have been half done: look before you try again."), False
    if edited:
        data = {**data, "arguments_changed_by_person": ready.call.args}
    took = round((time.monotonic() - began) * 1000)
    return ToolResult(call_id=asked.call_id, ok=ok, data=data, view=view, media=media, duration_ms=took)


def run_now(
    box: Toolbox, asked: ToolCall, mode: Mode, *, approve: bool = False, stream: Stream = no_stream
) -> ToolResult:
    """Judge and run without a journal. One that asks is refused with `approval_required`, unless `approve`."""
    verdict = judge(box, asked, mode)
    if isinstance(verdict, Asks) and approve:
        verdict = Ready(verdict.tool, verdict.args, verdict.call, verdict.decision, verdict.digest)
    if isinstance(verdict, Asks):
        verdict = Settled(_approval_required(verdict))
    if isinstance(verdict, Settled):
        return ToolResult(call_id=asked.call_id, ok=verdict.ok, data=verdict.data)
    out = perform(box, asked, verdict, stream, threading.Event())
    if isinstance(out, ToolResult):
        return out
    data = Refused("unsupported", "There is nobody here to answer a question.", question=out.question).as_data()
    return ToolResult(call_id=asked.call_id, ok=False, data=data)


def _check_workspace(ctx: Context) -> None:
    """A folder that was moved away would otherwise look like a workspace without files."""
    if not ctx.fence.root.is_dir():
        message = (
            f"The workspace {ctx.fence.root} is gone: it was moved or deleted. Nothing can be done here until a person"
        )
        raise Refused("no_file", f"{message} puts it back; end your turn and say so.")


def _question(asked: ToolCall, waiting: Waiting) -> QuestionAsked:
    return QuestionAsked(
        call_id=asked.call_id,
        question=arguments.clean(waiting.question),
        options=arguments.clean(list(waiting.options)),
    )


def _kept(box: Toolbox, out: Result) -> list[Media]:
    return [Media(mime=m.mime, sha256=box.keep(m.data), name=arguments.clean(m.name)) for m in out.media]


def _unknown(name: str, offered: list[str]) -> dict[str, Any]:
    near = difflib.get_close_matches(name, offered, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    message = f"There is no tool {name!r}. {hint}There are: {', '.join(offered)}."
    return Refused("unsupported", message).as_data()


def _denied(decision: Decision) -> dict[str, Any]:
    reasons = list(decision.reasons)
    message = f"Not allowed: {' '.join(reasons) or 'a rule denies it.'} Nothing was run. Go another way."
    return Refused("denied", message, reasons=reasons, rule=decision.rule).as_data()


def _approval_required(verdict: Asks) -> dict[str, Any]:
    reasons = list(verdict.decision.reasons)
    message = f"A person must approve this first: {' '.join(reasons) or verdict.decision.rule} Nothing was run."
    effects = [asdict(e) for e in verdict.decision.effects or verdict.call.effects]
    return Refused("approval_required", message, reasons=reasons, effects=effects, rule=verdict.decision.rule).as_data()


def _not_approved(decided: ApprovalDecided) -> dict[str, Any]:
    match decided.outcome:
        case "expired":
            message = (
                "Nobody decided about this call in the time allowed, so it was not run. It was not refused either."
            )
            return Refused("approval_required", message).as_data()
        case "withdrawn":
            return Refused("interrupted", "The request for approval was withdrawn. Nothing was run.").as_data()
        case _:
            why = f" The reason: {decided.reason}" if decided.reason.strip() else " No reason was given."
            message = f"A person rejected this call. Nothing was run.{why}"
            return Refused("rejected", message, reason=decided.reason).as_data()


def _answer(event: QuestionAnswered) -> Settled:
    match event.outcome:
        case "answered":
            return Settled({"answer": event.answer}, ok=True)
        case "expired":
            message = (
                "Nobody answered in the time allowed. Go on with what is safe either way, or end and say what you need."
            )
            return Settled({"answer": None, "outcome": "expired", "message": message}, ok=True)
        case _:
            message = "The question was withdrawn. Decide yourself, or end and say what you need."
            return Settled({"answer": None, "outcome": "withdrawn", "message": message}, ok=True)


def _defect(asked: ToolCall, error: Exception, state: str) -> dict[str, Any]:
    """Our own fault: the log has the whole story, the model the short one."""
    log.exception("tool %r failed in call %s", asked.tool, asked.call_id)
    what = arguments.clean(f"{type(error).__name__}: {error}"[:500])
    message = (
        f"The tool failed in an unexpected way ({what}). This is a defect of the workbench, not of your call, and its "
        f"log has the details. {state} Go another way if it fails again."
    )
    return Refused("io", message).as_data()
