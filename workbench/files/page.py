"""One page of a text file of any size: the same for `read_file` and for the browser's viewer.

    page = read(fence, "logs/big.log", offset=5_000_000, limit=80)

`offset` lines are skipped, then up to `limit` lines given, cut where a cap is met. `page.next` says where the next page
begins, None at the end; the texts of all pages in a row (`page.text`) are the LF view of the decoded file, each
character once, also inside one long line (`column`). `page.pieces` are its lines without their ends.
A small file is read whole and hashed. Of a large one only what is needed is scanned, and a sparse index of line starts
is kept (see `opened` and `index`), so that later pages take about a millisecond.
"""

import codecs
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workbench.files import lines
from workbench.files.cut import Caps, Cut, Next, cut_page
from workbench.files.decode import Encoding, shown
from workbench.files.fence import Fence
from workbench.files.index import CHUNK, after_lines, decoded_part, line_ends
from workbench.files.lines import Eol
from workbench.files.opened import WHOLE, Opened, open_text
from workbench.files.spans import Span

__all__ = ["WHOLE", "Caps", "Next", "Page", "page_of", "read"]

Stop = Callable[[], bool]
_FIRST, _MOST = 16 << 10, 256 << 10
"""bytes read at once to fill a page"""


@dataclass(frozen=True)
class Page:
    """A page, and what is known of its file."""

    rel: str
    offset: int
    """number of the first line, from 0"""
    column: int
    """characters of the first line that come before the page"""
    pieces: tuple[str, ...]
    """the lines without their ends; the first may lack its head, the last its tail"""
    ended: bool
    """the last piece is followed by a line end"""
    next: Next | None
    total_lines: int | None
    """None while the end of a large file has not been met"""
    total_lines_at_least: int
    encoding: Encoding
    eol: Eol
    """of a large file: of its first 256 KiB"""
    final_newline: bool
    size: int
    version: str
    """sha256 (hex) of the bytes up to 16 MiB, else a stamp of device, inode, size, mtime and ctime"""
    cut_by: str = ""
    """the cap that made the page shorter than asked: `lines`, `chars`, `tokens`, `seek`"""
    warnings: tuple[str, ...] = ()
    """whole sentences: lone CRs, undecodable bytes, a file that changed while it was read"""
    bytes_seen: tuple[int, int, str] | None = None
    """(start, end, sha256) of the page's bytes, where `version` does not come from the content"""
    content: bytes | None = field(default=None, repr=False)
    """all bytes of a small file"""

    @property
    def text(self) -> str:
        """The page as it stands in the LF view."""
        return "\n".join(self.pieces) + ("\n" if self.ended else "")

    @property
    def span(self) -> Span:
        """From where to where it goes, as (line, column)."""
        start = (self.offset, self.column)
        if not self.pieces:
            return start, start
        if self.next:
            return start, (self.next.offset, self.next.column)
        return start, (self.offset + len(self.pieces), 0)


def read(
    fence: Fence,
    path: str,
    *,
    offset: int = 0,
    limit: int = 80,
    column: int = 0,
    caps: Caps | None = None,
    encoding: str | None = None,
    stop: Stop = lambda: False,
) -> Page:
    """The page. Refused like `Fence.resolve` and `Fence.open`, and `binary`, `bad_args`, `unsupported`."""
    with open_text(fence, fence.resolve(path), encoding) as file:
        return page_of(file, offset=offset, limit=limit, column=column, caps=caps or Caps(), stop=stop)


