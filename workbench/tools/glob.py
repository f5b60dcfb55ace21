"""Find files by name (SPEC R10)."""

from typing import Annotated, Any

from pydantic import Field

from workbench.files import globs
from workbench.files.fence import Access
from workbench.files.find import Deadline, files_under, regular_file, ripgrep
from workbench.policy.call import Effect
from workbench.policy.rules import path_effects
from workbench.tools import Args, Context, Result, Tool

SECONDS = 1.7


class GlobArgs(Args):
    pattern: Annotated[str, Field(min_length=1, description="E.g. `*.py`, `src/**/*.{ts,tsx}`, `**/test_*`.")]
    path: Annotated[str, Field(description="Folder to search.")] = "."
    offset: Annotated[int, Field(ge=0, description="Results to skip.")] = 0
    limit: Annotated[int, Field(ge=1, le=2000)] = 200


class Glob(Tool):
    """Find files by name. Use this instead of find or ls in bash.

    `*` and `?` stay within a name, `**` spans folders. A pattern without `/` matches at any depth; one with `/` starts
    at `path`. Ignored files (.gitignore) and .git are left out, hidden files are found, links are not followed.
    Paths come sorted; when `truncated` is true, call again with what `next` says.
    """

    reads_only = True
    Args = GlobArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        ctx.fence.check(place.rel, Access.READ)
        globs.glob(args.pattern)
        return path_effects(place.rel, "read")

    def run(self, args: Any, ctx: Context) -> Result:
        place = ctx.fence.resolve(args.path)
        wanted = globs.glob(args.pattern.removeprefix("./"))
        deadline = Deadline(SECONDS, ctx.stop.is_set)
        base = f"{place.rel}/" if place.rel else ""
        found: list[str] = []
        skipped, more = 0, False
        for rel in files_under(ctx.fence, place, deadline, name=wanted.name, program=ripgrep()):
            if not wanted.matches(rel.removeprefix(base)):
                continue
            if skipped < args.offset:
                skipped += 1
            elif len(found) == args.limit:
                more = True
                break
            elif regular_file(ctx.fence, rel):
                found.append(rel)
        return Result(_data(args, found, skipped, more=more, partial=deadline.met))


def _data(args: Any, found: list[str], skipped: int, *, more: bool, partial: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "pattern": args.pattern,
        "path": args.path,
        "paths": found,
        "truncated": more or partial,
        "next": {"offset": args.offset + len(found)} if more else None,
    }
    if not more and not partial:
        data["total"] = skipped + len(found)
    if partial:
        data["partial"] = True
        data["note"] = "The search ran out of time and this is only what it met; search a narrower path."
    elif not found:
        data["note"] = (
            "No file matches. Ignored files are left out; a pattern without / matches at any depth."
            if not skipped
            else f"There are only {skipped} results."
        )
    return data


tool = Glob()
