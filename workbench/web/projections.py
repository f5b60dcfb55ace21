"""What the rows say, computed from the journal in the transaction that appends to it.

The fold is `journal.state`; the last state of a few sessions is kept, so that an append costs the new records only.
A kept state counts only if its last record's hash is the one in the row: after a rolled back transaction, or an append
by another process, it is completed or made anew.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from workbench.agent.budget import Budget
from workbench.agent.steps import Rest, next_step
from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    QuestionAnswered,
    QuestionAsked,
    Record,
    SessionStarted,
)
from workbench.journal.state import SessionState
from workbench.tools import all_tools
from workbench.web.models import Approval, Question, Session

KEPT = 32

Read = Callable[[str, int], list[Record]]


class States:
    """The fold of each session at its last record."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[str, SessionState]] = OrderedDict()

    def take(self, row: Session, read: Read) -> SessionState:
        """The state at `row.last_seq`. The caller has it for itself until it is given back by `keep`."""
        with self._lock:
            digest, state = self._kept.pop(row.pk, ("", SessionState()))
        if state.seq == row.last_seq and digest == row.last_hash:
            return state
        state = SessionState()
        for record in read(row.pk, 0):
            if record.seq <= row.last_seq:
                state.apply(record)
        return state

    def keep(self, session: str, digest: str, state: SessionState) -> None:
        with self._lock:
            self._kept[session] = (digest, state)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


states = States()


def project(row: Session, records: list[Record], state: SessionState) -> None:
    """Take new records into the rows. Runs inside the transaction that appends them; the caller saves `row`."""
    for record in records:
        state.apply(record)
        _rows(row, record, state)
    row.status = state.status
    row.due = not isinstance(next_step(state, all_tools(), Budget(), timezone.now()), Rest)
    row.mode = state.mode
    row.failure = state.error if state.status == "failed" else ""
    row.input_tokens = state.usage.input_tokens
    row.output_tokens = state.usage.output_tokens
    row.cost_usd = state.usage.cost_usd


def _rows(row: Session, record: Record, state: SessionState) -> None:
    match record.event:
        case SessionStarted() as event:
            row.task, row.model, row.control = event.task, event.model, event.control
            row.sandbox, row.started_by = event.sandbox[:200], event.by[:150]
            row.title = row.title or state.title
        case ApprovalAsked() as event:
            _asked(row, record, event, state)
        case ApprovalDecided() as event:
            _decided(row, record, event)
        case QuestionAsked() as event:
            Question.objects.create(
                session=row,
                seq=record.seq,
                call_id=event.call_id,
                question=event.question,
                options=event.options,
                asked_at=record.at,
            )
        case QuestionAnswered() as event:
            _undecided(Question, row, event.call_id, event.outcome).update(
                status=event.outcome, answer=event.answer, answered_at=record.at, answered_by=event.by[:150]
            )


def _asked(row: Session, record: Record, event: ApprovalAsked, state: SessionState) -> None:
    call = state.calls[event.call_id].call
    Approval.objects.create(
        session=row,
        seq=record.seq,
        call_id=event.call_id,
        tool=call.tool,
        args=event.args if event.args is not None else _object(call.args),
        digest=event.digest,
        effects=event.effects,
        reasons=event.reasons,
        rule=event.rule[:300],
        cwd=event.cwd,
        asked_at=record.at,
    )


def _decided(row: Session, record: Record, event: ApprovalDecided) -> None:
    _undecided(Approval, row, event.call_id, event.outcome).update(
        status=event.outcome,
        decided_at=record.at,
        decided_by=event.by[:150],
        via=event.via[:40],
        reason=event.reason,
        edited_args=event.args,
        decided_digest=event.digest,
    )


def _undecided(model: type[Approval] | type[Question], row: Session, call_id: str, outcome: str) -> Any:
    """The open row of a call; whoever decided it has set its status first, by compare-and-set."""
    rows = model._default_manager.filter(session=row, call_id=call_id, status__in=["pending", outcome])
    return rows.filter(pk__in=list(rows.order_by("-seq").values_list("pk", flat=True)[:1]))


def _object(args: Any) -> Any:
    """Arguments that came as JSON text, as an object: an approval is only ever asked for ones that parse."""
    return json.loads(args) if isinstance(args, str) else args