def page_of(
    file: Opened, *, offset: int = 0, limit: int = 80, column: int = 0, caps: Caps, stop: Stop = lambda: False
) -> Page:
    """A page of a file that is open already."""
    index = file.facts.index
    index.scan(file.pread, until=(offset, column), budget=caps.seek, stop=stop)
    seen = None
    if index.total is None and index.at[:2] <= (offset, column):
        cut = Cut((), Next(offset, column), by="seek")
    elif index.total is not None and offset >= index.total:
        cut = Cut((), None)
    else:
        at, skip = _find(file, offset, column)
        text, whole = _gather(file, at, skip, limit, caps)
        view = lines.lf_view(text)
        column, skip = column - skip, min(skip, (view + "\n").index("\n"))
        column += skip
        cut = cut_page(view[skip:], whole=whole, offset=offset, column=column, limit=limit, caps=caps)
        if file.content is None:
            seen = _hashed(file, at, text, skip + len(cut.text))
        if file.size - index.at[2] <= caps.ahead:
            index.scan(file.pread, until=None, budget=caps.ahead + CHUNK, stop=stop)
    return _page(file, cut, seen, offset, column)


def _page(file: Opened, cut: Cut, seen: tuple[int, int, str] | None, offset: int, column: int) -> Page:
    facts = file.facts
    pieces, encoding = cut.pieces, facts.encoding
    if encoding.lossy or file.content is None:
        pieces = tuple(map(shown, cut.pieces))
        encoding = encoding if pieces == cut.pieces else replace(encoding, lossy=True)
    met = max(facts.index.at[0], cut.next.offset if cut.next and cut.by != "seek" else offset + len(pieces))
    return Page(
        rel=file.rel,
        offset=offset,
        column=column,
        pieces=pieces,
        ended=cut.ended,
        next=cut.next,
        total_lines=facts.index.total,
        total_lines_at_least=facts.index.total if facts.index.total is not None else met,
        encoding=encoding,
        eol=facts.eol,
        final_newline=facts.final_newline,
        size=file.size,
        version=facts.version,
        cut_by=cut.by,
        warnings=_warnings(file, encoding),
        bytes_seen=seen,
        content=file.content,
    )


def _warnings(file: Opened, encoding: Encoding) -> tuple[str, ...]:
    found = []
    if encoding.lossy:
        found.append(
            f"There are invalid bytes for {encoding.name}; they show as U+FFFD here and are kept in the file. "
            "If it is in another encoding, name it."
        )
    if file.facts.lone_cr:
        found.append("There is a lone CR in the file; it ends no line.")
    if happened := file.what_happened():
        found.append(happened)
    return tuple(found)


def _find(file: Opened, offset: int, column: int) -> tuple[int, int]:
    """(byte, characters still to skip) of the last place that is known before (offset, column), on its line."""
    encoding = file.facts.encoding
    line, before, at = file.facts.index.before(offset, column)
    while line < offset:
        chunk = file.pread(CHUNK, at)
        count, end = line_ends(chunk, encoding)
        if line + count >= offset:
            return at + after_lines(chunk, offset - line, encoding), column
        if count:
            line, at = line + count, at + end
        else:
            at += decoded_part(chunk, encoding)[1]
    return at, column - before


def _gather(file: Opened, at: int, skip: int, limit: int, caps: Caps) -> tuple[str, bool]:
    """Text from byte `at` on, enough for the page, and whether it reaches the end. CRLFs are still in it."""
    encoding = file.facts.encoding
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    text, step = "", _FIRST
    limit = min(limit, caps.lines)
    while True:
        piece = file.pread(min(step, file.size - at), at)
        at += len(piece)
        end = not piece or at >= file.size
        text += decoder.decode(piece, final=end)
        if end:
            return text, True
        if text.count("\n") >= limit or len(text) - text.count("\r\n") > skip + caps.chars + 1:
            return text[:-1] if text.endswith("\r") else text, False
        step = min(2 * step, _MOST)


def _hashed(file: Opened, at: int, text: str, length: int) -> tuple[int, int, str]:
    """The bytes of the first `length` characters of the text's LF view, which begins at byte `at`."""
    encoding = file.facts.encoding
    consumed = text[: lines.LfView(text).original(length)]
    end = at + len(consumed.encode(encoding.name, "replace" if encoding.unit > 1 else encoding.errors))
    return at, end, hashlib.sha256(file.pread(end - at, at)).hexdigest()
