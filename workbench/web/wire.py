"""Rows and records as JSON, the same for the API, the sockets and the terminal."""

import json
from typing import Any

from workbench.journal import chain
from workbench.journal.kinds import Record, Unknown
from workbench.web import models
from workbench.web.hub import Piece


def event(record: Record) -> dict[str, Any]:
    """`{"seq", "kind", "at", …}` with the fields of the event, defaults too; what only a provider reads stays out."""
    head = {"seq": record.seq, "kind": chain.name(record.event), "at": chain.stamp(record.at)}
    if isinstance(record.event, Unknown):
        return {**head, "data": record.event.data}
    return {**head, **record.event.model_dump(mode="json", exclude={"provider_state"})}


def event_line(record: Record) -> str:
    return json.dumps(event(record))


def piece_line(piece: Piece) -> str:
    """`{"live": "text" | "output", "key": turn or call id, "data", "whole"}`: a copy, without a sequence number."""
    return json.dumps({"live": piece.what, "key": piece.key, "data": piece.data, "whole": piece.whole})


def session(row: models.Session) -> dict[str, Any]:
    return {
        "id": row.pk,
        "status": row.status,
        "title": row.title,
        "task": row.task,
        "model": row.model,
        "mode": row.mode,
        "workspace": {"id": row.workspace_id, "path": row.workspace.path, "name": row.workspace.name},
        "control": row.control,
        "sandbox": row.sandbox,
        "failure": row.failure,
        "last_seq": row.last_seq,
        "usage": {
            "input_tokens": row.input_tokens,
            "output_tokens": row.output_tokens,
            "cost_usd": row.cost_usd,
        },
        "started_by": row.started_by,
        "created_at": row.created_at.isoformat(),
        "updated_at": row.updated_at.isoformat(),
        "archived": row.archived,
    }


def approval(row: models.Approval) -> dict[str, Any]:
    return {
        "id": row.pk,
        "session": row.session_id,
        "seq": row.seq,
        "call_id": row.call_id,
        "tool": row.tool,
        "args": row.args,
        "digest": row.digest,
        "effects": row.effects,
        "reasons": row.reasons,
        "rule": row.rule,
        "cwd": row.cwd,
        "status": row.status,
        "asked_at": row.asked_at.isoformat(),
        "decided_at": row.decided_at.isoformat() if row.decided_at else None,
        "decided_by": row.decided_by,
        "via": row.via,
        "reason": row.reason,
        "edited_args": row.edited_args,
    }


def question(row: models.Question) -> dict[str, Any]:
    return {
        "id": row.pk,
        "session": row.session_id,
        "seq": row.seq,
        "call_id": row.call_id,
        "question": row.question,
        "options": row.options,
        "status": row.status,
        "asked_at": row.asked_at.isoformat(),
        "answer": row.answer,
        "answered_at": row.answered_at.isoformat() if row.answered_at else None,
        "answered_by": row.answered_by,
    }


def version(row: models.Version) -> dict[str, Any]:
    return {
        "id": row.pk,
        "session": row.session_id,
        "call_id": row.call_id,
        "path": row.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "before": row.before,
        "after": row.after,
        "by": row.by,
        "at": row.at.isoformat(),
        "status": row.status,
        "undoes": row.undoes,
        "undone_by": row.undone_by,
        "uncertain": row.uncertain,
    }


def queue_line(record: Record) -> str:
    return json.dumps({"session": record.session, **event(record)})
