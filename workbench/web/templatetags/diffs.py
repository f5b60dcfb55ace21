"""Diffs as table rows: highlighted, with the changed words marked.

Rows are joined in Python: in a template loop a long diff takes ten times as long. The page lays them out side by side
(`static/parts/diff.js`) from the same rows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal

from django import template
from django.utils.safestring import SafeString, mark_safe

from workbench.history.diff import Diff, Hunk, Row, diff, with_words
from workbench.web.templatetags.code import Run, code_runs, run_html
from workbench.web.templatetags.shown import shown_html

register = template.Library()

_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS = {"+": ("a", '<span class="sr">added </span>+'), "-": ("d", '<span class="sr">removed </span>−'), " ": ("", "")}
_NOTES = {"whitespace": "blanks only", "eol": "line end only", "moved": "moved"}


def parse(text: str) -> Diff:
    """A unified diff of one file, as a tool result carries it, in the types of `history.diff`."""
    old_path = new_path = cut = ""
    hunks: list[Hunk] = []
    rows: list[Row] = []
    old_no = new_no = 0
    for line in text.removesuffix("\n").split("\n"):
        head = _HEAD.match(line)
        if head:
            old_no, new_no = int(head[1]), int(head[3])
            rows = []
            hunks.append(Hunk(old_no, int(head[2] or 1), new_no, int(head[4] or 1), head[5], ()))
        elif not hunks:
            old_path, new_path = _path(line, "--- ", old_path), _path(line, "+++ ", new_path)
            continue
        elif line[:1] in ("+", "-", " "):
            kind: Literal[" ", "+", "-"] = line[0]  # type: ignore[assignment]  # one of the three
            end: Literal["\n", "\r\n"] = "\r\n" if line.endswith("\r") else "\n"
            numbers = None if kind == "+" else old_no, None if kind == "-" else new_no
            rows.append(Row(kind, *numbers, line[1:].removesuffix("\r"), eol=end))
            old_no, new_no = old_no + (kind != "+"), new_no + (kind != "-")
        elif line.startswith("\\") and rows:
            last = rows[-1]
            rows[-1] = Row(last.kind, last.old_no, last.new_no, last.text, last.marks, "")
        else:
            cut = line
        at = hunks[-1]
        hunks[-1] = Hunk(at.old_start, at.old_lines, at.new_start, at.new_lines, at.section, tuple(rows))
    signs = [row.kind for hunk in hunks for row in hunk.rows]
    return Diff(old_path, new_path, tuple(map(with_words, hunks)), signs.count("+"), signs.count("-"), cut=cut)


def _path(line: str, mark: str, known: str) -> str:
    if not line.startswith(mark):
        return known
    name = line.removeprefix(mark)
    return "" if name == "/dev/null" else name.removeprefix("a/").removeprefix("b/")


@register.filter
def unified(text: object) -> Diff:
    return parse(str(text or ""))


@register.simple_tag
def replaced(path: object, old: object, new: object) -> Diff:
    """The whole of two texts as a diff: what an edit that is asked for would replace by what."""
    name = str(path or "")
    before, after = str(old or "").encode("utf-8", "replace"), str(new or "").encode("utf-8", "replace")
    return diff(before, after, old_path=name, new_path=name, context=100_000)


@register.simple_tag
def diff_rows(shown: Diff, *, head: bool = True) -> SafeString:
    """All rows of the table."""
    return mark_safe("".join(hunk_rows(hunk, shown, head=head) for hunk in shown.hunks))  # noqa: S308 - escaped below


def hunk_rows(hunk: Hunk, shown: Diff, *, head: bool = True) -> str:
    """The rows of one hunk; with `head` the one that says where it stands."""
    where = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
    title = f'<tr class="x"><td colspan="4"><code>{where}</code> <span>{shown_html(hunk.section)}</span></td></tr>'
    rows = map(_row, hunk.rows, _cells(hunk, shown.new_path or shown.old_path))
    return "".join([title, *rows] if head else rows)


def _cells(hunk: Hunk, path: str) -> list[str]:
    """HTML of each row's text: each side of the hunk is highlighted as one piece of code."""
    coloured: dict[int, Sequence[Run]] = {}
    for skip in "-+":
        side = [(number, row) for number, row in enumerate(hunk.rows) if row.kind != skip]
        lines = code_runs("\n".join(row.text for _, row in side), path)
        coloured |= {number: line for (number, _), line in zip(side, lines, strict=False)}
    return [_cell(row, coloured.get(number, ())) for number, row in enumerate(hunk.rows)]


def _cell(row: Row, runs: Iterable[Run]) -> str:
    pieces, at = [], 0
    for name, text in runs:
        for start, end, marked in _cuts(at, at + len(text), row.marks):
            pieces.append((marked, (name, text[start - at : end - at])))
        at += len(text)
    html = []
    for marked, group in groupby(pieces, lambda piece: piece[0]):
        inner = "".join(run_html(run) for _, run in group)
        html.append(f"<mark>{inner}</mark>" if marked else inner)
    indent = row.text[: len(row.text) - len(row.text.lstrip(" \t"))]
    body = "".join(html)
    if indent and body.startswith(indent):
        body = body[len(indent) :]
    else:
        indent = ""
    note = _NOTES.get(row.note, "") or ("" if row.eol else "no line end")
    return f'{indent}<span class="tx">{body}</span>' + (f' <small class="nt">{note}</small>' if note else "")


def _cuts(start: int, end: int, marks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """[start, end) in pieces that lie wholly inside or outside the marks."""
    edges = sorted({start, end, *(edge for mark in marks for edge in mark if start < edge < end)})
    for left, right in pairwise(edges):
        yield left, right, any(first <= left < last for first, last in marks)


def _row(row: Row, cell: str) -> str:
    css, sign = _SIGNS[row.kind]
    numbers = "".join(f'<td class="ln" data-n="{"" if n is None else n}"></td>' for n in (row.old_no, row.new_no))
    return f'<tr{css and f' class="{css}"'}>{numbers}<td class="m">{sign}</td><td class="c">{cell}</td></tr>'
