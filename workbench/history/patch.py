"""Unified diffs as text for the model and as bytes that `git apply` takes."""

import base64
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched

from workbench.files.decode import decode
from workbench.history.changes import Block, TooHard, blocks, grouped, lines_of
from workbench.history.diff import section
from workbench.history.merge import is_binary

CONTEXT = 3
_QUOTED = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


@dataclass(frozen=True)
class Side:
    """One end of a change, as git sees it."""

    data: bytes
    mode: str = "100644"
    """100644, 100755 or 120000 (a link, `data` being its target)"""


def git_mode(kind: str, mode: int) -> str:
    """Git's mode of a state: it knows only plain, executable and link."""
    return "120000" if kind == "link" else "100755" if mode & 0o100 else "100644"


def unified(old: bytes, new: bytes, path: str, *, context: int = CONTEXT, limit: int = 0) -> str:
    """The diff of one text file for the model, `--- a/path` and `+++ b/path` with it.

    `limit` > 0: at most about so many characters; what is cut is told by a last line.
    """
    if old == new:
        return ""
    if is_binary(old) or is_binary(new):
        return f"Binary file {path} changed: {len(old):,} -> {len(new):,} bytes.\n"
    texts = [decode(side).view.encode("utf-8", "replace") for side in (old, new)]
    lines: list[str] = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    size = 0
    body = [line.decode("utf-8", "replace") for line in _body(texts[0], texts[1], context)]
    for n, line in enumerate(body):
        size += len(line)
        if limit and size > limit:
            lines.append(f"[… {len(body) - n:,} more lines of this diff are not shown …]\n")
            break
        lines.append(line)
    return "".join(lines)


def file_patch(path: str, old: Side | None, new: Side | None) -> bytes:
    """The patch of one path, None where there is no file. b"" when nothing changed."""
    if old == new:
        return b""
    if old and new and (old.mode == "120000") != (new.mode == "120000"):
        return file_patch(path, old, None) + file_patch(path, None, new)
    a, b = _quoted("a/" + path), _quoted("b/" + path)
    before, after = old.data if old else b"", new.data if new else b""
    head = [b"diff --git %s %s\n" % (a, b)]
    if not old and new:
        head.append(f"new file mode {new.mode}\n".encode())
    elif old and not new:
        head.append(f"deleted file mode {old.mode}\n".encode())
    elif old and new and old.mode != new.mode:
        head.append(f"old mode {old.mode}\nnew mode {new.mode}\n".encode())
    if before == after:
        return b"".join(head)
    same_mode = f" {old.mode}" if old and new and old.mode == new.mode else ""
    head.append(f"index {_blob(old)}..{_blob(new)}{same_mode}\n".encode())
    if b"\0" in before or b"\0" in after:
        return b"".join(head) + b"GIT binary patch\n" + _literal(after) + b"\n" + _literal(before) + b"\n"
    names = [b"--- %s\n" % (a if old else b"/dev/null"), b"+++ %s\n" % (b if new else b"/dev/null")]
    return b"".join([*head, *names, *_body(before, after, CONTEXT)])


def _body(old: bytes, new: bytes, context: int) -> Iterator[bytes]:
    a, b = lines_of(old), lines_of(new)
    try:
        found = blocks(old, new)
    except TooHard:
        found = [(0, len(a), 0, len(b))]
    for group in grouped(found, context):
        yield from _hunk(a, b, group, context)


def _hunk(a: list[bytes], b: list[bytes], group: list[Block], context: int) -> Iterator[bytes]:
    x, y, c, d = group[0][0], group[-1][1], group[0][2], group[-1][3]
    lead, trail = min(context, x), min(context, len(a) - y)
    counts = y + trail - x + lead, d + trail - c + lead
    starts = x - lead + bool(counts[0]), c - lead + bool(counts[1])
    ranges = [f"{s},{n}" if n != 1 else f"{s}" for s, n in zip(starts, counts, strict=True)]
    name = section([line.decode("latin-1") for line in a[max(0, x - lead - 500) : x - lead]], min(500, x - lead))
    yield f"@@ -{ranges[0]} +{ranges[1]} @@{' ' + name if name else ''}\n".encode("latin-1")
    i = x - lead
    for w, x2, y2, z in [*group, (y + trail, y + trail, 0, 0)]:
        yield from _prefixed(b" ", a[i:w])
        yield from _prefixed(b"-", a[w:x2])
        yield from _prefixed(b"+", b[y2:z])
        i = x2


def _prefixed(sign: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


def _blob(side: Side | None) -> str:
    if side is None:
        return "0" * 40
    return hashlib.sha1(b"blob %d\0" % len(side.data) + side.data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> bytes:
    """A whole content in git's binary patch format: lines of up to 52 bytes, the first character telling how many."""
    packed = zlib.compress(data)
    out = [b"literal %d\n" % len(data)]
    for piece in batched(packed, 52):
        n = len(piece)
        out.append(bytes([n + 64 if n <= 26 else n + 70]) + base64.b85encode(bytes(piece), pad=True) + b"\n")
    return b"".join(out)


def _quoted(name: str) -> bytes:
    """A path as git writes it: in quotes, with escapes, when it has bytes that could be misread."""
    raw = name.encode("utf-8", "surrogateescape")
    if all(32 <= c < 127 and c not in b'"\\' for c in raw):
        return raw
    told = "".join(_QUOTED.get(c) or (chr(c) if 32 <= c < 127 else f"\\{c:03o}") for c in raw)
    return f'"{told}"'.encode()
