"""edit_file: replace one text in one file."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from workbench.files import Refused
from workbench.files.decode import UTF8, Encoding, decode
from workbench.files.edit import edit, strict
from workbench.files.lines import count
from workbench.files.tolerate import TOKENS
from workbench.history import writing
from workbench.policy.call import Effect
from workbench.tools import Args, Context, Result, Tool


class EditArgs(Args):
    path: str = Field(description="File in the workspace, relative to its root.")
    old_string: str = Field(description="The text to replace, exactly as it is in the file, without line numbers.")
    new_string: str = Field(description="The text that stands there afterwards, taken literally.")
    replace_all: bool = Field(
        default=False, description="Replace every occurrence instead of refusing when there are several."
    )
    encoding: str | None = Field(default=None, description="Only when the file's encoding is detected wrongly.")


class EditFile(Tool):
    """Replace one text in a file by another. Use this instead of sed, awk, echo > or cat <<EOF.

    Read the lines first with read_file: only lines you have seen can be changed, and the file must not have changed
    since. old_string must match exactly (blanks, tabs, quotes, accents) and be unique; add lines around it until it
    is, or set replace_all. Line numbers of read_file are not part of the text. The result has the diff, so there is
    no need to read the file again. Line ends and encoding of the file are kept. An empty old_string creates a file or
    fills an empty one. For several changes to one file use multi_edit.
    """

    Args = EditArgs
    tokens: Mapping[str, str] = TOKENS

    def effects(self, args: EditArgs, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        return writing.foresee(ctx.history, place, lambda data: self._plan(args, ctx, place.rel, data))

    def run(self, args: EditArgs, ctx: Context) -> Result:
        place = ctx.fence.resolve(args.path)
        data, view = writing.change(ctx.history, ctx.seen, place, lambda data: self._plan(args, ctx, place.rel, data))
        return Result(data, view)

    def _plan(self, args: EditArgs, ctx: Context, rel: str, data: bytes | None) -> writing.Planned:
        if args.old_string == args.new_string:
            raise Refused("noop", "old_string and new_string are the same, so nothing would change.", path=rel)
        if data is None and args.old_string:
            raise writing.missing(ctx.fence, args.path)
        if data is None:
            return _filled(b"", UTF8, args.new_string)
        decoded = decode(data, args.encoding or ctx.seen.encoding(rel))
        if not args.old_string:
            if decoded.text:
                raise Refused(
                    "exists",
                    f"{rel} exists and is not empty, and old_string is empty. Give the text to replace, or use "
                    "write_file to replace the whole file.",
                    path=rel,
                )
            ctx.seen.check(rel, data, None)
            return _filled(data, decoded.encoding, args.new_string)
        ctx.seen.check_version(rel, data)
        edited = edit(
            data,
            decoded,
            args.old_string,
            args.new_string,
            replace_all=args.replace_all,
            path=rel,
            names=self.tokens,
        )
        need = [(c.first, c.first + c.old) for c in edited.changes]
        ctx.seen.check_lines(rel, need, count(decoded.text))
        facts: dict[str, Any] = {"replacements": edited.places} if args.replace_all else {}
        if edited.tolerance:
            facts["tolerance"] = edited.tolerance
        return writing.Planned(edited.data, decoded.encoding, decoded.text, edited.decoded.text, edited.changes, facts)


def _filled(data: bytes, encoding: Encoding, text: str) -> writing.Planned:
    """An absent or empty file with its first content."""
    text = text.removeprefix("\ufeff") if encoding.bom else text
    return writing.Planned(data + strict(text, encoding), encoding, "", text, None)


tool = EditFile()
