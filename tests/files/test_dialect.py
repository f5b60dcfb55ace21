"""No file in which a pattern matches is lost between the two dialects, whatever its encoding (R10)."""

import os
from pathlib import Path

import pytest

from workbench.files.dialect import for_ripgrep
from workbench.files.fence import Fence
from workbench.files.find import Deadline, files_under, ripgrep
from workbench.files.opened import open_text
from workbench.files.search import Pattern, hits

FILES = {
    "ascii": b"needle one\nvalue = 12\n",
    "utf8": "caf\u00e9 needle\n\u540d\u79f0\u79f0 x\u00a0y\n".encode(),
    "latin": "caf\u00e9 needle, d\u00e9j\u00e0 vu\n".encode("latin-1"),
    "gbk": "\u540d\u79f0=\u6d4b\u8bd5 needle\n\u4e2d\u6587\u914d\u7f6e\n".encode("gbk"),
    "sjis": "\u8a2d\u5b9a\u30d5\u30a1\u30a4\u30eb needle\n".encode("shift_jis"),
    "utf16": b"\xff\xfe" + "caf\u00e9 \u540d needle\r\n".encode("utf-16le"),
    "cr": b"a\rneedle\rb\n",
    "crlf": b"x needle\r\n",
    "brackets": b"a[b]&&c ~~ d--e\n",
}
PATTERNS = [
    r"needle", r"caf.", r"caf. needle", r"caf\W*needle", r"caf\S needle", r"caf\D", r"caf[^x] n", r"caf[\W] ",
    r"\bneedle\b", r"\Bn", r"(?i)NEEDLE", r"(?i)CAF.", "caf\u00e9", "\u540d", "\u540d\u79f0+", "\u540d\u79f0{2}",
    "[\u540d\u8a2d]", r"\p{Han}", r"\pL\pL\pL", r"\x{540d}", r"\xe9", r"[\x{e9}]", r"a.*b", r"^a.n", r"x.y", r"x\Sy",
    r"\d\d$", r"[a&&b]", r"[[]b", r"[b\]]&", r"a[^a]b", r"[~]~", r"[[:alpha:]]+ vu", r"[^[:ascii:]]", r"\w+ = \d+",
    r"value\s=", r"(?P<n>need)le", r"\Qa[b\E", r"(?i)\u00c9", "(?i)\u00c9", r"=.. needle", r"=....needle", r"le(,|$)",
    r"le$", r"vu$", r"le\r",
]  # fmt: skip


@pytest.mark.skipif(ripgrep() is None, reason="compares with ripgrep")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_file_with_a_match_is_found(pattern: str, tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    fence = Fence(tmp_path)
    try:
        search = Pattern(pattern)
    except Exception:
        pytest.skip("RE2 does not take it either")
    matching = set()
    for name in FILES:
        with open_text(fence, fence.resolve(name)) as file:
            if any(True for _ in hits(file, search, Deadline(5))):
                matching.add(name)
    offered = files_under(fence, fence.resolve("."), Deadline(5), containing=search.hints(), program=ripgrep())
    assert matching <= set(offered)


def test_a_plain_word_stays_as_it_is() -> None:
    """So ripgrep's search for literals, its fastest, is used."""
    assert for_ripgrep("def needle(self)") == ("def needle(self)",)


@pytest.mark.parametrize("pattern", ["a\0b", r"\Qa.b\E", "(?i)\u00e9"])
def test_what_can_not_be_said_is_searched_everywhere(pattern: str) -> None:
    assert for_ripgrep(pattern) == ()


def test_words_in_other_encodings_are_looked_for_as_their_bytes() -> None:
    assert os.fsdecode(b"(?-u:\\xC3\\xFB)+") in for_ripgrep("\u540d+")
