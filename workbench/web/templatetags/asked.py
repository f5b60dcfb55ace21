"""What a person weighs before saying yes: the parts of a command, numbered like its effects, and every argument."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from pydantic import BaseModel

from workbench.policy.call import Verb
from workbench.shell.effects import Part, analyse
from workbench.web.templatetags.shown import shown_html, shown_text

register = template.Library()

KEPT, GONE, KNOWN = "The history keeps it", "Can't be taken back", ""

WORDS: dict[str, tuple[str, str]] = {
    Verb.READ: ("Reads", KNOWN),
    Verb.WRITE_WS: ("Writes", KEPT),
    Verb.DELETE: ("Deletes", KEPT),
    Verb.HISTORY: ("Rewrites history", GONE),
    Verb.PERSIST: ("Changes what runs later", KEPT),
    Verb.WRITE_OUT: ("Writes outside", GONE),
    Verb.SECRET: ("Reads a credential", "The model will know it"),
    Verb.NET_READ: ("Fetches", "Reaches the network"),
    Verb.EXTERNAL: ("Reaches outside", GONE),
    Verb.PRIV: ("Raises privileges", GONE),
    Verb.KILL: ("Ends a process", GONE),
    Verb.OPAQUE: ("Can't be known before", GONE),
}
"""verb -> (what it does, can it be taken back); a target outside the workspace is in no history"""


_UNKEPT = re.compile(r"cannot be (taken|brought) back")
"""what a tool's detail says when the history leaves the content out"""


@dataclass(frozen=True)
class Weighed:
    """One effect as a row."""

    number: int
    word: str
    target: str
    detail: str
    back: str
    """can it be taken back"""
    grave: bool
    part: int | None


@register.filter
def weighed(effects: Any) -> list[Weighed]:
    """Effects as they stand in an approval, in order, with their words."""
    rows = []
    for number, effect in enumerate(effects or (), 1):
        verb, target = str(effect.get("verb", "")), str(effect.get("target", ""))
        word, back = WORDS.get(verb, (shown_text(verb).capitalize(), GONE))
        detail = str(effect.get("detail", ""))
        if back == KEPT and (target.startswith(("/", "~")) or _UNKEPT.search(detail)):
            back = GONE
        grave = back not in (KEPT, KNOWN)
        rows.append(Weighed(number, word, target, detail, back, grave, effect.get("part")))
    return rows


@register.filter
def in_words(effects: Any) -> str:
    """Each thing it does once: `Writes, Reaches outside`."""
    return ", ".join(dict.fromkeys(effect.word for effect in weighed(effects)))


@register.simple_tag
def command(text: object, cwd: object = "", effects: Any = ()) -> SafeString:
    """The whole command; each simple command in it underlined, with the numbers of its effects behind it."""
    numbers: dict[int, list[int]] = {}
    for effect in weighed(effects):
        if effect.part is not None:
            numbers.setdefault(effect.part, []).append(effect.number)
    shown, html, at = str(text or ""), [], 0
    for part, found in _outermost(shown, str(cwd or "/"), numbers):
        start, end = part.span
        html.append(format_html('<span class="op">{}</span>', shown_html(shown[at:start])) if start > at else "")
        sups = format_html_join("", "<sup>{}</sup>", ((n,) for n in found))
        html.append(format_html('<span class="part">{}</span>{}', shown_html(shown[start:end]), sups))
        at = end
    html.append(shown_html(shown[at:]))
    return mark_safe("".join(html))  # noqa: S308 - every piece is escaped


def _outermost(text: str, cwd: str, numbers: dict[int, list[int]]) -> list[tuple[Part, list[int]]]:
    """Parts that don't lie within another, with the effects' numbers of all that they hold."""
    if not numbers or not text.strip():
        return []
    folder = Path(cwd)
    kept: list[tuple[Part, list[int]]] = []
    for index, part in sorted(enumerate(analyse(text, cwd=folder, root=folder).parts), key=lambda p: p[1].span):
        mine = numbers.get(index, [])
        if kept and part.span[0] < kept[-1][0].span[1]:
            kept[-1][1].extend(mine)
        elif mine:
            kept.append((part, list(mine)))
    return [(part, sorted(set(found))) for part, found in kept]


@dataclass(frozen=True)
class Field:
    """One argument, to be read or edited."""

    name: str
    value: Any
    text: str
    """as it stands in a form: a string as it is, anything else as JSON"""
    rows: int

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)


@register.filter
def fields(args: Any) -> list[Field]:
    """The arguments of a call, one by one."""
    if not isinstance(args, dict):
        return [Field("arguments", args, _json(args), 6)]
    found = []
    for name, value in args.items():
        text = value if isinstance(value, str) else _json(value)
        found.append(Field(str(name), value, text, min(16, text.count("\n") + 1)))
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


@register.filter
def pretty(value: Any) -> SafeString:
    """Anything as JSON over several lines, hidden characters marked."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return shown_html(value if isinstance(value, str) else _json(value))


@register.filter(name="gist")
def gist_of(args: Any) -> str:
    """The argument that says most about a call, on one line."""
    return gist(args)


@register.filter
def head_line(text: Any) -> str:
    """The first line, and how many follow."""
    first, _, rest = str(text or "").strip().partition("\n")
    more = rest.count("\n") + 1 if rest else 0
    return f"{first} … {more} more lines" if more else first


def gist(args: Any) -> str:
    if isinstance(args, dict):
        likely = [args[name] for name in ("command", "path", "pattern", "question") if args.get(name)]
        args = next(iter([*likely, *(value for value in args.values() if isinstance(value, str))]), "")
    return " ".join(str(args).split())[:300]


@register.filter
def beside(left: Any, right: Any) -> list[tuple[Any, Any]]:
    """Pairs of two lists; None where the second is shorter."""
    return [(one, right[n] if n < len(right) else None) for n, one in enumerate(left)]
