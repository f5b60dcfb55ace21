"""A session: its timeline, what it changed, what it costs; and what a person does to it."""

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from workbench.files import Refused
from workbench.history.store import Damaged
from workbench.journal.kinds import ModelTurn, ToolResult
from workbench.web import actions, adapters, runtime, timeline
from workbench.web.changed import changed_files
from workbench.web.models import Event, Session
from workbench.web.output import page_of_output
from workbench.web.views import by_htmx, told, who
from workbench.web.views.files import page_of
from workbench.web.waterfall import Waterfall

ACTS = {"pause": actions.pause, "resume": actions.resume, "stop": actions.stop}
BARS = 60
"""calls on the waterfall, the latest ones"""
IMAGES = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def _session(session: str) -> Session:
    return get_object_or_404(Session.objects.select_related("workspace"), pk=session)


@require_GET
def session(request: HttpRequest, session: str) -> HttpResponse:
    row = _session(session)
    # what is drawn ends at the sequence number that the page says, so that the socket goes on from there
    page = timeline.rows(session, before=row.last_seq + 1)
    return render(request, "pages/session.html", {"session": row, "rows": page, "seq": row.last_seq, **_around(row)})


@require_GET
def rows(request: HttpRequest, session: str) -> HttpResponse:
    """Older rows, for who scrolls up or follows a link to an old event."""
    _session(session)
    before, back_to = _number(request, "before"), _number(request, "back_to")
    page = timeline.rows(session, before=before or None, back_to=back_to or None)
    return render(request, "pages/session.html#older", {"rows": page, "session": {"pk": session}})


@require_GET
def around(request: HttpRequest, session: str) -> HttpResponse:
    """The waterfall and the changed files, asked for anew when something happened."""
    row = _session(session)
    return render(request, "pages/session.html#around", {"session": row, "oob": True, **_around(row)})


def _around(row: Session) -> dict[str, Any]:
    calls = Event.objects.filter(session=row, kind="tool_call").order_by("-seq").values_list("call_id", "seq")[:BARS]
    first = min((seq for _, seq in calls), default=0)
    turns = Event.objects.filter(session=row, kind=ModelTurn.kind, seq__gte=max(0, first - 1))
    cards = timeline.cards(row.pk, [call for call, _ in calls])
    ended = row.status in ("done", "failed", "stopped")
    changed = changed_files(row.pk)
    lines = [c.lines for c in changed if c.lines]
    now = row.updated_at if ended else timezone.now()
    return {
        "waterfall": Waterfall(cards, [adapters.as_record(turn) for turn in turns], now),
        "changed": changed,
        "added": sum(added for added, _ in lines),
        "removed": sum(removed for _, removed in lines),
    }


@require_POST
@told
def act(request: HttpRequest, session: str, what: str) -> HttpResponse:
    """Pause, resume, stop."""
    if what not in ACTS:
        raise Http404
    ACTS[what](session, who(request))
    return HttpResponse(timeline.facts(session))


@require_POST
@told
def mode(request: HttpRequest, session: str) -> HttpResponse:
    actions.set_mode(session, request.POST.get("mode", ""), who(request))
    return HttpResponse(timeline.facts(session))


@require_POST
@told
def message(request: HttpRequest, session: str) -> HttpResponse:
    delivery = "steer" if request.POST.get("delivery") == "steer" else "queue"
    actions.send_message(session, request.POST.get("text", ""), who(request), delivery=delivery)  # type: ignore[arg-type]
    return HttpResponse(timeline.facts(session))


@require_POST
@told
def rename(request: HttpRequest, session: str) -> HttpResponse:
    title = " ".join(request.POST.get("title", "").split())[:200]
    if not title:
        raise Refused("bad_args", "A session needs a title.")
    Session.objects.filter(pk=session).update(title=title)
    return HttpResponse(timeline.facts(session))


@require_POST
@told
def archive(request: HttpRequest, session: str) -> HttpResponse:
    """Off the lists; the journal stays."""
    row = Session.objects.get(pk=session)
    if row.status in ("running", "waiting"):
        raise Refused("bad_args", "Stop the session before you archive it.")
    Session.objects.filter(pk=session).update(archived=not row.archived)
    address = reverse("session", args=[session]) if row.archived else reverse("home")
    return HttpResponseClientRedirect(address) if by_htmx(request) else redirect(address)


@require_GET
@told
def output(request: HttpRequest, session: str, seq: int) -> HttpResponse:
    """What a command printed, page by page, from the spool."""
    event = get_object_or_404(Event, session=session, seq=seq, kind="tool_call")
    card = timeline.card(session, event.call_id)
    name = str(card.result.view.get("spool", "")) if card and card.result else ""
    page = page_of_output(Path(settings.DATA) / "spool" / session, name, _number(request, "from"))
    return render(request, "parts/output.html", {"page": page, "session": session, "seq": seq})


@require_GET
@told
def file(request: HttpRequest, session: str) -> HttpResponse:
    """A file that an event names, in the browser of its workspace."""
    row = _session(session)
    path, line = request.GET.get("path", ""), _number(request, "line")
    root = str(row.workspace.path)
    if path.startswith(f"{root}/"):
        path = path.removeprefix(f"{root}/")
    address = reverse("files", args=[row.workspace_id, path.strip("/")] if path.strip("/.") else [row.workspace_id])
    return redirect(f"{address}?line={line}#L{line}" if line else address)


@require_GET
@told
def page(request: HttpRequest, session: str) -> HttpResponse:
    """A page of a file as it is now, inside the card that shows another one."""
    shown = page_of(_session(session).workspace, request, reverse("session-page", args=[session]))
    return render(request, "parts/page.html", {"page": shown, "now": True})


@require_GET
def media(request: HttpRequest, session: str, sha256: str) -> HttpResponse:
    """An image that a result of this session carries; never anything that could act."""
    results = (r.event for r in adapters.read_kind(session, ToolResult.kind))
    found = (m for r in results if isinstance(r, ToolResult) for m in r.media if m.sha256 == sha256)
    item = next(found, None)
    if item is None or not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise Http404
    try:
        data = runtime.store().get(sha256)
    except Damaged:
        raise Http404 from None
    image = item.mime in IMAGES
    response = HttpResponse(data, content_type=item.mime if image else "application/octet-stream")
    response["Content-Disposition"] = "inline" if image else "attachment"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response


@require_GET
def journal(request: HttpRequest, session: str) -> FileResponse:
    """The session's journal, one event a line."""
    row = _session(session)
    path = Path(settings.DATA) / "journal" / f"{row.pk}.jsonl"
    if not path.is_file():
        raise Http404
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name, content_type="application/jsonl")


def _number(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 19 else 0
