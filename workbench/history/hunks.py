"""Single hunks of a change, numbered as `diff` shows them."""

from collections.abc import Collection

from workbench.files import Refused
from workbench.history.changes import TooHard, blocks, grouped, lines_of
from workbench.history.diff import diff


def without_hunks(before: bytes, after: bytes, hunks: Collection[int], *, context: int = 3) -> bytes:
    """`after` with these hunks as they were in `before`.

    Refused `bad_args` when there is no such hunk, `unsupported` when hunks do not stand for bytes of their own.
    """
    shown = diff(before, after, context=context, words=False)
    if shown.binary or shown.cut or shown.eol_change or shown.encoding_change:
        raise Refused("unsupported", "This change cannot be taken apart; take the whole change back.")
    try:
        groups = grouped(blocks(before, after), context)
    except TooHard:
        raise Refused("unsupported", "This change is too large to take apart; take the whole change back.") from None
    if len(groups) != len(shown.hunks):
        raise Refused("unsupported", "This change cannot be taken apart; take the whole change back.")
    if wrong := [h for h in hunks if not 0 <= h < len(groups)]:
        raise Refused("bad_args", f"There is no hunk {wrong[0]}: the change has {len(groups)}, counted from 0.")
    old, new = lines_of(before), lines_of(after)
    out: list[bytes] = []
    at = 0
    for n, group in enumerate(groups):
        for a, b, c, d in group if n in hunks else ():
            out += new[at:c]
            out += old[a:b]
            at = d
    return b"".join(out + new[at:])
