"""multi_edit: several replacements in one file, all or none."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from workbench.files import Refused
from workbench.files.decode import decode
from workbench.files.edit import composed, edit
from workbench.files.lines import count
from workbench.files.seen import Change
from workbench.files.tolerate import TOKENS
from workbench.history import writing
from workbench.policy.call import Effect
from workbench.tools import Args, Context, Result, Tool


class One(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    old_string: str = Field(min_length=1, description="The text to replace, as the edits before this one leave it.")
    new_string: str = Field(description="The text that stands there afterwards, taken literally.")
    replace_all: bool = Field(
        default=False, description="Replace every occurrence instead of refusing when there are several."
    )


class MultiEditArgs(Args):
    path: str = Field(description="File in the workspace, relative to its root.")
    edits: list[One] = Field(min_length=1, description="Applied one after the other, each to the result of the last.")
    encoding: str | None = Field(default=None, description="Only when the file's encoding is detected wrongly.")


class MultiEdit(Tool):
    """Make several replacements in one file at once: all of them, or none when one fails.

    Use this instead of sed or several edit_file calls on the same file. Each edit follows the rules of edit_file and
    sees what the ones before it made of the file. The result has one diff of everything.
    """

    Args = MultiEditArgs
    tokens: Mapping[str, str] = TOKENS

    def effects(self, args: MultiEditArgs, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        return writing.foresee(ctx.history, place, lambda data: self._plan(args, ctx, place.rel, data))

    def run(self, args: MultiEditArgs, ctx: Context) -> Result:
        place = ctx.fence.resolve(args.path)
        data, view = writing.change(ctx.history, ctx.seen, place, lambda data: self._plan(args, ctx, place.rel, data))
        return Result(data, view)

    def _plan(self, args: MultiEditArgs, ctx: Context, rel: str, data: bytes | None) -> writing.Planned:
        if data is None:
            raise writing.missing(ctx.fence, args.path)
        before = decode(data, args.encoding or ctx.seen.encoding(rel))
        ctx.seen.check_version(rel, data)
        now, decoded, changes = data, before, list[Change]()
        told: list[dict[str, Any]] = []  # only of edits that were not simply made at their one place
        for number, one in enumerate(args.edits, 1):
            try:
                made = edit(
                    now,
                    decoded,
                    one.old_string,
                    one.new_string,
                    replace_all=one.replace_all,
                    path=rel,
                    names=self.tokens,
                )
            except Refused as e:
                raise _numbered(e, number, len(args.edits)) from None
            now, decoded, changes = made.data, made.decoded, composed(changes, made.changes)
            if one.replace_all or made.tolerance:
                tolerance = {"tolerance": made.tolerance} if made.tolerance else {}
                told.append({"edit": number, "replacements": made.places, **tolerance})
        if now == data:
            raise Refused("noop", "The edits together change nothing: later ones take earlier ones back.", path=rel)
        need = [(c.first, c.first + c.old) for c in changes]
        ctx.seen.check_lines(rel, need, count(before.text))
        facts = {"edits": told} if told else {}
        return writing.Planned(now, before.encoding, before.text, decoded.text, changes, facts)


def _numbered(refusal: Refused, number: int, of: int) -> Refused:
    """Which of the edits it was; none was made."""
    facts = {**refusal.facts, "edit": number}
    return Refused(refusal.code, f"Edit {number} of {of}: {refusal.message} None of the edits was made.", **facts)


tool = MultiEdit()
