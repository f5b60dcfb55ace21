"""Source text as highlighted HTML, a page at a time, line by line.

The lexer comes from the file's name (or the program its first line names), never from a guess at the content. Pages
are cached by what they contain. A page that starts in the middle of a file is lexed together with the lines before it
(`before`), from a line where a statement can start; when they are not at hand and the page starts inside a comment or a
string, that is taken from the page itself.
"""

import re
from functools import lru_cache
from itertools import groupby
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
    return next((name for family, name in _CLASSES if kind in family), "")


def _coloured(text: str, alias: str) -> list[str]:
    """HTML of each line. A token over several lines is closed and opened again at each line end."""
    lexer = _lexer(alias)
    if lexer is None or len(text) > LONGEST:
        return [shown_html(line) for line in text.split("\n")]
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, value in lexer.get_tokens(text):
        name = _class(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((name, piece))
    return ["".join(_run(name, "".join(p for _, p in run)) for name, run in groupby(line, _first)) for line in lines]


def _first(run: tuple[str, str]) -> str:
    return run[0]


def _run(name: str, text: str) -> str:
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
def code_lines(text: str, path: str, before: str = "", first_line: str = "") -> tuple[SafeString, ...]:
    """HTML of each line of `text`, a page of `path`. `before`: the lines right before it, as many as are at hand."""
    alias = _named(PurePosixPath(path).name, first_line or (before or text).split("\n", 1)[0])
    lead = before.split("\n")[:-1] if before else []
    lead = lead[_safe_start(lead) :]
    opened = "" if lead or not alias else _opened(text, alias)
    prefix = "".join(f"{line}\n" for line in lead) + (f"{opened}\n" if opened else "")
    coloured = _coloured(prefix + text, alias)[prefix.count("\n") :]
    return tuple(mark_safe(line) for line in coloured)  # noqa: S308 - every piece is escaped


def highlight_block(text: str, language: str) -> SafeString:
    """A fenced block of Markdown in the language that it names."""
    return mark_safe("\n".join(_coloured(text.rstrip("\n"), language.lower())))  # noqa: S308 - every piece is escaped


@register.filter
def highlighted(text: object, language: str) -> SafeString:
    return highlight_block(str(text or ""), language)
