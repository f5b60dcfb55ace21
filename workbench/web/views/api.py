"""The JSON API, documented at /api/docs. Every error is `{"error", "message", …}` with the fitting status."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, cast

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ObjectDoesNotExist, RequestDataTooBig
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern
from django.utils.dateparse import parse_datetime
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.docs import DocsBase
from ninja.params.functions import Query
from ninja.security import HttpBearer

from workbench.files import Refused
from workbench.web import accounts, actions, adapters, catalogue, models, rollbacks, schemas, wire
from workbench.web.offline import Bench
from workbench.web.openapi import operations

log = logging.getLogger(__name__)

MOST = 500
STATUS: dict[str, int] = {
    "bad_args": 400, "bad_path": 400, "outside": 403, "denied": 403, "permission": 403, "no_file": 404,
    "not_found": 404, "conflict": 409, "stale": 409, "exists": 409, "too_large": 413,
}  # fmt: skip
"""HTTP status of a refusal; 422 for the rest"""


class Token(HttpBearer):
    """`Authorization: Bearer <token>`"""

    def authenticate(self, request: HttpRequest, token: str) -> models.ApiToken | None:
        row = accounts.valid_token(token)
        if row is not None:
            request.user = row.user
        return row


class Docs(DocsBase):
    """The document as a page of ours: nothing is loaded from elsewhere."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **_: Any) -> HttpResponse:
        document = api.get_openapi_schema()
        return render(request, "pages/api.html", {"document": document, "operations": operations(document)})


