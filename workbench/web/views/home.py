"""Home: what needs a person, what runs, what ended, and the form that starts a session."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from workbench.files import Refused
from workbench.web import actions, catalogue, runtime
from workbench.web.bays import bays
from workbench.web.forms import StartForm
from workbench.web.models import Workspace
from workbench.web.templatetags.ui import MODES
from workbench.web.views import by_htmx, told, who

WORKSPACES = 100


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    found = bays(everything="all" in request.GET)
    if by_htmx(request):
        return render(request, "pages/home.html#bays", {"bays": found})
    context = {
        "bays": found,
        "workspaces": Workspace.objects.filter(sample=False).order_by("-is_default", "name")[:WORKSPACES],
        "models": catalogue.choices(),
        "model": catalogue.default(),
        "sandbox": runtime.sandbox(),
        "modes": MODES.items(),
    }
    return render(request, "pages/home.html", context)


@require_POST
@told
def start(request: HttpRequest) -> HttpResponse:
    form = StartForm(request.POST)
    if not form.is_valid():
        raise Refused("bad_args", " ".join(str(error) for errors in form.errors.values() for error in errors))
    asked = form.cleaned_data
    session = actions.start_session(
        task=asked["task"],
        who=who(request),
        model=asked["model"],
        workspace=_workspace(asked["workspace"], asked["folder"], asked["model"]),
        mode=asked["mode"] or "ask",
    )
    address = reverse("session", args=[session.pk])
    return HttpResponseClientRedirect(address) if by_htmx(request) else redirect(address)


def _workspace(chosen: str, folder: str, model: str) -> str | None:
    if chosen == "other":
        if not folder.strip():
            raise Refused("bad_args", "Name the folder that the agent may work in, as an absolute path.")
        return folder.strip()
    if not chosen.isdecimal() or model == "demo":
        return None  # the default; for the demo a fresh sample
    return str(Workspace.objects.get(pk=int(chosen)).path)
