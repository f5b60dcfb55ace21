"""What the page views share. One file a page, plain functions; a fragment of a page is a partial of its template.

A view wrapped in `told` may raise what the actions raise: the person reads the message in place. For a request by htmx
the answer is a fragment with status 409 (somebody was quicker, or it overlaps) or 422 (refused), which `static/base.js`
puts where the form says its troubles.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from workbench.files import Refused
from workbench.web.actions import AlreadyDecided, Who

View = Callable[..., HttpResponse]

CONFLICTS = ("conflict", "stale", "exists")


def who(request: HttpRequest) -> Who:
    """The person behind the browser."""
    return Who(request.user.get_username())


def by_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def told(view: View) -> View:
    """The view, with what it refuses told in place."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        try:
            return view(request, *args, **more)
        except AlreadyDecided as e:
            return trouble(request, str(e), 409)
        except Refused as e:
            return trouble(request, e.message, 409 if e.code in CONFLICTS else 422)
        except ObjectDoesNotExist as e:
            raise Http404(str(e)) from None

    return wrapped


def trouble(request: HttpRequest, message: str, status: int) -> HttpResponse:
    template = "parts/trouble.html" if by_htmx(request) else "pages/trouble.html"
    return render(request, template, {"message": message, "status": status}, status=status)
