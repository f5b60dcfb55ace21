"""Small files of a workspace, which may be anything."""

import os
from pathlib import Path

import pytest

from workbench.shell.jail.small import read_small, text_of


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\xff")
    assert read_small(tmp_path / "a") == b"x\xff"
    assert text_of(tmp_path / "a").encode(errors="surrogateescape") == b"x\xff"


@pytest.mark.timeout(5)
def test_what_is_no_small_file_is_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 11)
    for path in (
        tmp_path / "pipe",
        tmp_path / "none",
        tmp_path,
        Path("/dev/zero"),
        Path("/dev/null"),
        tmp_path / "a\0b",
    ):
        assert read_small(path) is None
    assert read_small(tmp_path / "large", 10) is None
    assert read_small(tmp_path / "large", 11) == b"x" * 11
    assert text_of(tmp_path / "none") == ""
