"""Read a file, page by page: text in any encoding, images, PDFs, notebooks (SPEC R1-R9)."""

import hashlib
import os
from typing import Annotated, Any

from pydantic import Field

from workbench.files import Refused, media
from workbench.files.fence import Access, Place
from workbench.files.notebook import notebook_text
from workbench.files.opened import WHOLE, Opened, opened_bytes, opened_text, stamp_version, told
from workbench.files.page import Caps, Page, page_of
from workbench.policy.call import Effect
from workbench.policy.rules import path_effects
from workbench.tools import Args, Context, MediaPart, Result, Tool

_HEAD = 64
_NOTEBOOK = 64 << 20
_UNCHANGED = "You have read exactly this before and the file has not changed since; the earlier result still holds."


class ReadFileArgs(Args):
    path: Annotated[str, Field(description="Relative to the workspace, or absolute inside it.")]
    offset: Annotated[int, Field(ge=0, description="Lines to skip.")] = 0
    limit: Annotated[int, Field(ge=1, description="Most lines to return.")] = 80
    column: Annotated[int, Field(ge=0, description="Characters to skip in the first line; comes from `next`.")] = 0
    line_numbers: Annotated[bool, Field(description="Put `     1| ` before each line.")] = True
    encoding: Annotated[
        str | None, Field(description="Only when detection was wrong. Also shows a notebook's or SVG's raw text.")
    ] = None
    pages: Annotated[str | None, Field(description='For a PDF: "3", "2-5" or "1,4-6".')] = None


class ReadFile(Tool):
    """Read a file of the workspace. Use this instead of cat, head, tail or sed in bash.

    Returns up to `limit` lines with their numbers; the number and the `| ` are not part of the file. When `truncated`
    is true, call again with what `next` says. Text in any encoding, images, PDFs (by `pages`) and notebooks can be
    read. Lines end at LF or CRLF and are shown without it. A file must be read before it can be edited: the lines you
    change have to be among those you saw.
    """

    reads_only = True
    Args = ReadFileArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        place = ctx.fence.resolve(args.path)
        ctx.fence.check(place.rel, Access.READ)
        return path_effects(place.rel, "read")

    def run(self, args: Any, ctx: Context) -> Result:
        place = ctx.fence.resolve(args.path)
        fd = ctx.fence.open(place)
        try:
            with told(place):
                head = os.pread(fd, _HEAD, 0)
                kind = media.media_of(head, place.rel) if args.encoding is None else None
                if kind == "image":
                    return _image(args, ctx, place, fd)
                if kind == "pdf":
                    return _pdf(args, ctx, place, fd)
                if kind == "notebook":
                    return _notebook(args, ctx, place, fd)
                return _text(args, ctx, opened_text(fd, place.rel, args.encoding))
        finally:
            os.close(fd)


def _caps(ctx: Context) -> Caps:
    default, limits = Caps(), ctx.limits
    return Caps(
        lines=limits.get("read.lines", default.lines),
        chars=limits.get("read.chars", default.chars),
        tokens=limits.get("read.tokens", default.tokens),
        seek=limits.get("read.seek", default.seek),
        ahead=limits.get("read.ahead", default.ahead),
    )


def _text(args: Any, ctx: Context, file: Opened) -> Result:
    page = page_of(
        file, offset=args.offset, limit=args.limit, column=args.column, caps=_caps(ctx), stop=ctx.stop.is_set
    )
    key = f"text {page.span} {args.line_numbers} {page.encoding.name}"
    if ctx.seen.repeated(page.rel, page.version, key):
        return _unchanged(page.rel, page.version, offset=args.offset, limit=args.limit)
    note = ctx.seen.shown(
        page.rel,
        page.version,
        page.span,
        size=page.size,
        key=key,
        content=page.content,
        bytes_seen=page.bytes_seen,
        encoding=args.encoding or "",
    )
    return Result(_data(args, page, "text"), view={"seen": [note]})


def _data(args: Any, page: Page, kind: str) -> dict[str, Any]:
    """The JSON of SPEC R1; what is not the case is left out, but for the fields that R1 names."""
    data: dict[str, Any] = {
        "path": page.rel,
        "type": kind,
        "total_lines": page.total_lines,
        "offset": page.offset,
        "limit": args.limit,
        "truncated": page.next is not None,
        "next": page.next.as_data() if page.next else None,
        "content": numbered(page) if args.line_numbers else page.text,
        "encoding": page.encoding.name,
        "eol": page.eol,
        "size_bytes": page.size,
        "version": page.version,
        "final_newline": page.final_newline,
    }
    if page.total_lines is None:
        data["total_lines_at_least"] = page.total_lines_at_least
    if page.column:
        data["column"] = page.column
    if page.encoding.bom:
        data["bom"] = True
    if page.encoding.lossy:
        data["lossy"] = True
    if page.encoding.how == "detected":
        data["encoding_detected"] = True
    if page.cut_by:
        data["cut_by"] = page.cut_by
    if notes := _notes(args, page):
        data["note"] = " ".join(notes)
    if page.warnings:
        data["warning"] = " ".join(page.warnings)
    return data


