"""write_file: a whole file."""

from pydantic import Field

from workbench.files import Refused
from workbench.files.decode import UTF8, decode, shown
from workbench.files.edit import strict
from workbench.files.lines import eol, lf_view
from workbench.history import writing
from workbench.policy.call import Effect
from workbench.tools import Args, Context, Result, Tool


class WriteArgs(Args):
    path: str = Field(description="File in the workspace, relative to its root. Missing folders are made.")
    content: str = Field(description="The whole content, taken literally.")
    encoding: str | None = Field(
        default=None, description="Only when the encoding of an existing file is detected wrongly."
    )


class WriteFile(Tool):
    """Create a file, or replace the whole content of one. Use this instead of echo >, tee or cat <<EOF.

    The content is written literally, so nothing needs escaping. An existing file must have been read completely with
    read_file before; to change a part of it, edit_file is shorter and safer. New files are UTF-8; an existing file
    keeps its encoding, its byte order mark and its CRLF line ends. Missing folders are made.
    """

    Args = WriteArgs

    def effects(self, args: WriteArgs, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        return writing.foresee(ctx.history, place, lambda data: self._plan(args, ctx, place.rel, data))

    def run(self, args: WriteArgs, ctx: Context) -> Result:
        place = ctx.fence.resolve(args.path)
        data, view = writing.change(ctx.history, ctx.seen, place, lambda data: self._plan(args, ctx, place.rel, data))
        return Result(data, view)

    def _plan(self, args: WriteArgs, ctx: Context, rel: str, data: bytes | None) -> writing.Planned:
        if len(args.content) > writing.MAX_SIZE:
            raise Refused(
                "too_large",
                f"The content has {len(args.content):,} characters; up to {writing.MAX_SIZE:,} can be written at once.",
                path=rel,
            )
        if data is None:
            return writing.Planned(strict(args.content, UTF8), UTF8, "", args.content, None)
        before = decode(data, args.encoding or ctx.seen.encoding(rel))
        ctx.seen.check(rel, data, None)
        text, encoding = args.content, before.encoding
        if encoding.bom:
            text = text.removeprefix("\ufeff")
        if eol(before.text) == "crlf":
            text = lf_view(text).replace("\n", "\r\n")
        made = encoding.bom + strict(text, encoding)
        if made == data:
            raise Refused("noop", f"{rel} holds exactly this content already, so nothing was written.", path=rel)
        return writing.Planned(made, encoding, shown(before.text), text, None)


tool = WriteFile()
