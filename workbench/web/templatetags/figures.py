"""How numbers are written: 38 ms, 6.8 s, 4:12; 61.4k; 38.2 MB; $0.38; −4."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@register.filter
def duration(milliseconds: object) -> str:
    """38 ms, 6.8 s, 48 s, 4:12, 1:02:03."""
    ms = _number(milliseconds)
    if ms is None:
        return ""
    if ms < 1000:
        return f"{round(ms)} ms"
    if ms < 60_000:
        seconds = ms / 1000
        return f"{seconds:.1f} s" if seconds < 10 or round(seconds, 1) % 1 else f"{seconds:.0f} s"
    return clock(ms / 1000)


@register.filter
def clock(seconds: object) -> str:
    """Minutes and seconds as on a stop-watch: 0:09, 12:04, 1:02:03, 3 d 4 h."""
    value = _number(seconds)
    if value is None:
        return ""
    whole = max(0, int(value))
    if whole >= 86_400:
        return f"{whole // 86_400} d {whole % 86_400 // 3600} h"
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def since(moment: object) -> str:
    """The age of a moment now, as a stop-watch shows it."""
    return clock((timezone.now() - moment).total_seconds()) if isinstance(moment, datetime) else ""


@register.filter
def thousands(count: object) -> str:
    """8,124."""
    value = _number(count)
    return "" if value is None else f"{value:,.0f}"


@register.filter
def tokens(count: object) -> str:
    """61.4k, 1.2M; below a thousand as it is."""
    value = _number(count)
    if value is None:
        return ""
    if value < 1000:
        return f"{value:.0f}"
    return f"{value / 1000:.1f}k" if value < 999_950 else f"{value / 1e6:.1f}M"


@register.filter
def size(count: object) -> str:
    """38.2 MB; powers of 1,000, as file managers count."""
    value = _number(count)
    if value is None:
        return ""
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "bytes" or value >= 99.95 else f"{value:.1f} {unit}"


@register.filter
def cost(dollars: object) -> str:
    """$0.38; a price that isn't known is nothing at all."""
    value = _number(dollars)
    if value is None:
        return ""
    return "<$0.01" if 0 < value < 0.005 else f"${value:,.2f}"


@register.simple_tag
def plus_minus(added: object, removed: object) -> SafeString:
    """+17 −4 with their words for who can't see the colours."""
    return format_html(
        '<span class="pm"><span class="a"><span class="sr">added </span>+{}</span> '
        '<span class="d"><span class="sr">removed </span>−{}</span></span>',
        thousands(added or 0), thousands(removed or 0),
    )  # fmt: skip


@register.filter
def plural(count: object, word: str) -> str:
    """`3 files`, `1 file`; with a comma for an odd plural: `{{ n|plural:"match,matches" }}`."""
    one, _, many = word.partition(",")
    return f"{thousands(count)} {one if _number(count) == 1 else many or one + 's'}"


@register.filter
def octal(mode: object) -> str:
    """0644."""
    return f"{mode:04o}" if isinstance(mode, int) else ""
