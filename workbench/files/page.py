"""One page of a text file of any size: the same for `read_file` and for the browser's viewer.

    page = read(fence, "logs/big.log", offset=5_000_000, limit=80)

`offset` lines are skipped, then up to `limit` lines given, cut where a cap is met. `page.next` says where the next page
begins, None at the end; the texts of all pages in a row (`page.text`) are the LF view of the decoded file, each
character once, also inside one long line (`column`).
A small file is read whole and hashed. Of a large one only what is needed is scanned, and a sparse index of line starts
is kept (bounded, by device, inode, size, mtime and ctime), so that later pages take about a millisecond.
"""

from dataclasses import dataclass, field

from workbench.files.decode import Encoding
from workbench.files.fence import Fence
from workbench.files.lines import Eol

WHOLE = 16 << 20
"""bytes up to which a version is the hash of the content"""


@dataclass(frozen=True)
class Caps:
    """What cuts a page."""

    lines: int = 2000
    chars: int = 12_000
    tokens: int = 10_000
    """estimated"""
    seek: int = 8 << 30
    """bytes scanned in one call to find the page"""
    ahead: int = 384 << 20
    """bytes scanned beyond the page to learn how many lines there are"""


@dataclass(frozen=True)
class Next:
    """Where to go on."""

    offset: int
    column: int = 0

    def as_data(self) -> dict[str, int]:
        return {"offset": self.offset, "column": self.column} if self.column else {"offset": self.offset}


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
    total_lines_at_least: int
    encoding: Encoding
    eol: Eol
    size: int
    version: str
    """sha256 (hex) of the bytes up to 16 MiB, else a stamp of device, inode, size, mtime and ctime"""
    cut_by: tuple[str, ...] = ()
    """caps that made the page shorter than asked: `lines`, `chars`, `tokens`, `seek`"""
    warnings: tuple[str, ...] = ()
    """whole sentences: lone CRs, undecodable bytes, a file that changed while it was read"""
    content: bytes | None = field(default=None, repr=False)
    """all bytes of a small file"""

    @property
    def text(self) -> str:
        """The page as it stands in the LF view."""
        return "\n".join(self.pieces) + ("\n" if self.ended else "")


def read(
    fence: Fence, path: str, *, offset: int = 0, limit: int = 80, column: int = 0, caps: Caps | None = None,
    encoding: str | None = None,
) -> Page:  # fmt: skip
    """The page. Refused like `Fence.resolve` and `Fence.open`, and `binary`, `bad_args`."""
    raise NotImplementedError
