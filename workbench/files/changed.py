"""What changed between two contents of a file, in a few lines for a message."""

import difflib

from workbench.files import Refused, lines
from workbench.files.decode import decode

_LINES, _CHARS, _COMPARED = 30, 2000, 400


def last_line(content: bytes) -> int:
    """How many lines a file has; where it is no text, more than anyone has seen."""
    try:
        return lines.count(decode(content).text)
    except Refused:
        return content.count(b"\n") + 1


def changed_lines(before: bytes, now: bytes) -> str:
    """A short unified diff; "" when there is none to show."""
    try:
        old, new = lines.split(decode(before).view), lines.split(decode(now).view)
    except Refused:
        return ""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if max(len(old), len(new)) - head - tail > _COMPARED:
        return f"lines {head + 1} to {len(old) - tail} became lines {head + 1} to {len(new) - tail}"
    start = max(0, head - 2)
    diff = difflib.unified_diff(
        old[start : len(old) - max(0, tail - 2)], new[start : len(new) - max(0, tail - 2)], n=2, lineterm=""
    )
    shown = [_renumbered(line, start) for line in list(diff)[2:]]
    text = "\n".join(line[:200] for line in shown[:_LINES])[:_CHARS]
    return text + ("\n…" if len(shown) > _LINES else "")


def _renumbered(line: str, start: int) -> str:
    """A hunk header whose numbers count from the top of the file."""
    if not line.startswith("@@"):
        return line
    _, old, new, _ = line.split(" ")
    sides = []
    for side in (old, new):
        first, _, count = side[1:].partition(",")
        sides.append(f"{side[0]}{int(first) + start}" + (f",{count}" if count else ""))
    return f"@@ {sides[0]} {sides[1]} @@"
