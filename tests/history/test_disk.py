"""Small steps on files."""

import os
from pathlib import Path

from workbench.history.disk import CHUNK, hash_fd, pieces, settled, sync, sync_all, write
from workbench.history.store import Store


def test_an_empty_file_has_no_pieces(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    fd = os.open(tmp_path / "f", os.O_RDONLY)
    assert list(pieces(fd)) == []
    assert hash_fd(fd) == (Store.name(b""), 0)
    os.close(fd)


def test_pieces_and_hash_start_at_the_start_wherever_the_descriptor_stands(tmp_path: Path) -> None:
    data = os.urandom(CHUNK + 5)
    (tmp_path / "f").write_bytes(data)
    fd = os.open(tmp_path / "f", os.O_RDONLY)
    os.lseek(fd, 7, os.SEEK_SET)
    assert [len(p) for p in pieces(fd)] == [CHUNK, 5]
    assert hash_fd(fd) == (Store.name(data), len(data))
    os.close(fd)


def test_write_goes_on_after_a_short_write(tmp_path: Path, monkeypatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    fd = os.open(tmp_path / "f", os.O_WRONLY | os.O_CREAT)
    write(fd, b"0123456789")
    os.close(fd)
    assert (tmp_path / "f").read_bytes() == b"0123456789"


def test_sync_takes_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    sync(tmp_path / "f")
    sync(tmp_path)
    assert sync_all(tmp_path) in (True, False)


def test_a_young_or_coarse_time_stamp_is_not_trusted() -> None:
    assert settled(1_000_000_001, 2_000_000_000)
    assert not settled(1_000_000_001, 1_010_000_000)
    assert not settled(1_000_000_000, 2_000_000_000)
    assert settled(1_000_000_000, 4_000_000_000)
