"""The sessions as home shows them: what needs a person, what runs, what ended. The number of queries is fixed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from workbench.journal.kinds import ToolCall
from workbench.web.adapters import as_record
from workbench.web.models import Approval, Event, Question, Session
from workbench.web.templatetags.asked import gist, in_words

ENDED = 30
"""finished sessions on the page; the rest by `?all`"""


@dataclass(frozen=True)
class Strip:
    """One session as a flight strip."""

    session: Session
    since: datetime
    """when what it is in began: the oldest request, or its start, or its last change"""
    what: str = ""
    """the request or the call that stands in front"""
    tool: str = ""
    more: str = ""
    requests: int = 0
    question: bool = False
    files: int = 0


@dataclass(frozen=True)
class Bays:
    needs: list[Strip]
    running: list[Strip]
    ended: list[Strip]
    ended_total: int
    requests: int


def bays(*, everything: bool = False) -> Bays:
    shown = Session.objects.filter(archived=False).select_related("workspace")
    open_ones = list(shown.filter(status__in=("waiting", "running", "paused")).order_by("created_at"))
    ended = shown.filter(status__in=("done", "failed", "stopped")).order_by("-updated_at")
    total = ended.count()
    closed = list(ended if everything else ended[:ENDED])
    facts = Facts([*open_ones, *closed])
    strips = [facts.strip(session) for session in open_ones]
    needs = sorted((s for s in strips if s.requests), key=lambda s: s.since)
    return Bays(
        needs=needs,
        running=[s for s in strips if not s.requests],
        ended=[facts.strip(session) for session in closed],
        ended_total=total,
        requests=sum(s.requests for s in needs),
    )


class Facts:
    """What strips of these sessions say, each asked of the database once for all."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        ids = [session.pk for session in sessions]
        self.asked = _by_session(Approval.objects.filter(session__in=ids, status="pending").order_by("asked_at"))
        self.questions = _by_session(Question.objects.filter(session__in=ids, status="pending").order_by("asked_at"))
        calls = Event.objects.filter(session__in=ids, kind=ToolCall.kind)
        last = calls.values("session").annotate(last=Max("pk")).values("last")
        found = Event.objects.filter(pk__in=last)
        self.calls: dict[str, Any] = {event.session_id: as_record(event).event for event in found}
        changed = Session.objects.filter(pk__in=ids).annotate(
            files=Count("versions__path", filter=Q(versions__status="done"), distinct=True)
        )
        self.files = dict(changed.values_list("pk", "files"))

    def strip(self, session: Session) -> Strip:
        asked, questions = self.asked.get(session.pk, []), self.questions.get(session.pk, [])
        common: dict[str, Any] = {
            "session": session,
            "requests": len(asked) + len(questions),
            "files": self.files.get(session.pk, 0),
        }
        if asked and not (questions and questions[0].asked_at < asked[0].asked_at):
            first = asked[0]
            words = in_words(first.effects)
            return Strip(since=first.asked_at, what=gist(first.args), tool=first.tool, more=words, **common)
        if questions:
            first = questions[0]
            options = f"{len(first.options)} options" if first.options else "in words"
            return Strip(since=first.asked_at, what=first.question, question=True, more=options, **common)
        call = self.calls.get(session.pk)
        since = session.created_at if session.status in ("running", "paused") else session.updated_at
        if session.status == "failed":
            return Strip(since=since, what=session.failure, **common)
        return Strip(since=since, what=gist(call.args) if call else "", tool=call.tool if call else "", **common)


def _by_session(rows: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.session_id, []).append(row)
    return found
