"""The small marks of every page: icons, states, times. A state is a shape, a word and a colour together."""

from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from workbench.web.templatetags.figures import clock
from workbench.web.templatetags.shown import shown_text

register = template.Library()

STATES: dict[str, tuple[str, str, str]] = {
    "needs": ("needs", "needs", "Needs you"),
    "waiting": ("needs", "needs", "Needs you"),
    "queued": ("quiet", "dot", "Not started"),
    "running": ("running", "running", "Running"),
    "done": ("done", "done", "Done"),
    "failed": ("failed", "failed", "Failed"),
    "denied": ("denied", "denied", "Denied"),
    "rejected": ("denied", "denied", "Rejected"),
    "approved": ("done", "done", "Approved"),
    "answered": ("done", "done", "Answered"),
    "expired": ("quiet", "paused", "Expired"),
    "withdrawn": ("quiet", "paused", "Withdrawn"),
    "interrupted": ("quiet", "paused", "Interrupted"),
    "paused": ("quiet", "paused", "Paused"),
    "stopped": ("quiet", "stop", "Stopped"),
}
"""state -> (class, icon, word)"""


@register.simple_tag
def icon(name: str) -> SafeString:
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def status(state: str, word: str = "", *, chip: bool = False) -> SafeString:
    """`word` replaces the state's own: a duration, a count."""
    css, shape, usual = STATES.get(state, ("quiet", "dot", state))
    return format_html('<span class="st {}{}">{}{}</span>', css, " chip" if chip else "", icon(shape), word or usual)


@register.filter
def state_class(state: str) -> str:
    return STATES.get(state, ("quiet", "", ""))[0]


@register.filter
def state_icon(state: str) -> str:
    return STATES.get(state, ("", "dot", ""))[1]


@register.filter
def state_word(state: str) -> str:
    return STATES.get(state, ("", "", state))[2]


@register.simple_tag
def at(moment: datetime | None, form: str = "time") -> SafeString:
    """A moment; the page's clock rewrites it in the reader's zone. `form`: time (14:02:11), short, full."""
    if moment is None:
        return mark_safe("")
    local = timezone.localtime(moment)
    text = {"time": f"{local:%H:%M:%S}", "short": short(local)}.get(form, f"{local:%-d %b %Y, %H:%M}")
    return format_html('<time datetime="{}" data-at="{}">{}</time>', iso(moment), form, text)


def short(local: datetime) -> str:
    """Today the time, else the day."""
    return f"{local:%H:%M}" if local.date() == timezone.localdate() else f"{local:%-d %b}"


@register.simple_tag
def age(moment: datetime | None) -> SafeString:
    """How long ago, as a stop-watch that the page's clock keeps running."""
    if moment is None:
        return mark_safe("")
    seconds = (timezone.now() - moment).total_seconds()
    return format_html('<time class="num" datetime="{}" data-age>{}</time>', iso(moment), clock(seconds))


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@register.simple_tag
def now_iso() -> str:
    """The server's clock, by which ages are told."""
    return iso(timezone.now())


@register.filter
def key(mapping: Any, name: str) -> Any:
    """`mapping[name]` where the name is no literal; nothing when there is none."""
    return mapping.get(name) if isinstance(mapping, dict) else None


@register.filter
def digest(value: object) -> str:
    """The head of a digest in two groups, to compare at a glance: `7f3a c21e`."""
    text = shown_text(str(value or ""))
    return f"{text[:4]} {text[4:8]}".strip()


@register.filter
def label(value: object) -> str:
    """One line for an attribute, hidden characters as numbers, no longer than a screen reader wants to say."""
    text = shown_text(str(value or "").replace("\n", " "))
    return text if len(text) <= 160 else f"{text[:159]}…"


CONTROL = {
    "blocked": "blocked before it runs",
    "asked": "asked by the agent itself",
    "seen": "seen afterwards",
}


@register.filter
def control_words(level: str) -> str:
    """A session's honest level of control (SPEC G9)."""
    return CONTROL.get(level, level)


MODES = {
    "plan": "reads only, the rest is denied",
    "ask": "reversible edits run, the rest asks",
    "auto": "edits and single deletions run, what reaches outside asks",
}


@register.filter
def mode_words(mode: str) -> str:
    """What a mode lets run unasked (SPEC G3)."""
    return MODES.get(mode, "")
