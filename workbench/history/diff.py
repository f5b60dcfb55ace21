"""Line diffs with word-level marks, in types of our own that the timeline, the queue, the history and a conflict draw.

d = diff(before, after, old_path="a.py", new_path="a.py")
for hunk in d.hunks:
    for row in hunk.rows: …
context_rows(before, after, 40, 60)      # unchanged rows between hunks, by line numbers of the new side
with_words(d.hunks[7])                   # marks for a hunk beyond the ones that are marked at once
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from workbench.files.decode import Decoded, binary_type, decode
from workbench.files.lines import eol
from workbench.history.changes import Block, TooHard, blocks, grouped
from workbench.history.merge import wide
from workbench.history.moved import moved
from workbench.history.words import partners

Eol = Literal["\n", "\r\n", ""]
MARKED = 600
"""changed rows that get word marks at once; the rest on demand by `with_words`"""
ROWS = 50_000
_SECTION = re.compile(r"[^\W\d]|\$")
_LOOK_BACK = 2_000


@dataclass(frozen=True)
class Row:
    """One line of a hunk."""

    kind: Literal[" ", "+", "-"]
    old_no: int | None
    new_no: int | None
    text: str
    """without its line end; bytes that do not decode show as U+FFFD"""
    marks: tuple[tuple[int, int], ...] = ()
    """changed spans [start, end) inside `text`, when a partner line was found"""
    eol: Eol = "\n"
    """"" = no newline at the end of the file"""
    note: Literal["", "whitespace", "eol", "moved"] = ""
    """whitespace: differs from its partner in blanks only; eol: in its line end only; moved: the same lines are on the
    other side elsewhere"""


@dataclass(frozen=True)
class Hunk:
    old_start: int
    """as in `@@ -old_start,old_lines +new_start,new_lines @@ section`"""
    old_lines: int
    new_start: int
    new_lines: int
    section: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Diff:
    old_path: str
    """"" when it did not exist before"""
    new_path: str
    """"" when it does not exist after; differs from `old_path` when it was renamed"""
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    binary: bool = False
    """told by sizes only"""
    old_size: int = 0
    new_size: int = 0
    old_lines: int = 0
    """lines of the whole old side, for expanding context"""
    new_lines: int = 0
    old_mode: int | None = None
    new_mode: int | None = None
    """permission bits, both set when they differ"""
    eol_change: str = ""
    """e.g. `LF → CRLF`, when all line ends changed; the rows then show what else changed"""
    encoding_change: str = ""
    """e.g. `gb18030 → utf-8`, `BOM added`"""
    whitespace_only: bool = False
    cut: str = ""
    """what is not shown and why, "" when all is"""


def diff(
    old: bytes,
    new: bytes,
    *,
    old_path: str = "",
    new_path: str = "",
    old_mode: int | None = None,
    new_mode: int | None = None,
    context: int = 3,
    words: bool = True,
) -> Diff:
    """What changed from `old` to `new`."""
    if old_mode == new_mode or not old_mode or not new_mode:  # 0: there was or is no file
        old_mode = new_mode = None
    head = Diff(old_path, new_path, old_size=len(old), new_size=len(new), old_mode=old_mode, new_mode=new_mode)
    if _binary(old) or _binary(new):
        return replace(head, binary=True)
    left, right = decode(old), decode(new)
    a, b, eol_change = _sides(left, right)
    try:
        plain = not eol_change and _is_plain(left) and _is_plain(right)
        found = blocks(old, new) if plain else blocks(_bytes(a), _bytes(b))
    except TooHard:
        return replace(head, cut="The two contents differ too much to be compared line by line in time.")
    hunks, cut = _hunks(a, b, found, context)
    if words:
        hunks = _marked(_moved(hunks))
    return replace(
        head,
        hunks=tuple(hunks),
        added=sum(d - c for _, _, c, d in found),
        removed=sum(y - x for x, y, _, _ in found),
        old_lines=len(a),
        new_lines=len(b),
        eol_change=eol_change,
        encoding_change=_encodings(left, right) if old and new else "",
        whitespace_only=bool(found) and all(_blank_only(a[w:x], b[y:z]) for w, x, y, z in found),
        cut=cut,
    )


def context_rows(old: bytes, new: bytes, first: int, last: int) -> Sequence[Row]:
    """The unchanged rows first..last by line numbers (from 1) of the new side, to expand between hunks. Numbers that
    are out of range or changed give no row."""
    a, b, _ = _sides(decode(old), decode(new))
    edges = [(0, 0, 0, 0), *blocks(_bytes(a), _bytes(b)), (len(a), len(a), len(b), len(b))]
    found = []
    for before, after in pairwise(edges):
        shift = before[1] - before[3]
        for n in range(max(before[3], first - 1), min(after[2], last)):
            found.append(_row(" ", b[n], n + shift + 1, n + 1))  # noqa: PERF401 - two loops read better
    return found


def with_words(hunk: Hunk, *, most: int = 0) -> Hunk:
    """`hunk` with the changed spans of its lines; `most` > 0: of about so many of its first changed rows."""
    rows = list(hunk.rows)
    start = done = 0
    while start < len(rows) and not 0 < most <= done:
        end = start
        while end < len(rows) and rows[end].kind != " ":
            end += 1
        removed = [i for i in range(start, end) if rows[i].kind == "-"]
        added = [i for i in range(start, end) if rows[i].kind == "+"]
        if most:
            removed, added = removed[: most - done], added[: most - done]
        for r, d, left, right in partners([rows[i].text for i in removed], [rows[i].text for i in added]):
            i, j = removed[r], added[d]
            note = _note(rows[i], rows[j])
            rows[i] = replace(rows[i], marks=left, note=note or rows[i].note)
            rows[j] = replace(rows[j], marks=right, note=note or rows[j].note)
        done += len(removed) + len(added)
        start = max(end, start + 1)
    return replace(hunk, rows=tuple(rows))


def _binary(data: bytes) -> bool:
    return not wide(data) and binary_type(data) is not None


def _sides(left: Decoded, right: Decoded) -> tuple[list[str], list[str], str]:
    """The lines of both with their ends; where all ends changed, that is told once and left out of the lines."""
    names = {"lf": "LF", "crlf": "CRLF"}
    a, b = eol(left.text), eol(right.text)
    change = f"{names[a]} → {names[b]}" if a != b and a in names and b in names else ""
    texts = [t.replace("\r\n", "\n") if change else t for t in (left.text, right.text)]
    return _lines(texts[0]), _lines(texts[1]), change


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    last = parts.pop()
    return [p + "\n" for p in parts] + ([last] if last else [])


def _bytes(lines: list[str]) -> bytes:
    return "".join(lines).encode("utf-8", "surrogatepass")


def _is_plain(side: Decoded) -> bool:
    """The bytes have the same lines as the text."""
    return side.encoding.name == "utf-8" and not side.encoding.bom


def _encodings(left: Decoded, right: Decoded) -> str:
    a, b = left.encoding, right.encoding
    told = [f"{a.name} → {b.name}"] if a.name != b.name and not left.text.isascii() else []
    if bool(a.bom) != bool(b.bom):
        told.append("BOM added" if b.bom else "BOM removed")
    return ", ".join(told)


def _hunks(a: list[str], b: list[str], found: list[Block], context: int) -> tuple[list[Hunk], str]:
    groups = grouped(found, context)
    hunks: list[Hunk] = []
    rows = 0
    for n, group in enumerate(groups):
        if rows > ROWS:
            return hunks, f"{len(groups) - n:,} more changed places are not shown: the diff is very large."
        hunks.append(_hunk(a, b, group, context))
        rows += len(hunks[-1].rows)
    return hunks, ""


def _hunk(a: list[str], b: list[str], group: list[Block], context: int) -> Hunk:
    x, c = group[0][0], group[0][2]
    before = min(context, x)
    y, d = group[-1][1], group[-1][3]
    after = min(context, len(a) - y)
    rows: list[Row] = []
    i, j = x - before, c - before
    for w, x2, y2, z in [*group, (y + after, y + after, d + after, d + after)]:
        rows += [_row(" ", b[j + k], i + k + 1, j + k + 1) for k in range(w - i)]
        rows += [_row("-", a[k], k + 1, None) for k in range(w, x2)]
        rows += [_row("+", b[k], None, k + 1) for k in range(y2, z)]
        i, j = x2, z
    old_lines, new_lines = y + after - x + before, d + after - c + before
    return Hunk(
        x - before + bool(old_lines), old_lines, c - before + bool(new_lines), new_lines,
        section(a, x - before), tuple(rows),
    )  # fmt: skip


def section(lines: Sequence[str], before: int) -> str:
    """The nearest line above that begins a definition: not indented, as in git."""
    for n in range(before - 1, max(-1, before - 1 - _LOOK_BACK), -1):
        if _SECTION.match(lines[n]):
            return _shown(lines[n].rstrip())[:80]
    return ""


def _row(kind: Literal[" ", "+", "-"], line: str, old_no: int | None, new_no: int | None) -> Row:
    end: Eol = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
    return Row(kind, old_no, new_no, _shown(line[: len(line) - len(end)]), eol=end)


def _shown(text: str) -> str:
    """Lone surrogates, which stand for undecodable bytes, as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _moved(hunks: list[Hunk]) -> list[Hunk]:
    flags = moved((row.kind, row.text) for hunk in hunks for row in hunk.rows)
    if not flags:
        return hunks
    done, at = [], 0
    for hunk in hunks:
        rows = [replace(row, note="moved") if at + i in flags else row for i, row in enumerate(hunk.rows)]
        done.append(replace(hunk, rows=tuple(rows)))
        at += len(rows)
    return done


def _marked(hunks: list[Hunk]) -> list[Hunk]:
    done: list[Hunk] = []
    left = MARKED
    for hunk in hunks:
        done.append(with_words(hunk, most=left) if left > 0 else hunk)
        left -= sum(row.kind != " " for row in hunk.rows)
    return done


def _note(removed: Row, added: Row) -> Literal["", "whitespace", "eol"]:
    if removed.text == added.text:
        return "eol" if removed.eol != added.eol else ""
    return "whitespace" if "".join(removed.text.split()) == "".join(added.text.split()) else ""


def _blank_only(removed: list[str], added: list[str]) -> bool:
    return "".join("".join(removed).split()) == "".join("".join(added).split())
