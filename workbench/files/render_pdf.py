"""Worker: some pages of a PDF as images and text. Run by `media`."""

import io
import re
from typing import Any

import pypdfium2
from pypdfium2 import raw

from workbench.files.render_image import fitting
from workbench.files.rendering import Answer, Failed, serve

_MAX_PAGES = 20
_POINTS_SIDE = 20_000
"""a page side from which nothing is drawn; PDFs allow 14,400 points"""
_DOTS = 2.0
"""pixels a point that are drawn at most (144 dpi)"""


def render(data: bytes, job: dict[str, Any]) -> Answer:
    document = opened(data)
    count = len(document)
    if count == 0:
        raise Failed("bad_pdf", "it has no pages.")
    asked = chosen(job["pages"], count) if job["pages"] else list(range(1, count + 1))
    shown, texts, parts, room = [], [], [], job["chars"]
    for number in asked[: min(_MAX_PAGES, job["most"] if not job["pages"] else _MAX_PAGES)]:
        try:
            page = document[number - 1]
            text = written(page)
            parts.append(("image/png", drawn(page, job["tokens"])))
        except pypdfium2.PdfiumError as e:
            raise Failed("bad_pdf", f"page {number} of {count} is damaged ({e}).", pages=count) from e
        shown.append(number)
        texts.append([number, text[: max(0, room)], len(text)])
        room -= len(text)
    return {"pages": count, "shown": shown, "texts": texts, "left": asked[len(shown) :][:1000]}, parts


def opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as e:
        if e.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise Failed("pdf_encrypted", "it needs a password to be opened. Ask for an unprotected copy.") from e
        raise Failed("bad_pdf", f"it is no PDF that can be opened ({e}).") from e
    return document


def chosen(pages: str, count: int) -> list[int]:
    """Page numbers in ascending order of "3", "2-5", "1,4-6" or "7-"."""
    found: set[int] = set()
    for part in pages.replace(" ", "").split(","):
        match = re.fullmatch(r"(\d{1,6})(-(\d{1,6})?)?", part)
        if not match:
            raise Failed("bad_args", f'pages={pages!r} is no page range. Write "3", "2-5" or "1,4-6".')
        first = int(match[1])
        last = first if match[2] is None else int(match[3] or count)
        found.update(range(max(1, first), min(last, count) + 1))
    if not found:
        raise Failed("bad_args", f"pages={pages!r} names no page; the document has {count}.", pages=count)
    return sorted(found)


def written(page: pypdfium2.PdfPage) -> str:
    text: str = page.get_textpage().get_text_range()
    return text.replace("\r\n", "\n").replace("\0", "\ufffd")


def drawn(page: pypdfium2.PdfPage, tokens: int) -> bytes:
    width, height = page.get_size()
    if not (0 < width < _POINTS_SIDE and 0 < height < _POINTS_SIDE):
        raise pypdfium2.PdfiumError(f"a page of {width} x {height} points")
    wide, _ = fitting(max(1, int(width * _DOTS)), max(1, int(height * _DOTS)), tokens)
    picture = page.render(scale=min(_DOTS, wide / width)).to_pil().convert("RGB")
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    serve(render)
