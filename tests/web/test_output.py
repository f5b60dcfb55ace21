"""The whole output of a command, page by page (B2)."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.web import output
from workbench.web.output import page_of_output


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_a_short_output_is_one_page(tmp_path: Path) -> None:
    (tmp_path / "c1").write_bytes(b"\x1b[31mred\x1b[0m\nend\n")
    page = page_of_output(tmp_path, "c1", 0)
    assert page.html == '<span class="r">red</span>\nend' and (page.first, page.end, page.more) == (0, 17, 0)


def test_pages_end_at_line_ends_and_add_up(tmp_path: Path) -> None:
    lines = [f"line {n} " + "x" * 200 for n in range(2000)]
    (tmp_path / "c1").write_text("".join(f"{line}\n" for line in lines))
    at, seen = 0, []
    while True:
        page = page_of_output(tmp_path, "c1", at)
        assert page.end > at
        seen += text_of(page.html).split("\n")
        at = page.end
        if not page.more:
            break
    assert seen == lines


def test_a_line_longer_than_a_page_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "PAGE", 10)
    (tmp_path / "c1").write_bytes(b"x" * 25)
    page = page_of_output(tmp_path, "c1", 0)
    assert (page.end, page.more) == (10, 15)
    assert page_of_output(tmp_path, "c1", 99).more == 0


@pytest.mark.parametrize("name", ["", "missing", "../secret", "/etc/passwd", "..", ".tmp", "a/b"])
def test_only_a_file_of_this_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("no")
    folder = tmp_path / "spool"
    folder.mkdir()
    with pytest.raises(Refused) as refused:
        page_of_output(folder, name, 0)
    assert refused.value.code == "no_file"


@given(st.binary(max_size=300))
def test_any_bytes_can_be_shown(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("spool")
    (folder / "c").write_bytes(data)
    assert page_of_output(folder, "c", 0).end == len(data)