def _notes(args: Any, page: Page) -> list[str]:
    total = page.total_lines
    if page.cut_by == "seek":
        return ["The file is so large that this call did not get to the page; repeat it to go on looking."]
    if total == 0:
        return ["The file is empty."]
    if total is not None and page.offset >= total:
        return [f"The file has only {total} lines."]
    if args.column and not page.next and not "".join(page.pieces[:1]):
        return [f"Line {page.offset + 1} is not longer than {args.column} characters."]
    return []


def numbered(page: Page) -> str:
    """The lines with their numbers, which count from 1."""
    return "\n".join(f"{n:6d}| {line}" for n, line in enumerate(page.pieces, page.offset + 1))


def _unchanged(rel: str, version: str, **asked: Any) -> Result:
    return Result({"path": rel, "status": "unchanged", "version": version, **asked, "message": _UNCHANGED})


def _version(fd: int) -> tuple[str, int]:
    st = os.fstat(fd)
    if st.st_size > WHOLE:
        return stamp_version(st), st.st_size
    return hashlib.sha256(os.pread(fd, st.st_size, 0)).hexdigest(), st.st_size


def _image(args: Any, ctx: Context, place: Place, fd: int) -> Result:
    version, size = _version(fd)
    if ctx.seen.repeated(place.rel, version, "image"):
        return _unchanged(place.rel, version)
    tokens = ctx.limits.get("read.image_tokens", 1600)
    made = media.image(fd, args.path, tokens=tokens, stop=ctx.stop.is_set)
    note = ctx.seen.shown(place.rel, version, ((0, 0), (0, 0)), size=size, key="image")
    data = {"path": place.rel, "type": "image", **made.facts, "size_bytes": size, "version": version}
    return Result(data, view={"seen": [note]}, media=_parts(made, place))


def _pdf(args: Any, ctx: Context, place: Place, fd: int) -> Result:
    version, size = _version(fd)
    key = f"pdf {args.pages or ''}"
    if ctx.seen.repeated(place.rel, version, key):
        return _unchanged(place.rel, version, pages=args.pages)
    made = media.pdf(
        fd,
        args.path,
        pages=args.pages or "",
        most=ctx.limits.get("read.pdf_pages", 5),
        chars=ctx.limits.get("read.chars", Caps.chars),
        stop=ctx.stop.is_set,
    )
    facts = made.facts
    note = ctx.seen.shown(place.rel, version, ((0, 0), (0, 0)), size=size, key=key)
    cut = any(len(text) < length for _, text, length in facts["texts"])
    data = {
        "path": place.rel,
        "type": "pdf",
        "pages": facts["pages"],
        "shown": facts["shown"],
        "truncated": bool(facts["left"]) or cut,
        "next": {"pages": _ranges(facts["left"])} if facts["left"] else None,
        "content": "\n".join(f"--- page {n} ---\n{text}" for n, text, _ in facts["texts"]),
        "size_bytes": size,
        "version": version,
    }
    if facts["left"]:
        data["note"] = f"The document has {facts['pages']} pages; ask for a page range with pages, as next shows."
    if cut:
        data["warning"] = "The text of these pages is longer than one result may be and was cut; ask for fewer pages."
    return Result(data, view={"seen": [note]}, media=_parts(made, place))


def _parts(made: media.Rendered, place: Place) -> tuple[MediaPart, ...]:
    name = place.rel.rsplit("/", 1)[-1]
    shown = made.facts.get("shown", [])
    names = [f"{name} page {n}" for n in shown] or [name] * len(made.parts)
    return tuple(MediaPart(part.mime, part.data, label) for part, label in zip(made.parts, names, strict=True))


def _ranges(numbers: list[int]) -> str:
    """The first unbroken run of page numbers, as it is written in `pages`, no longer than one call shows."""
    end = 1
    while end < min(len(numbers), 5) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return f"{numbers[0]}-{numbers[end - 1]}" if end > 1 else str(numbers[0])


def _notebook(args: Any, ctx: Context, place: Place, fd: int) -> Result:
    size = os.fstat(fd).st_size
    if size > _NOTEBOOK:
        raise Refused(
            "too_large",
            f"{args.path} has {size:,} bytes; a notebook is shown up to {_NOTEBOOK:,}. Clear its outputs, or read "
            "its raw text with encoding='utf-8'.",
            size_bytes=size,
        )
    data = os.pread(fd, size, 0)
    version = hashlib.sha256(data).hexdigest()
    text, cells = notebook_text(data, args.path)
    file = opened_bytes(place.rel, text.encode("utf-8", "replace"), version, "utf-8")
    page = page_of(file, offset=args.offset, limit=args.limit, column=args.column, caps=_caps(ctx))
    key = f"notebook {page.span} {args.line_numbers}"
    if ctx.seen.repeated(place.rel, version, key):
        return _unchanged(place.rel, version, offset=args.offset, limit=args.limit)
    note = ctx.seen.shown(place.rel, version, ((0, 0), (0, 0)), size=size, key=key)
    answer = _data(args, page, "notebook") | {"cells": cells, "size_bytes": size}
    answer["note"] = " ".join(
        [
            "Cells and outputs as text, not the file's lines; to edit it read it with encoding='utf-8'.",
            answer.get("note", ""),
        ]
    ).strip()
    return Result(answer, view={"seen": [note]}, media=())


tool = ReadFile()
