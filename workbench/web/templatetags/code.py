"""Source text as highlighted HTML, a page at a time, line by line.

The lexer comes from the file's name (or the program its first line names), never from a guess at the content. Pages
are cached by what they contain. A page that starts in the middle of a file is lexed together with the lines before it
(`before`), from a line where a statement can start; when they are not at hand and the page starts inside a comment or a
string, that is taken from the page itself.
"""

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath

from django import template
from django.utils.safestring import SafeString, mark_safe
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from workbench.web.templatetags.shown import shown_html

register = template.Library()

LONGEST = 200_000
"""characters of a page that are coloured; a longer one is shown plain"""

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "cm"), (String, "s"), (Number, "n"), (Keyword, "k"), (Operator.Word, "k"),
    (Name.Function, "f"), (Name.Class, "f"), (Name.Decorator, "dc"), (Name.Tag, "k"), (Name.Attribute, "f"),
)  # fmt: skip
_PROGRAMS = {"python": "python", "bash": "bash", "sh": "bash", "node": "javascript", "ruby": "ruby", "perl": "perl"}
_STATEMENT = re.compile(
    r"(?:def|class|import|from|async|@|if|for|func|fn|pub|type|const|let|var|function|export|package)\b"
)
_COMMENT_CLOSES = re.compile(r"\A(?:(?!/\*).)*?\*/", re.DOTALL)
_TRIPLE = re.compile(r'"""|\'\'\'')
_OPENS = re.compile(r"(?:^|[=(\[{,:+]|\breturn|\byield)\s*[rRbBuUfF]{0,2}$")


@lru_cache(maxsize=256)
def _named(name: str, first_line: str) -> str:
    """Alias of the lexer for a file of this name; empty: none."""
    found = find_lexer_class_for_filename(name)
    if found is not None:
        return str(found.aliases[0]) if found.aliases else ""
    program = re.match(r"#!\s*\S*?(?:/env\s+)?([a-z]+)[\d.]*\s*$", first_line)
    return _PROGRAMS.get(program[1], "") if program else ""


@lru_cache(maxsize=64)
def _lexer(alias: str) -> Lexer | None:
    try:
        return get_lexer_by_name(alias, stripnl=False, ensurenl=False) if alias else None
    except ClassNotFound:
        return None


def _class(kind: _TokenType) -> str:
    return next((name for family, name in _CLASSES if kind[: len(family)] == family), "")


Run = tuple[str, str]
"""a class name (or "") and the text that has it"""


def _coloured(text: str, alias: str) -> list[list[Run]]:
    """Runs of each line. A token over several lines has a run in each of them."""
    lexer = _lexer(alias)
    if lexer is None or len(text) > LONGEST:
        return [[("", line)] if line else [] for line in text.split("\n")]
    lines: list[list[Run]] = [[]]
    for kind, value in lexer.get_tokens(text):
        name = _class(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((name, piece))
    return [[(name, "".join(p for _, p in run)) for name, run in groupby(line, itemgetter(0))] for line in lines]


def run_html(run: Run) -> str:
    name, text = run
    html = shown_html(text)
    return f'<span class="{name}">{html}</span>' if name else html


def _safe_start(before: list[str]) -> int:
    """Index into `before` of the line to lex from: the last unindented statement that has 40 lines to settle."""
    for index in range(max(0, len(before) - 40), -1, -1):
        if index < len(before) and _STATEMENT.match(before[index]):
            return index
    return 0


def _opened(text: str, alias: str) -> str:
    """What must stand before a page that starts inside a comment or a string, judged by the page alone."""
    if alias in ("python", "python3"):
        quote = _TRIPLE.search(text)
        if quote:
            line = text[text.rfind("\n", 0, quote.start()) + 1 : quote.start()]
            rest = text[quote.end() :].split("\n", 1)[0].strip()
            alone = not line.strip() and not rest
            if not _OPENS.search(line) or (alone and len(_TRIPLE.findall(text)) % 2 and quote.start() > 0):
                return quote[0]
        return ""
    return "/*" if _COMMENT_CLOSES.match(text) else ""


@lru_cache(maxsize=512)
def code_runs(text: str, path: str, before: str = "", first_line: str = "") -> tuple[tuple[Run, ...], ...]:
    """Runs of each line of `text`, a page of `path`. `before`: the lines right before it, as many as are at hand."""
    alias = _named(PurePosixPath(path).name, first_line or (before or text).split("\n", 1)[0])
    lead = before.split("\n")[:-1] if before else []
    lead = lead[_safe_start(lead) :]
    opened = "" if lead or not alias else _opened(text, alias)
    prefix = "".join(f"{line}\n" for line in lead) + (f"{opened}\n" if opened else "")
    return tuple(tuple(line) for line in _coloured(prefix + text, alias)[prefix.count("\n") :])


def code_lines(text: str, path: str, before: str = "", first_line: str = "") -> list[SafeString]:
    """HTML of each line."""
    lines = code_runs(text, path, before, first_line)
    return [mark_safe("".join(map(run_html, line))) for line in lines]  # noqa: S308 - every run is escaped


def highlight_block(text: str, language: str) -> SafeString:
    """A fenced block of Markdown in the language that it names."""
    lines = _coloured(text.rstrip("\n"), language.lower())
    return mark_safe("\n".join("".join(map(run_html, line)) for line in lines))  # noqa: S308 - every run is escaped


@register.filter
def highlighted(text: object, language: str) -> SafeString:
    return highlight_block(str(text or ""), language)


_NUMBERED = re.compile(r" *(\d+)\| ?")


def split_numbered(content: str, offset: int) -> tuple[list[int], list[str]]:
    """Line numbers and texts of a content that carries its numbers (`     1| import os`), or doesn't."""
    lines = content.split("\n")
    if not lines[-1]:
        lines.pop()
    heads = [_NUMBERED.match(line) for line in lines]
    if all(heads):
        numbers = [int(head[1]) for head in heads if head]
        return numbers, [line[head.end() :] for line, head in zip(lines, heads, strict=True) if head]
    return list(range(offset + 1, offset + 1 + len(lines))), lines


def code_rows(
    text: str, path: str, numbers: Sequence[int], *, before: str = "", anchors: bool = False, hits: Container[int] = ()
) -> SafeString:
    """A table row a line. `anchors`: each is the target of `#L<number>`."""
    rows = [
        f"<tr{f' id="L{number}"' if anchors else ''}{' class="hit"' if number in hits else ''}>"
        f'<td class="ln" data-n="{number}"></td><td>{html}</td></tr>'
        for number, html in zip(numbers, code_lines(text, path, before), strict=False)
    ]
    return mark_safe("".join(rows))  # noqa: S308 - numbers, and lines that are escaped
