"""What a search found, by file, with the matches marked."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any

import re2
from django import template
from django.utils.safestring import SafeString, mark_safe

from workbench.web.templatetags.shown import shown_html

register = template.Library()

_LINE = re.compile(r"(?P<path>.+?)(?P<sign>[:-])(?P<number>\d+)(?P=sign) (?P<text>.*)")
_SURROGATE = re.compile("[\ud800-\udfff]")
"""what the expression engine can't read"""
_MARKS = 20
"""matches that are marked in one line"""


@dataclass(frozen=True)
class Line:
    number: int
    html: SafeString
    matches: bool
    """False: a line around a match"""


@dataclass(frozen=True)
class File:
    path: str
    lines: list[Line] = field(default_factory=list)


@register.simple_tag
def found_lines(data: Any, pattern: object) -> list[File]:
    """The lines of `grep`, grouped by file: `path:12: text`, with `-` around a line of context."""
    heads = (_LINE.fullmatch(line) for line in str(data.get("content") or "").split("\n"))
    rows = [(head["path"], head) for head in heads if head]
    return [
        File(path, [_line(head, str(pattern or "")) for _, head in group])
        for path, group in groupby(rows, lambda row: row[0])
    ]


def _line(head: re.Match[str], pattern: str) -> Line:
    matches = head["sign"] == ":"
    html = marked(head["text"], pattern) if matches else shown_html(head["text"])
    return Line(int(head["number"]), html, matches)


def marked(text: str, pattern: str) -> SafeString:
    """`text` with every match of the expression in a `<mark>`."""
    regex = _compiled(pattern)
    html, at = [], 0
    for match in list(regex.finditer(text))[:_MARKS] if regex and not _SURROGATE.search(text) else ():
        start, end = match.span()
        if end > start:
            html += [shown_html(text[at:start]), f"<mark>{shown_html(text[start:end])}</mark>"]
            at = end
    return mark_safe("".join([*html, shown_html(text[at:])]))  # noqa: S308 - every piece is escaped


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options) if pattern else None
    except (re2.error, UnicodeEncodeError):
        return None


@register.filter
def paths_of(data: Any) -> list[tuple[str, Any]]:
    """(path, number of matches or "") of the other modes of `grep`."""
    if isinstance(data.get("counts"), dict):
        return list(data["counts"].items())
    return [(path, "") for path in data.get("files") or ()] if isinstance(data.get("files"), list) else []
