"""Files of a workspace: folders, and any file page by page; read through the fence, as the agent's tools are."""

import os
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from workbench.files import Refused
from workbench.files.fence import Access, Fence
from workbench.files.page import Caps, read
from workbench.policy.rules import built_in
from workbench.web import runtime
from workbench.web.models import Version, Workspace
from workbench.web.templatetags.pages import LINES, Shown, page_of_file
from workbench.web.views import by_htmx, told

ENTRIES = 2000
"""of one folder"""
BEFORE = 200
"""lines before a page that the highlighter may start from"""
MOST = 400
"""lines of a page"""
CAPS = Caps(lines=MOST, chars=200_000, tokens=1_000_000)
PICTURES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"
}  # fmt: skip
LARGEST_PICTURE = 32_000_000


@dataclass(frozen=True)
class Entry:
    """Something in a folder."""

    name: str
    path: str
    folder: bool
    size: int | None
    link: bool
    changed: bool
    """an agent changed it, or something in it"""


def fence(workspace: Workspace) -> Fence:
    return runtime.fence(Path(workspace.path), built_in())


@require_GET
@told
def files(request: HttpRequest, workspace: int | None = None, path: str = "") -> HttpResponse:
    """A folder, or a page of a file; without a workspace the list of them."""
    if workspace is None:
        rows = Workspace.objects.order_by("sample", "-is_default", "-pk")[:200]
        return render(request, "pages/files.html", {"workspaces": rows})
    row = get_object_or_404(Workspace, pk=workspace)
    wall = fence(row)
    place = wall.resolve(path or ".")
    context: dict[str, Any] = {"workspace": row, "path": place.rel, "crumbs": crumbs(row, place.rel)}
    if place.kind == "folder":
        return render(request, "pages/files.html", {**context, **listing(wall, row, place.rel)})
    if not place.exists:
        raise Refused("no_file", f"There is no file {path} in {row.name}. It may have been moved or deleted since.")
    context |= {"versions": Version.objects.filter(workspace=row, path=place.rel, status="done").count()}
    if Path(place.rel).suffix.lower() in PICTURES:
        return render(request, "pages/files.html", {**context, "picture": True})
    try:
        shown = page_of(row, request, reverse("files", args=[workspace, path]), path=path)
    except Refused as e:
        if e.code != "binary":
            raise
        return render(request, "pages/files.html", {**context, "binary": e.message})
    template = "parts/page.html" if by_htmx(request) else "pages/files.html"
    return render(request, template, {**context, "page": shown})


def page_of(workspace: Workspace, request: HttpRequest, base: str, path: str = "") -> Shown:
    """The page that the query asks for: `offset`, `column`, `limit`, or the surroundings of `line`."""
    path = path or request.GET.get("path", "")
    line, offset = _number(request, "line"), _number(request, "offset")
    if line:
        offset = max(0, line - 20)
    wall = fence(workspace)
    limit = min(MOST, _number(request, "limit") or LINES)
    page = read(wall, path, offset=offset, limit=limit, column=_number(request, "column"), caps=CAPS)
    before = ""
    if page.offset and not page.column:
        start = max(0, page.offset - BEFORE)
        before = read(wall, path, offset=start, limit=page.offset - start, caps=CAPS).text
    return page_of_file(page, base, before=before, anchors=True, hit=line)


def listing(wall: Fence, workspace: Workspace, folder: str) -> dict[str, Any]:
    """Entries of a folder, folders first."""
    changed = set(Version.objects.filter(workspace=workspace, status="done").values_list("path", flat=True).distinct())
    above = {"/".join(path.split("/")[: n + 1]) for path in changed for n in range(path.count("/"))}
    descriptor = wall.open_folder(wall.resolve(folder or "."))
    try:
        with os.scandir(descriptor) as found:
            entries = [_entry(entry, folder, changed | above) for entry in islice(found, ENTRIES + 1)]
    finally:
        os.close(descriptor)
    entries.sort(key=lambda entry: (not entry.folder, entry.name.lower()))
    return {"entries": entries[:ENTRIES], "more": len(entries) > ENTRIES}


def _entry(entry: os.DirEntry[str], folder: str, changed: set[str]) -> Entry:
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return Entry(entry.name, path, False, None, False, False)  # noqa: FBT003 - it vanished just now
    regular = stat.S_ISREG(info.st_mode)
    return Entry(
        entry.name, path, stat.S_ISDIR(info.st_mode), info.st_size if regular else None,
        stat.S_ISLNK(info.st_mode), path in changed,
    )  # fmt: skip


def crumbs(workspace: Workspace, path: str) -> list[tuple[str, str]]:
    """(name, address) of each folder above, and of the path itself."""
    parts = path.split("/") if path else []
    return [(part, "/".join(parts[: n + 1])) for n, part in enumerate(parts)]


@require_GET
@told
def raw(request: HttpRequest, workspace: int, path: str) -> HttpResponse:
    """A picture, for an `<img>`; nothing else is ever given as it is."""
    row = get_object_or_404(Workspace, pk=workspace)
    kind = PICTURES.get(Path(path).suffix.lower())
    if kind is None:
        raise Refused("unsupported", "Only pictures are shown as they are.")
    wall = fence(row)
    with os.fdopen(wall.open(wall.resolve(path), Access.READ), "rb") as file:
        data = file.read(LARGEST_PICTURE + 1)
    if len(data) > LARGEST_PICTURE:
        raise Refused("too_large", "The picture is too large to be shown.")
    response = HttpResponse(data, content_type=kind)
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _number(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 19 else 0
