"""What the session's page says about it, in the small."""

from django import template

register = template.Library()

NEXT = {
    "running": "pause", "waiting": "pause", "paused": "resume", "stopped": "resume", "failed": "resume"
}  # fmt: skip


@register.filter
def next_act(status: str) -> str:
    """What the first button does."""
    return NEXT.get(status, "")


@register.filter
def words(text: str) -> list[str]:
    return text.split()


@register.filter
def plus(left: int, right: int) -> int:
    return left + right
