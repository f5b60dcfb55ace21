"""Which lines changed: the changed blocks between two contents, by git's own line diff (xdiff).

Small contents are compared right here. The library keeps the interpreter to itself while it works, so that large ones
go to a process of their own (`history/worker.py`), which is also given up when one pair takes too long.
"""

from typing import cast

import pygit2
from pygit2.enums import DiffOption

from workbench.history.worker import Worker

Block = tuple[int, int, int, int]
"""old lines [a, b) became new lines [c, d); lines are counted from 0, and each side has the unchanged lines between two
blocks alike"""

LARGE = 20_000
"""lines of both sides together from which the work leaves this process"""
SECONDS = 20.0
"""time for one pair in the worker"""
_FLAGS = DiffOption.FORCE_TEXT | DiffOption.SKIP_BINARY_CHECK

_worker = Worker("workbench.history.changes")


class TooHard(Exception):
    """The two contents differ in a way that takes too long to sort out."""


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends; `b"".join` gives `data` back."""
    parts = data.split(b"\n")
    last = parts.pop()
    found = [p + b"\n" for p in parts]
    if last:
        found.append(last)
    return found


def blocks(old: bytes, new: bytes) -> list[Block]:
    """The changed blocks in order, never touching one another. Raises TooHard."""
    if old == new:
        return []
    if old.count(b"\n") + new.count(b"\n") < LARGE:
        return compare(old, new)
    answer = _worker.ask(old, new, seconds=SECONDS)
    if answer is None:
        raise TooHard
    return cast("list[Block]", answer)


def grouped(found: list[Block], context: int) -> list[list[Block]]:
    """The blocks of each hunk: those with at most twice `context` unchanged lines between them share one."""
    groups: list[list[Block]] = []
    for block in found:
        if groups and block[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def compare(old: bytes, new: bytes) -> list[Block]:
    """`blocks`, here and now. `old` and `new` are parameters, so they outlive the patch that points into them."""
    patch = pygit2.Patch.create_from(old, new, flag=_FLAGS, context_lines=0, interhunk_lines=0)
    found = []
    for hunk in patch.hunks:
        a = hunk.old_start - bool(hunk.old_lines)
        c = hunk.new_start - bool(hunk.new_lines)
        found.append((a, a + hunk.old_lines, c, c + hunk.new_lines))
    return found


if __name__ == "__main__":
    Worker.serve(compare)
