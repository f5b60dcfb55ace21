"""Taking changes back, for people: plans, what became of them, and the events that say so on the timeline."""

import base64
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from workbench.files import Refused
from workbench.history.apply import Outcome, apply
from workbench.history.rollback import Plan, Rollback, Step
from workbench.history.versions import History, Version
from workbench.journal.kinds import RolledBack
from workbench.web import adapters, models, runtime
from workbench.web.actions import Who
from workbench.web.version_rows import DatabaseVersions

TEXT_LIMIT = 256 * 1024
"""bytes of each of the three texts of a conflict that are sent along"""


def of_session(
    session: models.Session, who: Who, *, recreate: bool = False, uncertain: Collection[int] = ()
) -> Rollback:
    """A rollback in the name of a person, in the session's workspace."""
    wall = runtime.fence(Path(session.workspace.path), runtime.rules(session))
    history = History(runtime.store(), DatabaseVersions(), wall, session.pk, "", who.name)
    return Rollback(history, recreate=recreate, uncertain=uncertain)


def of_change(change: int, who: Who, *, recreate: bool = False) -> Rollback:
    row = models.Version.objects.select_related("session__workspace").get(pk=change, status="done")
    return of_session(row.session, who, recreate=recreate)


def one(
    change: int, who: Who, *, hunks: Iterable[int] = (), recreate: bool = False, preview: bool = False
) -> list[dict[str, Any]]:
    """Take one change back, or some of its hunks; or only say what would happen."""
    rb = of_change(change, who, recreate=recreate)
    plan = rb.version(change, hunks=frozenset(hunks))
    return _shown(plan) if preview else [_outcome(o) for o in carry_out(rb, plan)]


def rewind(
    session: str, seq: int, who: Who, *, uncertain: Collection[int] = (), preview: bool = False
) -> list[dict[str, Any]]:
    """Take back what the calls after event `seq` changed."""
    row = models.Session.objects.select_related("workspace").get(pk=session)
    rb = of_session(row, who, uncertain=uncertain)
    plan = rb.versions(since(row, seq))
    return _shown(plan) if preview else [_outcome(o) for o in carry_out(rb, plan)]


def since(session: models.Session, seq: int) -> list[Version]:
    """The changes by calls that stand after event `seq`."""
    calls = models.Event.objects.filter(session=session, kind="tool_call", seq__gt=seq).values_list(
        "call_id", flat=True
    )
    later = set(calls)
    return [v for v in DatabaseVersions().of_session(session.pk) if v.call in later]


def carry_out(rb: Rollback, plan: Plan, *, some: bool = False, exact: bool = False) -> list[Outcome]:
    """Apply a plan and tell the timeline. Nothing is written when a step is stuck, unless `some`."""
    outcomes = apply(rb, plan, some=some, exact=exact)
    events = [event for outcome in outcomes for event in _events(rb, outcome)]
    by_session: dict[str, list[RolledBack]] = {}
    for session, event in events:
        by_session.setdefault(session, []).append(event)
    for session, rolled_back in by_session.items():
        adapters.append(session, rolled_back)
    return outcomes


def _events(rb: Rollback, outcome: Outcome) -> list[tuple[str, RolledBack]]:
    if outcome.version is None or outcome.step.hunks:
        return []
    found = []
    for undone in outcome.step.versions:
        origin, put_back = _origin(rb, undone)
        if origin.call:
            event = RolledBack(
                call_id=origin.call,
                version=origin.id,
                new_version=outcome.version.id,
                path=outcome.path.encode("utf-8", "replace").decode(),
                by=rb.history.by,
                put_back=put_back,
            )
            found.append((origin.session, event))
    return found


def _origin(rb: Rollback, version: Version) -> tuple[Version, bool]:
    """The change of a call that this is about, and whether undoing `version` puts it back."""
    put_back = False
    while version.undoes:
        earlier = rb.history.versions.get(version.undoes[0])
        if earlier is None:
            break
        version, put_back = earlier, not put_back
    return version, put_back


def _shown(plan: Plan) -> list[dict[str, Any]]:
    left = [
        {"path": v.path, "status": "left_out", "version": v.id, "message": "Uncertain: another writer overlapped."}
        for v in plan.left_out
    ]
    return [{"status": step.action, **_step(step)} for step in plan.steps] + left


def _outcome(outcome: Outcome) -> dict[str, Any]:
    made = outcome.version.id if outcome.version else None
    return {**_step(outcome.step), "status": outcome.status, "message": outcome.message, "version": made}


def _step(step: Step) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "path": step.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "undoes": list(step.undoes),
        "message": step.message,
    }
    if step.needs:
        facts["needs"] = step.needs
    if step.action == "conflict":
        texts = {"mine": step.mine, "base": step.base, "theirs": step.theirs}
        facts |= {"depends": list(step.depends), "others": list(step.others)}
        facts |= {name: _text(data) for name, data in texts.items()}
    return facts


def _text(data: bytes | None) -> Any:
    if data is None:
        return None
    cut = data[:TEXT_LIMIT]
    try:
        return cut.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(cut).decode()}


def refuse_conflicts(outcomes: list[dict[str, Any]]) -> None:
    """Raise what the API answers with 409, when nothing was written because of a conflict."""
    stuck = [o for o in outcomes if o["status"] in ("conflict", "stale", "ask", "refused")]
    if stuck and not any(o["status"] == "done" for o in outcomes):
        raise Refused("conflict", stuck[0]["message"] or "The change overlaps with later ones.", items=outcomes)
