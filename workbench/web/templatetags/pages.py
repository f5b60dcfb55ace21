"""A page of a file, drawn alike wherever it comes from: what `read_file` gave the model, or the file as it is now."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString

from workbench.files.page import Page
from workbench.web.templatetags.code import code_rows, split_numbered

register = template.Library()

LINES = 80
"""of a page, as in `read_file`"""


@dataclass(frozen=True)
class Shown:
    """What `parts/page.html` draws."""

    path: str
    rows: SafeString
    first: int
    """line numbers from 1; 0 when there are no lines"""
    last: int
    total: int | None
    at_least: int
    facts: tuple[str, ...]
    """encoding, line ends, version …"""
    warnings: tuple[str, ...]
    previous: str
    """address of the page before, "" when there is none"""
    next: str


def address(base: str, path: str, **where: int) -> str:
    query = QueryDict(mutable=True)
    query["path"] = path
    query.update({name: str(value) for name, value in where.items() if value})
    return f"{base}?{query.urlencode()}"


def encoded(name: object, eol: object = "") -> str:
    """`UTF-8, LF`."""
    names = [str(name or "").upper(), {"none": ""}.get(str(eol), str(eol).upper())]
    return ", ".join(filter(None, names))


def page_of_file(page: Page, base: str, *, before: str = "", anchors: bool = False, hit: int = 0) -> Shown:
    """The file as it is now. `base`: address that gives pages; `before`: lines before it, for the highlighter."""
    first = page.offset + 1
    numbers = range(first, first + len(page.pieces))
    text = "\n".join(page.pieces)
    following = page.next
    return Shown(
        path=page.rel,
        rows=code_rows(text, page.rel, numbers, before=before, anchors=anchors, hits=(hit,) if hit else ()),
        first=first if page.pieces else 0,
        last=numbers[-1] if page.pieces else 0,
        total=page.total_lines,
        at_least=page.total_lines_at_least,
        facts=(encoded(page.encoding.name, page.eol),),
        warnings=page.warnings,
        previous=_previous(base, page.rel, page.offset, page.column),
        next=address(base, page.rel, offset=following.offset, column=following.column) if following else "",
    )


def _previous(base: str, path: str, offset: int, column: int) -> str:
    if column:
        return address(base, path, offset=offset)
    if not offset:
        return ""
    return address(base, path, offset=max(0, offset - LINES), limit=min(LINES, offset))


@register.simple_tag
def page_of_result(data: Any, args: Any, session: str) -> Shown:
    """What the model saw. The pages around it come from the file as it is now."""
    path = str(data.get("path") or args.get("path") or "")
    base = reverse("session-page", args=[session])
    numbers, texts = split_numbered(str(data.get("content") or ""), int(data.get("offset") or 0))
    following = data.get("next") or {}
    return Shown(
        path=path,
        rows=code_rows("\n".join(texts), path, numbers),
        first=numbers[0] if numbers else 0,
        last=numbers[-1] if numbers else 0,
        total=data.get("total_lines"),
        at_least=int(data.get("total_lines_at_least") or 0),
        facts=(encoded(data.get("encoding"), data.get("eol")),),
        warnings=_sentences(data),
        previous=_previous(base, path, int(data.get("offset") or 0), int(data.get("column") or 0)),
        next=address(base, path, offset=following["offset"], column=following.get("column", 0)) if following else "",
    )


def _sentences(data: Any) -> tuple[str, ...]:
    told = tuple(str(data[name]) for name in ("warning", "note") if data.get(name))
    return (*told, "Some bytes can't be decoded; they show as \ufffd.") if data.get("lossy") and not told else told
