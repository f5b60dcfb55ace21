"""The navigation that every page has, with the count of what needs a person."""

from typing import Any

from django import template
from django.template.context import RequestContext

from workbench.web.models import Approval, Question

register = template.Library()

BAYS = {"session": "home", "change": "history", "login": ""}
"""pages that belong to another one"""


def waiting() -> int:
    """Open approvals and questions over all sessions."""
    pending = Approval.objects.filter(status="pending").values("pk")
    return pending.union(Question.objects.filter(status="pending").values("pk"), all=True).count()


@register.inclusion_tag("parts/rail.html", takes_context=True)
def rail(context: RequestContext) -> dict[str, Any]:
    here = context.request.resolver_match
    name = (here.url_name or "").split("-")[0] if here else ""
    return {"waiting": waiting(), "here": BAYS.get(name, name)}
