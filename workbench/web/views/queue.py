"""The queue: everything that waits for a person, over all sessions, oldest first; and the decisions themselves."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET, require_POST

from workbench.files import Refused
from workbench.web import actions, timeline
from workbench.web.models import Approval, Question
from workbench.web.templatetags.asked import gist
from workbench.web.views import by_htmx, told, trouble, who

SHOWN = 500
DECIDED = 100
OLD = timedelta(minutes=10)
BEFORE = 8
"""earlier decisions beside a request"""


@dataclass(frozen=True)
class Request:
    """A row of the queue."""

    row: Approval | Question
    id: str
    """`a12` or `q3`: in the address, and what the page keeps selected"""
    asked_at: datetime
    what: str
    tool: str = ""
    alike: int = 0
    """requests with the same tool and arguments, this one included"""

    @property
    def old(self) -> bool:
        """It has waited long enough to be looked at first."""
        return timezone.now() - self.asked_at > OLD


def waiting() -> list[Request]:
    """All open requests, oldest first."""
    asked = Approval.objects.filter(status="pending").select_related("session").order_by("asked_at")[:SHOWN]
    questions = Question.objects.filter(status="pending").select_related("session").order_by("asked_at")[:SHOWN]
    same: dict[str, int] = {}
    keys = {row.pk: f"{row.tool} {json.dumps(row.args, sort_keys=True)}" for row in asked}
    for key in keys.values():
        same[key] = same.get(key, 0) + 1
    found = [
        Request(
            row, f"a{row.pk}", row.asked_at, gist(row.args), row.tool,
            same[keys[row.pk]],
        )
        for row in asked
    ]  # fmt: skip
    found += [Request(row, f"q{row.pk}", row.asked_at, row.question) for row in questions]
    return sorted(found, key=lambda request: request.asked_at)


@require_GET
def queue(request: HttpRequest) -> HttpResponse:
    if request.GET.get("show") == "decided":
        return render(request, "pages/queue.html", {"requests": waiting(), "decided": decided()})
    context = selected(waiting(), request.GET.get("r", ""))
    if not by_htmx(request):
        return render(request, "pages/queue.html", context)
    part = {"q-list": "list", "q-r": "card"}.get(request.headers.get("HX-Target", ""), "both")
    return render(request, f"pages/queue.html#{part}", context)


def selected(requests: list[Request], chosen: str) -> dict[str, Any]:
    """What the page draws: the list, and the chosen request or the oldest."""
    at = next((n for n, request in enumerate(requests) if request.id == chosen), 0)
    if not requests:
        return {"requests": [], "chosen": None, "earlier": decided()[:BEFORE]}
    one = requests[at]
    card = timeline.card(one.row.session_id, one.row.call_id)
    return {
        "requests": requests,
        "chosen": one,
        "position": at + 1,
        "card": card,
        "card_html": mark_safe(timeline.card_html(card)) if card else "",  # noqa: S308 - templates' output
        "earlier": decided(one.tool, one.row.session.workspace_id)[:BEFORE],
        "next": requests[(at + 1) % len(requests)].id,
    }


def decided(tool: str = "", workspace: int | None = None) -> list[Approval]:
    """The latest decisions, newest first; of one tool in one workspace when named."""
    rows = Approval.objects.exclude(status="pending").select_related("session").order_by("-decided_at")
    if workspace is not None:
        rows = rows.filter(session__workspace=workspace, **({"tool": tool} if tool else {}))
    return list(rows[:DECIDED])


@require_POST
@told
def decide(request: HttpRequest, approval: int) -> HttpResponse:
    """Approve (as asked or as edited) or reject. The loser of a race is told who decided."""
    row = Approval.objects.get(pk=approval)
    shown = request.POST.get("digest", row.digest)
    if shown != row.digest:
        return trouble(request, "This is no longer the request that you saw. Look at it again.", 409)
    decision = request.POST.get("decision", "")
    reason = request.POST.get("reason", "").strip()
    if decision == "reject":
        actions.decide_approval(approval, "reject", who(request), reason=reason)
    elif decision in ("approve", "edit"):
        args = edited(request, row.args) if decision == "edit" else None
        actions.decide_approval(approval, "approve", who(request), args=args, reason=reason)
    else:
        raise Refused("bad_args", "Decide with approve or reject.")
    return _afterwards(request, row)


def edited(request: HttpRequest, args: Any) -> dict[str, Any]:
    """The arguments from the form's fields; what is no string is written as JSON."""
    found: dict[str, Any] = {}
    for name, value in args.items():
        text = request.POST.get(f"arg-{name}")
        if text is None:
            found[name] = value
        elif isinstance(value, str):
            # a form sends CRLF for line ends that the field shows
            found[name] = text if "\r\n" in value else text.replace("\r\n", "\n")
        else:
            found[name] = _json(name, text)
    return found


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as e:
        raise Refused("bad_args", f"{name} is not valid JSON: {e}.") from None


@require_POST
@told
def answer(request: HttpRequest, question: int) -> HttpResponse:
    """An option, or the person's own words, which go first."""
    row = Question.objects.get(pk=question)
    own = request.POST.get("own", "").strip()
    actions.answer_question(question, own or request.POST.get("choice", ""), who(request))
    return _afterwards(request, row)


def _afterwards(request: HttpRequest, row: Approval | Question) -> HttpResponse:
    """In the queue the next request; anywhere else the card as it is now."""
    requests = waiting()
    if "/queue/" in request.headers.get("HX-Current-URL", ""):
        later = next((r.id for r in requests if r.asked_at >= row.asked_at), "")
        return render(request, "pages/queue.html#both", {**selected(requests, later), "oob": True})
    card = timeline.card(row.session_id, row.call_id)
    html = timeline.swapped(card) if card else ""
    return HttpResponse(html + timeline.facts(row.session_id) + timeline.queue_frame([]))
