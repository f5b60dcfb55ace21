"""Search in files (SPEC R10)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from workbench.files import Refused, globs
from workbench.files.fence import Access, Place
from workbench.files.find import Deadline, files_under, regular_file, ripgrep
from workbench.files.opened import Opened, open_text
from workbench.files.search import Hit, Pattern, count, hits
from workbench.policy.call import Effect, Verb
from workbench.policy.rules import path_effects
from workbench.tools import Args, Context, Result, Tool

SECONDS = 1.7
_NO_MATCH = "No match. Ignored, binary, UTF-32 and credential files are searched only when path names one of them."
_SHOWN = 300
"""characters shown of one line"""


class GrepArgs(Args):
    pattern: Annotated[str, Field(min_length=1, description="Regular expression (RE2 syntax); (?i) ignores case.")]
    path: Annotated[str, Field(description="Folder or file to search.")] = "."
    glob: Annotated[str | None, Field(description="Only files whose path matches, e.g. `*.py`.")] = None
    context: Annotated[int, Field(ge=0, le=20, description="Lines around each match.")] = 0
    mode: Annotated[
        Literal["content", "files", "count"],
        Field(description="Matching lines, or paths only, or the number of matching lines in each file."),
    ] = "content"
    offset: Annotated[int, Field(ge=0, description="Matches (or files) to skip.")] = 0
    limit: Annotated[int, Field(ge=1, le=2000, description="Most matches (or files) to return.")] = 100


class Grep(Tool):
    """Search file contents by regular expression. Use this instead of grep, rg or find in bash.

    Line numbers agree with read_file. A match lies within one line; escape special characters (`foo\\(`). Ignored files
    (.gitignore), .git, binary, UTF-32 and credential files are left out; links are not followed. Results are sorted by
    path; when `truncated` is true, call again with what `next` says. What you see here does not count as read for an
    edit.
    """

    reads_only = True
    Args = GrepArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        ctx.fence.check(place.rel, Access.READ)
        Pattern(args.pattern)
        return path_effects(place.rel, "read")

    def run(self, args: Any, ctx: Context) -> Result:
        search = _Search(args, ctx, ctx.fence.resolve(args.path))
        return search.result()


@dataclass
class _Search:
    args: Any
    ctx: Context
    place: Place
    room: int = 12_000
    more: bool = False
    skipped: int = 0
    taken: int = 0

    def __post_init__(self) -> None:
        self.deadline = Deadline(SECONDS, self.ctx.stop.is_set)
        self.pattern = Pattern(self.args.pattern)
        self.room = self.ctx.limits.get("read.chars", self.room)

    def result(self) -> Result:
        mode: str = self.args.mode
        found = {"content": self._content, "files": self._paths, "count": self._counts}[mode]()
        data: dict[str, Any] = {"pattern": self.args.pattern, "path": self.args.path, "mode": mode, **found}
        data["truncated"] = self.more or self.deadline.met
        data["next"] = {"offset": self.args.offset + self.taken} if self.more else None
        if notes := self._notes():
            data["note"] = " ".join(notes)
        if self.deadline.met:
            data["partial"] = True
        return Result(data)

    def _files(self) -> Iterator[Opened]:
        """Text files that may match, opened through the fence."""
        wanted = globs.glob(self.args.glob.removeprefix("./")) if self.args.glob else None
        base = f"{self.place.rel}/" if self.place.rel else ""
        name = wanted.name if wanted else None
        for rel in files_under(
            self.ctx.fence,
            self.place,
            self.deadline,
            name=name,
            containing=self.pattern.hints(),
            program=ripgrep(),
        ):
            if wanted and rel != self.place.rel and not wanted.matches(rel.removeprefix(base)):
                continue
            if rel != self.place.rel and _is_secret(rel):
                continue
            place = self.place if rel == self.place.rel else regular_file(self.ctx.fence, rel)
            if place is None:
                continue
            try:
                with open_text(self.ctx.fence, place) as file:
                    yield file
            except Refused:
                if rel == self.place.rel:
                    raise

    def _full(self) -> bool:
        """Whether the next result has no place any more; it then only shows that there are more."""
        self.more = self.taken >= self.args.limit or (self.room <= 0 and self.taken > 0)
        return self.more

    def _content(self) -> dict[str, Any]:
        shown: list[str] = []
        files = 0
        for file in self._files():
            before = self.taken
            for hit in hits(file, self.pattern, self.deadline, context=self.args.context):
                if self.skipped < self.args.offset:
                    self.skipped += 1
                    continue
                if self._full():
                    break
                block = _block(file.rel, hit)
                if self.args.context and shown:
                    shown.append("--")
                shown.append(block)
                self.room -= len(block) + 1
                self.taken += 1
            files += self.taken > before
            if self.more:
                break
        return {"content": "\n".join(shown), "matches": self.taken, "files": files}

    def _paths(self) -> dict[str, Any]:
        return {"files": [rel for rel, _ in self._each_file()]}

    def _counts(self) -> dict[str, Any]:
        counts = dict(self._each_file())
        return {"counts": counts, "matches": sum(counts.values()), "files": len(counts)}

    def _each_file(self) -> Iterator[tuple[str, int]]:
        for file in self._files():
            number = (
                count(file, self.pattern, self.deadline)
                if self.args.mode == "count"
                else any(True for _ in hits(file, self.pattern, self.deadline))
            )
            if not number:
                continue
            if self.skipped < self.args.offset:
                self.skipped += 1
                continue
            if self._full():
                return
            self.taken += 1
            self.room -= len(file.rel) + 1
            yield file.rel, int(number)

    def _notes(self) -> list[str]:
        found = []
        if self.deadline.met:
            found.append("The search ran out of time and this is only what it met; narrow path or glob.")
        elif not self.taken:
            found.append(f"There are only {self.skipped} results." if self.skipped else _NO_MATCH)
        return found


def _is_secret(rel: str) -> bool:
    """Never searched along with others, and never named in the result: that alone could tell what one holds."""
    return any(effect.verb == Verb.SECRET for effect in path_effects(rel, "read"))


def _block(rel: str, hit: Hit) -> str:
    """One match as grep writes it: `path:12: text`, context lines with `-`."""
    first = hit.line - len(hit.before)
    shown = [f"{rel}-{n}- {_around(text, 0)}" for n, text in enumerate(hit.before, first)]
    shown.append(f"{rel}:{hit.line}: {_around(hit.text, hit.column)}")
    shown += [f"{rel}-{n}- {_around(text, 0)}" for n, text in enumerate(hit.after, hit.line + 1)]
    return "\n".join(shown)


def _around(text: str, column: int) -> str:
    """A long line cut to what lies around the column."""
    if len(text) <= _SHOWN:
        return text
    start = max(0, min(column - _SHOWN // 3, len(text) - _SHOWN))
    end = start + _SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''} [{len(text):,} characters]"


tool = Grep()
