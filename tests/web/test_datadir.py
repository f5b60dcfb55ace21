"""The data folder is private, is made on demand, and is served by one process."""

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.web import datadir


def modes(folder: Path) -> dict[str, int]:
    return {p.name: stat.S_IMODE(p.stat().st_mode) for p in [folder, *folder.iterdir()]}


def test_all_of_it_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        datadir.prepare(tmp_path / "deep" / "data")
        assert os.umask(0) == 0, "the person's umask stays as it was"
    finally:
        os.umask(before)
    found = modes(tmp_path / "deep" / "data")
    assert found["data"] == 0o700
    assert found["secret_key"] == found["workbench.sqlite3"] == 0o600
    assert {mode for name, mode in found.items() if name in ("journal", "store", "spool")} == {0o700}


def test_a_second_start_keeps_the_key(tmp_path: Path) -> None:
    datadir.prepare(tmp_path / "data")
    key = (tmp_path / "data" / "secret_key").read_text()
    datadir.prepare(tmp_path / "data")
    assert (tmp_path / "data" / "secret_key").read_text() == key
    assert len(key) >= 50


def test_a_file_in_its_place_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(datadir.Unusable) as caught:
        datadir.prepare(tmp_path / "data")
    assert "cannot be used" in str(caught.value)
    assert "--data" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_second_process_is_told_who_is_first(tmp_path: Path) -> None:
    datadir.prepare(tmp_path)
    lock = datadir.Lock(tmp_path)
    datadir.write_private(tmp_path / "server.json", '{"pid": 7, "url": "http://x"}')
    with pytest.raises(datadir.Unusable, match=r"process 7, http://x"):
        datadir.Lock(tmp_path)
    lock.release()
    datadir.Lock(tmp_path).release()


def test_a_private_file_is_replaced_whole(tmp_path: Path) -> None:
    datadir.write_private(tmp_path / "f", "one")
    datadir.write_private(tmp_path / "f", "two")
    assert (tmp_path / "f").read_text() == "two"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"pid": 1}'])
def test_a_broken_server_file_is_no_server(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)
    assert datadir.server_facts(tmp_path) == {}


def test_the_folder_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    assert datadir.folder() == tmp_path
    monkeypatch.delenv("WORKBENCH_DATA")
    assert datadir.folder().name == "workbench"


def test_of_many_who_start_at_once_one_makes_the_key_and_all_have_it(tmp_path: Path) -> None:
    gate = threading.Barrier(12)

    def start(n: int) -> str:
        gate.wait()
        return datadir.made_once(tmp_path / "key", lambda: f"made by {n}")

    with ThreadPoolExecutor(12) as pool:
        keys = set(pool.map(start, range(12)))
    assert keys == {(tmp_path / "key").read_text()}
    assert [file.name for file in tmp_path.iterdir()] == ["key"]
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
