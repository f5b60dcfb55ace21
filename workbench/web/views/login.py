"""Coming in: by a one-time link, or by name and password where an account has one."""

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from workbench.web import accounts

TRIES = 10
TRIES_WITHIN_S = 15 * 60
BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@require_http_methods(["GET", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """The form; without password accounts it only says where a link comes from."""
    context = {"passwords": accounts.password_accounts() > 0, "next": request.GET.get("next", "")}
    if request.method == "GET":
        return render(request, "pages/login.html", context)
    name, password = request.POST.get("username", ""), request.POST.get("password", "")
    keys = [f"login:{name.lower()[:150]}", f"login:{request.META.get('REMOTE_ADDR', '')}"]
    if any(cache.get(key, 0) >= TRIES for key in keys):
        context["problem"] = "Too many tries. Wait a quarter of an hour, or use a login link."
        return render(request, "pages/login.html", context, status=429)
    user = authenticate(request, username=name, password=password)
    if user is None:
        for key in keys:
            cache.set(key, cache.get(key, 0) + 1, TRIES_WITHIN_S)
        context["problem"] = "Name and password do not fit together."
        return render(request, "pages/login.html", context, status=403)
    login(request, user)
    return redirect(_next(request, request.POST.get("next", "")))


@login_not_required
@never_cache
@require_GET
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The one-time link. Its address is left at once, so that the token stays in no history entry that is shown."""
    user = accounts.redeem(token)
    if user is None:
        context = {
            "passwords": accounts.password_accounts() > 0,
            "problem": "This link was used already or has expired. Get a fresh one: uv run manage.py login_link",
        }
        return render(request, "pages/login.html", context, status=403)
    login(request, user, backend=BACKEND)
    return redirect(_next(request, request.GET.get("next", "")))


@require_POST
def out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


def _next(request: HttpRequest, wanted: str) -> str:
    """Where to go; never to another site."""
    own = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return wanted if wanted and own else resolve_url(settings.LOGIN_REDIRECT_URL)
