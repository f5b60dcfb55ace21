"""The inverse of recorded changes, worked out against what is there now. Pure: contents come in, an answer goes out.

* What the change left is still there: what was before comes back, byte for byte.
* Something else is there: the inverse is merged into it three-way; where that overlaps it is a conflict.
* Permission bits go back only when the change changed them and nobody has since.
* Content that is not kept is a refusal, never `there was no file`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workbench.files import Refused
from workbench.history.merge import Conflict, merge
from workbench.history.states import State
from workbench.history.store import Damaged, Store

Action = Literal["restore", "merge", "already", "conflict", "refused", "ask"]
Read = Callable[[State], bytes]
"""bytes of a state; raises Damaged when they are not kept"""


@dataclass(frozen=True)
class Edge:
    """One change, or several that follow one another without a gap, as its two ends."""

    before: State
    after: State
    theirs: bytes | None = None
    """what to go back to when only some hunks are taken back; then `before` is not looked at"""


@dataclass(frozen=True)
class Image:
    """A state with its content."""

    state: State
    data: bytes = b""


@dataclass(frozen=True)
class Answer:
    action: Action
    image: Image
    """what will be there; what is there, when nothing is to be done"""
    message: str = ""
    needs: Literal["", "recreate"] = ""
    base: bytes | None = None
    theirs: bytes | None = None
    conflicts: tuple[Conflict, ...] = ()


def joined(edges: Sequence[Edge]) -> list[Edge]:
    """Edges that follow one another without a gap as one, so that a file's own intermediate states are no conflict."""
    found: list[Edge] = []
    for edge in edges:
        last = found[-1] if found else None
        if last and last.theirs is None and edge.theirs is None and last.after.same_as(edge.before):
            found[-1] = Edge(last.before, edge.after)
        else:
            found.append(edge)
    return found


def undo(edges: Sequence[Edge], now: Image, read: Read, *, recreate: bool = False) -> Answer:
    """Take the edges (oldest first) back, newest first, starting from what is there."""
    image, merged, told = now, False, ""
    for edge in reversed(joined(edges)):
        if edge.theirs is None and edge.before.same_as(edge.after):
            continue
        try:
            step = _undo_one(edge, image, read, recreate=recreate)
        except Damaged as e:
            return Answer("refused", now, e.message)
        if step.action in ("conflict", "refused", "ask"):
            return step
        merged |= step.action == "merge"
        told = step.message or told
        image = step.image
    if image.state.same_as(now.state):
        return Answer("already", now, told or "It is as it was before the change; there is nothing to take back.")
    return Answer("merge" if merged else "restore", image, told)


def _undo_one(edge: Edge, now: Image, read: Read, *, recreate: bool) -> Answer:
    before, after, there = edge.before, edge.after, now.state
    if edge.theirs is not None:
        return _merge(edge, now, read)
    if there.same_content(after):
        return Answer("restore", _back(edge, now, read))
    if there.same_content(before):
        mode = before.mode if _mode_is_ours(edge, there) else there.mode
        return Answer("restore", replace(now, state=replace(there, mode=mode)))
    if there.kind == "absent":
        return _gone(edge, now, read, recreate=recreate)
    if there.kind != "file":
        what = {"folder": "a folder", "link": "a symbolic link"}.get(there.kind, "a special file")
        return Answer("refused", now, f"{what.capitalize()} lies there now; it is left as it is.")
    if before.kind == after.kind == "file":
        return _merge(edge, now, read)
    base = read(after) if after.kind == "file" else None
    theirs = read(before) if before.kind == "file" else None
    why = (
        "The change made this file, and it was edited since; taking it back would lose those edits."
        if before.kind == "absent"
        else "The change took away what was here, and another file lies here now."
    )
    return Answer("conflict", now, why, base=base, theirs=theirs)


def _back(edge: Edge, now: Image, read: Read) -> Image:
    """What was before, the content being what the change left."""
    before = edge.before
    if before.kind == "file" and edge.after.kind == "file":
        mode = before.mode if _mode_is_ours(edge, now.state) else now.state.mode
        same = before.sha256 == edge.after.sha256
        return Image(replace(before, mode=mode), now.data if same else read(before))
    return Image(before, read(before) if before.kind in ("file", "link") else b"")


def _mode_is_ours(edge: Edge, there: State) -> bool:
    return edge.before.mode != edge.after.mode and there.mode == edge.after.mode


def _gone(edge: Edge, now: Image, read: Read, *, recreate: bool) -> Answer:
    """Someone deleted or renamed what the change left."""
    if edge.before.kind == "absent":
        return Answer("already", now, "The file that the change made is gone already.")
    if not recreate and edge.after.kind != "folder":
        return Answer(
            "ask", now, "The file is no longer there. Bring it back as it was before the change?", needs="recreate"
        )
    return Answer("restore", Image(edge.before, read(edge.before)), "The file was gone; it is brought back.")


def _merge(edge: Edge, now: Image, read: Read) -> Answer:
    base = read(edge.after)
    theirs = read(edge.before) if edge.theirs is None else edge.theirs
    if now.state.kind != "file":
        return Answer("refused", now, "There is no plain file here now, so single hunks cannot be taken back.")
    found = merge(base, theirs, now.data)
    if found.data is None:
        why = (
            "The content is binary and was changed again since, so the two changes cannot be told apart."
            if found.binary
            else "The two contents differ too much to be merged line by line."
            if found.too_hard
            else f"{len(found.conflicts)} place(s) of the change were edited again since, or lie right beside an edit."
        )
        return Answer("conflict", now, why, base=base, theirs=theirs, conflicts=found.conflicts)
    there = now.state
    mode = edge.before.mode if edge.theirs is None and _mode_is_ours(edge, there) else there.mode
    state = State("file", Store.name(found.data), len(found.data), mode)
    exact = edge.theirs is not None and there.same_content(edge.after)
    return Answer("restore" if exact else "merge", Image(state, found.data))


def reader(store: Store) -> Read:
    """How contents come from a store."""

    def read(state: State) -> bytes:
        if not state.stored:
            raise Damaged(state.sha256, "it was left out of the history by a rule or its size, or has been removed")
        return store.get(state.sha256)

    return read


__all__ = ["Action", "Answer", "Edge", "Image", "Read", "Refused", "joined", "reader", "undo"]