def _for_people_too(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The documents are shown to whoever is logged in, or has a token."""

    def checked(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        if request.user.is_authenticated or Token()(request):
            return view(request, *args, **more)
        return problem(401, "unauthorized", "Log in, or send a token: Authorization: Bearer …")

    return checked


api = NinjaAPI(
    title="Agent Workbench",
    version="1",
    description="Start sessions, follow their events, decide what waits, take changes back.",
    auth=Token(),
    docs=Docs(),
    docs_decorator=_for_people_too,
    urls_namespace="api",
)


def problem(status: int, error: str, message: str, **facts: Any) -> HttpResponse:
    return JsonResponse({"error": error, "message": message, **facts}, status=status)


@login_not_required
@csrf_exempt
def unknown(request: HttpRequest, rest: str = "") -> HttpResponse:
    return problem(404, "not_found", f"There is nothing at {request.path}. The routes are listed at /api/docs.")


@api.exception_handler(Refused)
def _refused(request: HttpRequest, e: Refused) -> HttpResponse:
    return JsonResponse(e.as_data(), status=STATUS.get(e.code, 422))


@api.exception_handler(actions.AlreadyDecided)
def _already(request: HttpRequest, e: actions.AlreadyDecided) -> HttpResponse:
    at = e.at.isoformat() if e.at else None
    return problem(409, "conflict", str(e), outcome=e.outcome, decided_by=e.by, decided_at=at)


@api.exception_handler(ObjectDoesNotExist)
@api.exception_handler(Http404)
def _missing(request: HttpRequest, e: Exception) -> HttpResponse:
    return problem(404, "not_found", f"There is nothing at {request.path}.")


@api.exception_handler(AuthenticationError)
def _unauthorized(request: HttpRequest, e: AuthenticationError) -> HttpResponse:
    response = problem(401, "unauthorized", "Send a valid token: Authorization: Bearer …")
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, e: HttpError) -> HttpResponse:
    return problem(e.status_code, "bad_request" if e.status_code < 500 else "failed", str(e))


@api.exception_handler(Exception)
def _defect(request: HttpRequest, e: Exception) -> HttpResponse:
    log.error("%s %s failed", request.method, request.path, exc_info=e)
    return problem(
        500,
        "failed",
        "The workbench made a mistake here; its log says which. See what it came to before you repeat it.",
    )


@api.exception_handler(RequestDataTooBig)
def _too_big(request: HttpRequest, e: Exception) -> HttpResponse:
    return problem(413, "too_large", "The request body is too large.")


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, e: ValidationError) -> HttpResponse:
    problems = [{"at": _place(x["loc"]), "message": x["msg"]} for x in e.errors]
    text = "; ".join(f"{p['at']}: {p['message']}" for p in problems)
    return problem(400, "bad_request", f"{text}.", problems=problems)


def _place(loc: Sequence[int | str]) -> str:
    """Where in the request: `query.limit`, `body.prompt`."""
    parts = [str(part) for part in loc]
    return ".".join(parts[:1] + parts[2:] if parts[:2] == ["body", "body"] else parts)  # the second is our argument


def who(request: HttpRequest) -> actions.Who:
    return actions.Who(request.user.get_username(), "API")


def page[M: Model](rows: QuerySet[M], limit: int, draw: Callable[[M], Any], after: int) -> dict[str, Any]:
    """Rows with a larger id than `after`, oldest first."""
    found = list(rows.filter(pk__gt=after).order_by("pk")[: limit + 1])
    more = found[limit - 1].pk if len(found) > limit else None
    return {"items": [draw(row) for row in found[:limit]], "next": more}


Limit = Query(100, ge=1, le=MOST)
After = Query(0, ge=0)
Events = Query(MOST, ge=1, le=MOST)


@api.post("/sessions", response={201: schemas.Session})
def start_session(request: HttpRequest, body: schemas.StartSession) -> Any:
    """Start a session."""
    row = actions.start_session(
        task=body.prompt, who=who(request), model=body.model or "", workspace=body.workspace, mode=body.mode
    )
    return 201, wire.session(row)


@api.get("/sessions", response=schemas.Sessions)
def list_sessions(
    request: HttpRequest, *, status: str = "", before: str = "", limit: int = Limit, archived: bool = False
) -> Any:
    """Sessions, newest first. `next` is the `before` of the next page."""
    rows = models.Session.objects.select_related("workspace").filter(archived=archived).order_by("-created_at")
    rows = _by(rows, status)
    if before:
        moment = _moment(before)
        rows = rows.filter(created_at__lt=moment)
    found = list(rows[: limit + 1])
    following = found[limit - 1].created_at.isoformat().replace("+00:00", "Z") if len(found) > limit else None
    return {"items": [wire.session(row) for row in found[:limit]], "next": following}


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise HttpError(400, "before must be a moment as `next` gives it")
    return moment


def _session(session: str) -> models.Session:
    return models.Session.objects.select_related("workspace").get(pk=session)


@api.get("/sessions/{session}", response=schemas.Session)
def get_session(request: HttpRequest, session: str) -> Any:
    """One session."""
    return wire.session(_session(session))


@api.get("/sessions/{session}/events", response=schemas.Events)
def list_events(request: HttpRequest, session: str, after: int = After, limit: int = Events) -> Any:
    """The journal after a sequence number, in order."""
    row = _session(session)
    records = adapters.read(row.pk, after, limit)
    more = records[-1].seq if records and records[-1].seq < row.last_seq else None
    return {"items": [wire.event(r) for r in records], "next": more}


@api.post("/sessions/{session}/messages", response=schemas.Session)
def send_message(request: HttpRequest, session: str, body: schemas.SendMessage) -> Any:
    """Say something to the agent. A message decides no approval and answers no question."""
    actions.send_message(session, body.text, who(request), delivery=body.delivery)
    return wire.session(_session(session))


@api.post("/sessions/{session}/stop", response=schemas.Session)
def stop(request: HttpRequest, session: str) -> Any:
    """End what it does, at once."""
    actions.stop(session, who(request))
    return wire.session(_session(session))


@api.post("/sessions/{session}/pause", response=schemas.Session)
def pause(request: HttpRequest, session: str) -> Any:
    """Let the running step end, then rest."""
    actions.pause(session, who(request))
    return wire.session(_session(session))


@api.post("/sessions/{session}/resume", response=schemas.Session)
def resume(request: HttpRequest, session: str) -> Any:
    """Go on after a pause, a stop, a failure or the end."""
    actions.resume(session, who(request))
    return wire.session(_session(session))


@api.post("/sessions/{session}/mode", response=schemas.Session)
def set_mode(request: HttpRequest, session: str, body: schemas.SetMode) -> Any:
    """Switch between plan, ask and auto."""
    actions.set_mode(session, body.mode, who(request))
    return wire.session(_session(session))


@api.get("/approvals", response=schemas.Approvals)
def list_approvals(
    request: HttpRequest, status: str = "", session: str = "", after: int = After, limit: int = Limit
) -> Any:
    """What waits for a decision (`?status=pending`), or was decided."""
    return page(_by(models.Approval.objects.all(), status, session), limit, wire.approval, after)


@api.get("/approvals/{approval}", response=schemas.Approval)
def get_approval(request: HttpRequest, approval: int) -> Any:
    """One approval."""
    return wire.approval(models.Approval.objects.get(pk=approval))


@api.post("/approvals/{approval}", response={200: schemas.Approval, 409: schemas.Problem})
def decide(request: HttpRequest, approval: int, body: schemas.Decide) -> Any:
    """Decide, once: 409 says who was quicker."""
    row = actions.decide_approval(
        approval, body.decision, who(request), args=body.args, reason=body.reason, remember=body.remember
    )
    return wire.approval(row)


@api.get("/questions", response=schemas.Questions)
def list_questions(
    request: HttpRequest, status: str = "", session: str = "", after: int = After, limit: int = Limit
) -> Any:
    """Questions of agents (`?status=pending`)."""
    return page(_by(models.Question.objects.all(), status, session), limit, wire.question, after)


@api.post("/questions/{question}", response={200: schemas.Question, 409: schemas.Problem})
def answer(request: HttpRequest, question: int, body: schemas.Answer) -> Any:
    """Answer, once: 409 says who was quicker."""
    return wire.question(actions.answer_question(question, body.answer, who(request)))


def _by[M: Model](rows: QuerySet[M], status: str, session: str = "") -> QuerySet[M]:
    if status:
        known = [str(value) for value in rows.model.Status.values]  # type: ignore[attr-defined]
        if status not in known:
            raise HttpError(400, f"There is no status {status!r}: choose {', '.join(known)}.")
        rows = rows.filter(status=status)
    return rows.filter(session=session) if session else rows


@api.get("/sessions/{session}/changes", response=schemas.Changes)
def list_changes(request: HttpRequest, session: str, after: int = After, limit: int = Limit) -> Any:
    """What the session changed, oldest first."""
    rows = models.Version.objects.filter(session=_session(session), status="done")
    return page(rows, limit, wire.version, after)


@api.post("/changes/{change}/rollback", response={200: schemas.Outcomes, 409: schemas.Problem})
def roll_back(request: HttpRequest, change: int, body: schemas.Rollback | None = None) -> Any:
    """Take one change back: merged into what is there now; 409 with the three texts where that overlaps."""
    wish = body or schemas.Rollback()
    return _outcomes(
        rollbacks.one(change, who(request), hunks=wish.hunks, recreate=wish.recreate, preview=wish.preview),
        preview=wish.preview,
    )


@api.post("/sessions/{session}/rewind", response={200: schemas.Outcomes, 409: schemas.Problem})
def rewind(request: HttpRequest, session: str, body: schemas.Rewind) -> Any:
    """Take back what the session's calls after an event changed; one outcome a path."""
    outcomes = rollbacks.rewind(session, body.seq, who(request), uncertain=body.uncertain, preview=body.preview)
    return _outcomes(outcomes, preview=body.preview)


def _outcomes(outcomes: list[dict[str, Any]], *, preview: bool) -> dict[str, Any]:
    if not preview:
        rollbacks.refuse_conflicts(outcomes)
    return {"items": outcomes}


@api.get("/workspaces", response=schemas.Workspaces)
def list_workspaces(request: HttpRequest, after: int = After, limit: int = Limit) -> Any:
    """Folders that sessions work in."""
    rows = models.Workspace.objects.all()
    return page(rows, limit, lambda w: {"id": w.pk, "path": str(w.path), "name": w.name}, after)


@api.get("/workspaces/{workspace}/file")
def read_file(
    request: HttpRequest, workspace: int, path: str, offset: int = 0, limit: int | None = None, column: int = 0
) -> Any:
    """A page of a file, as the agent's read_file gives it."""
    row = models.Workspace.objects.get(pk=workspace)
    return JsonResponse(Bench(Path(row.path)).read_page(path, offset=offset, limit=limit, column=column))


@api.get("/models", response=schemas.Models)
def list_models(request: HttpRequest) -> Any:
    """The models a session can be started with."""
    picked = catalogue.default()
    items = [{**vars(choice), "default": choice.name == picked} for choice in catalogue.choices()]
    return {"items": items}


def patterns() -> list[URLPattern]:
    """The routes. They check tokens themselves, so the login of pages does not stand before them."""
    found = cast("list[URLPattern]", api.urls[0])
    for pattern in found:
        pattern.callback = _told(pattern.callback)
    return found


def _told(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """`view`, with an answer of ours where only the method is wrong."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        response = view(request, *args, **more)
        if response.status_code != 405:
            return response
        told = problem(405, "bad_request", f"{request.path} does not take {request.method}.")
        told["Allow"] = response["Allow"]
        return told

    return login_not_required(csrf_exempt(checked))
