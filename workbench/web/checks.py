"""Startup checks that tie names to files, both ways. Each hint is the path to create or to remove."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template

from workbench.journal.kinds import KINDS
from workbench.tools import all_tools

PARTIALS = ("call", "result")


def folder(name: str) -> Path:
    return Path(settings.ROOT) / "templates" / name


def _named(name: str) -> set[str]:
    """Templates of a folder by name; those with `_` in front are fallbacks, never addressed by a name."""
    return {p.stem for p in folder(name).glob("*.html") if not p.name.startswith("_")}


@register()
def kinds_and_templates(**_: Any) -> list[CheckMessage]:
    """E11, E12: an event kind and `timeline/<kind>.html` belong together."""
    drawn = _named("timeline")
    missing = [
        Error(f"The event kind {k!r} has no template.", hint=f"add templates/timeline/{k}.html", id="workbench.E11")
        for k in sorted(set(KINDS) - drawn)
    ]
    stray = [
        Error(f"No event kind is drawn by {n}.html.", hint=f"remove templates/timeline/{n}.html", id="workbench.E12")
        for n in sorted(drawn - set(KINDS))
    ]
    return [*missing, *stray]


@register()
def tools_and_templates(**_: Any) -> list[CheckMessage]:
    """E21 to E23: a tool and `tools/<tool>.html` belong together, with the partials `call` and `result`."""
    drawn, tools = _named("tools"), set(all_tools())
    missing = [
        Error(f"The tool {t!r} has no template.", hint=f"add templates/tools/{t}.html", id="workbench.E21")
        for t in sorted(tools - drawn)
    ]
    stray = [
        Error(f"No tool is drawn by {n}.html.", hint=f"remove templates/tools/{n}.html", id="workbench.E22")
        for n in sorted(drawn - tools)
    ]
    return [*missing, *stray, *_partials(sorted(tools & drawn))]


@register()
def fallbacks(**_: Any) -> list[CheckMessage]:
    """E13: what is not known is drawn too."""
    return [
        Error(f"There is no template {name}.", hint=f"add templates/{name}", id="workbench.E13")
        for name in ("timeline/_unknown.html", "tools/_generic.html")
        if not (Path(settings.ROOT) / "templates" / name).is_file()
    ]


def _partials(tools: list[str]) -> Iterator[CheckMessage]:
    for tool in tools:
        for partial in PARTIALS:
            name = f"tools/{tool}.html"
            try:
                get_template(f"{name}#{partial}")
            except TemplateDoesNotExist:
                hint = f"add {{% partialdef {partial} %}} to templates/{name}"
                yield Error(f"{name} has no partial {partial!r}.", hint=hint, id="workbench.E23")
            except TemplateSyntaxError as e:
                yield Error(f"{name} is not a template: {e}", hint=f"mend templates/{name}", id="workbench.E24")
                break
