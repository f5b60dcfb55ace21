"""What people do to a session: each is an event, appended in one transaction with what it changes.

Raises `models.X.DoesNotExist` for what is not there, `Refused` for what cannot be done (its message is for the
person), `AlreadyDecided` for who came second.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workbench.agent.arguments import clean
from workbench.agent.sample import lay_out
from workbench.agent.scheduler import Settled, judge
from workbench.files import Refused
from workbench.journal.kinds import (
    ApprovalDecided,
    Event,
    ModeChanged,
    QuestionAnswered,
    SessionPaused,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    UserMessage,
)
from workbench.journal.state import fold
from workbench.policy.call import Mode
from workbench.web import adapters, catalogue, models, runtime
from workbench.web.leases import LIFETIME


@dataclass(frozen=True)
class Who:
    """The person who acts, and through what."""

    name: str
    via: str = "browser"
    """browser, API, terminal …"""


class AlreadyDecided(Exception):
    """Somebody was quicker; nothing was changed."""

    def __init__(self, outcome: str, by: str, at: datetime | None) -> None:
        self.outcome, self.by, self.at = outcome, by, at
        when = f" at {at:%H:%M:%S} UTC" if at else ""
        super().__init__(f"Already {outcome} by {by or 'the workbench'}{when}.")


def start_session(
    *,
    task: str,
    who: Who,
    model: str = "",
    workspace: str | Path | None = None,
    mode: str = "ask",
    held_by: str = "",
) -> models.Session:
    """A new session, ready to be advanced. Without `workspace`: the one `up` was given, for the demo a fresh sample.

    `held_by`: the owner that has its lease from the first moment, with token 1.
    """
    task = clean(task)
    if not task.strip():
        raise Refused("bad_args", "Say what the agent should do: the task is empty.")
    model = model or catalogue.default()
    catalogue.check(model)
    chosen = _mode(mode)
    session = models.Session(model=model, mode=chosen, started_by=who.name[:150])
    if held_by:
        session.lease_owner, session.lease_token, session.lease_until = held_by, 1, timezone.now() + LIFETIME
    session.workspace = _workspace(workspace, session.pk, sample=model == "demo")
    started = SessionStarted(
        task=task,
        workspace=session.workspace.path,
        model=model,
        mode=chosen.value,
        sandbox=runtime.sandbox_words(),
        by=who.name,
    )
    with transaction.atomic():
        session.save(force_insert=True)
        adapters.append(session.pk, [started])
    session.refresh_from_db()
    return session


def _mode(mode: str) -> Mode:
    try:
        return Mode(mode)
    except ValueError:
        raise Refused("bad_args", f"There is no mode {mode!r}: choose plan, ask or auto.") from None


def _workspace(path: str | Path | None, session: str, *, sample: bool) -> models.Workspace:
    if path is None and sample:
        laid = lay_out(settings.SAMPLES / session)
        return models.Workspace.objects.create(
            path=str(laid.workspace.resolve()), name=f"sample {session}", sample=True
        )
    if path is None:
        default = models.Workspace.objects.filter(is_default=True).first()
        if default is None:
            raise Refused("bad_args", "Name a workspace: the workbench was started without one.")
        path = default.path
    return open_workspace(path)


def open_workspace(path: str | Path, *, is_default: bool = False) -> models.Workspace:
    """The row of a folder that an agent may work in. Refused when it cannot be one."""
    try:
        root = Path(path).expanduser()
    except RuntimeError:
        raise Refused("bad_path", f"There is no home folder for {str(path)!r}.") from None
    if "\0" in str(root):
        raise Refused("bad_path", f"The path {str(path)!r} holds a NUL character; no folder can have that name.")
    if not root.is_absolute():
        raise Refused("bad_path", f"Give the workspace as an absolute path, not {str(path)!r}.")
    root = root.resolve()
    if not os.path.isdir(root):  # noqa: PTH112 - `is_dir` raises for a name that is too long
        raise Refused("no_file", f"There is no folder {root}. Create it or choose another workspace.")
    if not os.access(root, os.R_OK | os.X_OK):
        raise Refused("permission", f"The workspace {root} cannot be read. Change its permissions or choose another.")
    data = settings.DATA.resolve()
    if root.is_relative_to(data) or data.is_relative_to(root):
        raise Refused("denied", f"The workspace {root} holds the data of the workbench ({data}). Choose another.")
    row, _ = models.Workspace.objects.get_or_create(path=str(root), defaults={"name": root.name or str(root)})
    if is_default and not row.is_default:
        with transaction.atomic():
            models.Workspace.objects.filter(is_default=True).update(is_default=False)
            models.Workspace.objects.filter(pk=row.pk).update(is_default=True)
    return row


def send_message(session: str, text: str, who: Who, *, delivery: Literal["queue", "steer"] = "queue") -> models.Session:
    if not text.strip():
        raise Refused("bad_args", "The message is empty.")
    return _append(session, UserMessage(text=clean(text), by=who.name, delivery=delivery))


def set_mode(session: str, mode: str, who: Who) -> models.Session:
    return _append(session, ModeChanged(mode=_mode(mode).value, by=who.name))


def pause(session: str, who: Who) -> models.Session:
    return _append(session, SessionPaused(by=who.name), only_from=("running", "waiting"))


def resume(session: str, who: Who) -> models.Session:
    return _append(session, SessionResumed(by=who.name), only_from=("paused", "stopped", "failed", "done"))


def stop(session: str, who: Who) -> models.Session:
    return _append(session, SessionStopped(by=who.name), only_from=("running", "waiting", "paused", "failed"))


def _append(session: str, event: Event, *, only_from: tuple[str, ...] = ()) -> models.Session:
    """Append, unless the session is in a status from which the event means nothing."""
    with transaction.atomic():
        row = models.Session.objects.select_for_update().get(pk=session)
        if only_from and row.status not in only_from:
            return row
        adapters.append(session, [event])
    row.refresh_from_db()
    return row


def decide_approval(
    approval: int,
    decision: Literal["approve", "reject"],
    who: Who,
    *,
    args: dict[str, Any] | None = None,
    reason: str = "",
    remember: Literal["session"] | None = None,
) -> models.Approval:
    """Decide once. Edited `args` are judged anew: a deny refuses, otherwise the approval binds their digest.

    `remember`: exactly this call is not asked about again for the rest of the session.
    """
    row = models.Approval.objects.select_related("session").get(pk=approval)
    if row.status != "pending":
        raise AlreadyDecided(row.status, row.decided_by, row.decided_at)
    approved = decision == "approve"
    edited, digest = None, row.digest
    if approved and args is not None and args != row.args:
        edited, digest = _judge_anew(row, args)
    event = ApprovalDecided(
        call_id=row.call_id,
        outcome="approved" if approved else "rejected",
        by=who.name,
        via=who.via,
        reason=clean(reason),
        args=edited,
        digest=digest,
    )
    won = _decide(models.Approval, row, event, grant=digest if approved and remember else "", by=who.name)
    if not won:
        raise AlreadyDecided(row.status, row.decided_by, row.decided_at)
    return row


def _decide(
    kind: type[models.Approval] | type[models.Question],
    row: models.Approval | models.Question,
    event: ApprovalDecided | QuestionAnswered,
    *,
    grant: str = "",
    by: str,
) -> bool:
    """The compare-and-set, with its event in the same transaction: whether this one was first. `row` is then fresh."""
    with transaction.atomic():
        won = kind._default_manager.filter(pk=row.pk, status="pending").update(status=event.outcome)
        if won and grant:
            models.Grant.objects.get_or_create(session_id=row.session_id, digest=grant, defaults={"by": by[:150]})
        if won:
            adapters.append(row.session_id, [event])
    row.refresh_from_db()
    return bool(won)


def _judge_anew(row: models.Approval, edited: dict[str, Any]) -> tuple[dict[str, Any], str]:
    state = fold(adapters.read(row.session_id))
    verdict = judge(runtime.toolbox(row.session), state.calls[row.call_id].call, state.mode, edited)
    if isinstance(verdict, Settled):
        raise Refused(
            verdict.data.get("error", "denied"), str(verdict.data.get("message", "The changed call is refused."))
        )
    return verdict.call.args, verdict.digest


def answer_question(question: int, answer: str, who: Who) -> models.Question:
    """Answer once."""
    if not answer.strip():
        raise Refused("bad_args", "The answer is empty.")
    row = models.Question.objects.get(pk=question)
    event = QuestionAnswered(call_id=row.call_id, outcome="answered", answer=clean(answer), by=who.name)
    if not _decide(models.Question, row, event, by=who.name):
        raise AlreadyDecided(row.status, row.answered_by, row.answered_at)
    return row
