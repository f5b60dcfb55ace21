"""Settings of models: which ones a session can pick, and the endpoints that people add."""

import asyncio
import time

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from workbench.agent.messages import Provider, ProviderError, Reply, UserText
from workbench.agent.providers import Endpoint, NoSuchModel, make
from workbench.files import Refused
from workbench.web import catalogue, vault
from workbench.web.forms import EndpointForm
from workbench.web.models import ModelEndpoint
from workbench.web.views import by_htmx, told

TEST_WITHIN_S = 30


@require_GET
def models(request: HttpRequest, endpoint: int | None = None) -> HttpResponse:
    """All models; the form adds one, or changes `endpoint`."""
    row = get_object_or_404(ModelEndpoint, pk=endpoint) if endpoint else None
    context = {"form": EndpointForm(instance=row), "editing": row, **_models()}
    return render(request, "pages/models.html", context)


def _models() -> dict[str, object]:
    return {"choices": catalogue.choices(), "saved": {e.name: e for e in ModelEndpoint.objects.all()}}


@require_POST
@told
def save(request: HttpRequest, endpoint: int | None = None) -> HttpResponse:
    row = ModelEndpoint.objects.get(pk=endpoint) if endpoint else None
    form = EndpointForm(request.POST, instance=row)
    if not form.is_valid():
        raise Refused("bad_args", " ".join(f"{name}: {e}" for name, errors in form.errors.items() for e in errors))
    form.save()
    return _back(request)


@require_POST
@told
def delete(request: HttpRequest, endpoint: int) -> HttpResponse:
    """Sessions that use it stay; they say that it is gone when they ask it next."""
    ModelEndpoint.objects.get(pk=endpoint).delete()
    return _back(request)


@require_POST
@told
def test(request: HttpRequest) -> HttpResponse:
    """Ask the model for one word and say how long it took, or what is wrong."""
    name = request.POST.get("name", "")
    started = time.monotonic()
    try:
        located, endpoint = catalogue.locate(name)
        text = asyncio.run(asyncio.wait_for(_ask(located, endpoint), TEST_WITHIN_S))
    except (ProviderError, NoSuchModel, vault.Unreadable) as e:
        raise Refused("io", str(e)) from None
    except TimeoutError:
        raise Refused("io", f"{name} did not answer within {TEST_WITHIN_S} s.") from None
    took = round((time.monotonic() - started) * 1000)
    return render(request, "pages/models.html#tested", {"name": name, "text": text, "took": took})


async def _ask(name: str, endpoint: Endpoint) -> str:
    provider: Provider = make(name, endpoint)
    try:
        text = ""
        async for piece in provider.request("Answer with one word.", [UserText("Say ready.")], []):
            if isinstance(piece, Reply):
                text = piece.text
        return text
    finally:
        await provider.close()


def _back(request: HttpRequest) -> HttpResponse:
    return HttpResponseClientRefresh() if by_htmx(request) else redirect("models")
