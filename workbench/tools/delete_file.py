"""delete_file: remove one file, in a way that it can come back."""

import os

from pydantic import Field

from workbench.files import Refused, atomic
from workbench.files.decode import decode
from workbench.files.fence import Access, Place
from workbench.history import writing
from workbench.policy.call import Effect, Verb
from workbench.policy.rules import path_effects
from workbench.tools import Args, Context, Result, Tool

SHOWN = 200_000
"""bytes of a file up to which the result shows what it held"""


class DeleteArgs(Args):
    path: str = Field(description="File or symbolic link in the workspace, relative to its root.")


class DeleteFile(Tool):
    """Delete one file. Use this instead of rm: a person is asked, and the file can be brought back from the history.

    A symbolic link is removed itself, not what it leads to. Folders are refused; name their files.
    """

    Args = DeleteArgs

    def effects(self, args: DeleteArgs, ctx: Context) -> tuple[Effect, ...]:
        place = _place(args, ctx)
        why = ctx.history.unkept(place)
        detail = f"it cannot be brought back: {why}" if why else "it can be brought back"
        marks = [e for e in path_effects(place.rel, "write") if e.verb is not Verb.WRITE_WS]
        return (Effect(Verb.DELETE, place.rel, detail), *marks)

    def run(self, args: DeleteArgs, ctx: Context) -> Result:
        place = _place(args, ctx)
        held = _held(ctx, place)
        with ctx.history.before(place, anyway=True) as pending:
            if pending.before.kind == "absent":
                raise writing.missing(ctx.fence, args.path)
            parent, name = ctx.fence.open_parent(place)
            try:
                atomic.delete(parent, name, rel=place.rel, expect=pending.before.sha256)
            finally:
                os.close(parent)
            version = pending.done()
        note = ctx.seen.forget(place.rel)
        data = {"path": place.rel, "deleted": True, "size_bytes": pending.before.size}
        if held:
            data["diff"] = writing.text_diff(held, "", place.rel)
        return Result(data, {"versions": [version.id], "seen": [note]})


def _place(args: DeleteArgs, ctx: Context) -> Place:
    """The file or the link itself. Refused when it is neither, or a link that leads where nothing may be written."""
    target = ctx.fence.resolve(args.path)
    place = ctx.fence.resolve(args.path, follow=False)
    for rel in (target.rel, place.rel):
        ctx.fence.check(rel, Access.WRITE)
    if place.kind == "absent":
        raise writing.missing(ctx.fence, args.path)
    if place.kind == "folder":
        raise Refused("is_directory", f"{place.rel} is a folder. Delete the files in it one by one.", path=place.rel)
    if target.kind not in ("file", "folder", "absent"):
        raise Refused("device", f"{target.rel} is a {target.kind}, not a file, so it was left alone.", path=place.rel)
    return place


def _held(ctx: Context, place: Place) -> str:
    """The text that the file holds, "" for a link, a credential, and for what is large or no text."""
    if place.kind == "link" or any(e.verb is Verb.SECRET for e in path_effects(place.rel, "read")):
        return ""
    data = writing.read(ctx.fence, place) or b""
    try:
        return decode(data).view if len(data) <= SHOWN else ""
    except Refused:
        return ""


tool = DeleteFile()
