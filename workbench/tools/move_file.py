"""move_file: another name for one file."""

import os
from contextlib import ExitStack

from pydantic import Field

from workbench.files import Refused, atomic
from workbench.files.fence import Access, Place
from workbench.history import writing
from workbench.policy.call import Effect
from workbench.policy.rules import path_effects
from workbench.tools import Args, Context, Result, Tool


class MoveArgs(Args):
    source: str = Field(description="File or symbolic link in the workspace, relative to its root.")
    destination: str = Field(description="Its new path, with the file's name. Missing folders are made.")


class MoveFile(Tool):
    """Move or rename one file. Use this instead of mv: it never overwrites, and the history can take it back.

    Give the whole new path, not only a folder. Folders themselves are refused; move their files.
    """

    Args = MoveArgs

    def effects(self, args: MoveArgs, ctx: Context) -> tuple[Effect, ...]:
        source, destination = _places(args, ctx)
        return (*path_effects(source.rel, "write"), *path_effects(destination.rel, "write"))

    def run(self, args: MoveArgs, ctx: Context) -> Result:
        source, destination = _places(args, ctx)
        with ExitStack() as stack:
            # in one order for everyone, so that two moves in opposite directions do not wait for each other
            pending = {
                place.rel: stack.enter_context(ctx.history.before(place, anyway=True))
                for place in sorted((source, destination), key=lambda place: place.rel)
            }
            there = pending[source.rel].before
            if there.kind == "absent":
                raise writing.missing(ctx.fence, args.source)
            if pending[destination.rel].before.kind != "absent":
                raise _exists(destination)
            folder, name = ctx.fence.open_parent(source)
            stack.callback(os.close, folder)
            to_folder, to_name = ctx.fence.open_parent(destination, create=True)
            stack.callback(os.close, to_folder)
            atomic.move(folder, name, to_folder, to_name, rel=source.rel, to_rel=destination.rel, expect=there.sha256)
            versions = [pending[place.rel].done().id for place in (destination, source)]
        note = ctx.seen.moved(source.rel, destination.rel)
        data = {"source": source.rel, "destination": destination.rel, "path": destination.rel}
        if there.kind == "file":
            data["version"] = there.sha256
        return Result(data, {"versions": versions, "seen": [note]})


def _places(args: MoveArgs, ctx: Context) -> tuple[Place, Place]:
    """Source and destination, links themselves. Refused when one leads where nothing may be written, the source is no
    file, or something has the new name."""
    targets = [ctx.fence.resolve(path) for path in (args.source, args.destination)]
    source, destination = (ctx.fence.resolve(path, follow=False) for path in (args.source, args.destination))
    for place in (*targets, source, destination):
        ctx.fence.check(place.rel, Access.WRITE)
    if source.kind == "absent":
        raise writing.missing(ctx.fence, args.source)
    if source.kind == "folder":
        raise Refused("is_directory", f"{source.rel} is a folder. Move the files in it one by one.", path=source.rel)
    for place in targets:
        if place.kind not in ("file", "folder", "absent"):
            raise Refused("device", f"{place.rel} is a {place.kind}, not a file, so it was left alone.", path=place.rel)
    if destination.kind == "folder" or destination.new_folder:
        raise Refused(
            "is_directory",
            f"{destination.rel or 'The workspace itself'} is a folder. Give the whole new path, with the file's name.",
            path=destination.rel,
        )
    if destination.kind != "absent":
        raise _exists(destination)
    return source, destination


def _exists(place: Place) -> Refused:
    return Refused(
        "exists",
        f"{place.rel} exists already and is never overwritten by a move. Choose another name, or delete it first.",
        path=place.rel,
    )


tool = MoveFile()
