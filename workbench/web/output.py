"""The whole output of a command, page by page from its spool file; each page ends at a line end."""

from dataclasses import dataclass
from pathlib import Path

from django.utils.safestring import SafeString

from workbench.files import Refused
from workbench.web.templatetags.terminal import terminal_html

PAGE = 64 * 1024
"""bytes"""


@dataclass(frozen=True)
class OutputPage:
    html: SafeString
    first: int
    """offset of the first byte"""
    end: int
    """offset after the last byte: the start of the next page"""
    size: int
    """bytes of the whole output that was kept"""

    @property
    def more(self) -> int:
        return self.size - self.end


def page_of_output(spool: Path, name: str, start: int) -> OutputPage:
    """The page from byte `start` on. Refused `no_file` when the output was not kept."""
    try:
        if not name or Path(name).name != name or name.startswith("."):
            raise FileNotFoundError(name)
        with (spool / name).open("rb") as file:
            size = file.seek(0, 2)
            start = min(start, size)
            file.seek(start)
            data = file.read(PAGE)
    except OSError:
        raise Refused("no_file", "The whole output of this command is no longer kept.") from None
    cut = data.rfind(b"\n") + 1
    if cut and start + len(data) < size:
        data = data[:cut]
    return OutputPage(terminal_html(data.removesuffix(b"\n")), start, start + len(data), size)
