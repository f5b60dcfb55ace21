"""What every command does first: the tables, and one line when the data cannot be used."""

from pathlib import Path

import pytest

from tests.web.server import manage


def test_a_command_makes_the_tables_it_needs(tmp_path: Path) -> None:
    done = manage("login_link", data=tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("http://127.0.0.1:8765/login/")


def test_data_may_be_named_for_every_command_and_anywhere(tmp_path: Path) -> None:
    for words in (["verify_journal", "--data", str(tmp_path / "a")], [f"--data={tmp_path / 'b'}", "verify_journal"]):
        done = manage(*words, data=tmp_path / "unused")
        assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("words", [["login_link", "--data"], ["verify_journal", "--data", "--session", "x"]])
def test_data_without_a_folder_is_not_the_usual_one(tmp_path: Path, words: list[str]) -> None:
    done = manage(*words, data=tmp_path / "unused")
    assert done.returncode == 1
    assert done.stderr.strip() == "workbench: --data needs a folder: --data DIR"
    assert not (tmp_path / "unused").exists()


def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = manage("login_link", "--data", str(tmp_path / "file" / "data"), data=tmp_path / "unused")
    assert done.returncode != 0
    assert len(done.stderr.strip().splitlines()) == 1
    assert "cannot be used" in done.stderr


def test_a_broken_database_is_one_line(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert manage("verify_journal", data=data).returncode == 0
    (data / "workbench.sqlite3").write_bytes(b"this is no database at all" * 100)
    done = manage("verify_journal", data=data)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines() == [
        f"workbench: The database {data / 'workbench.sqlite3'} cannot be used: file is not a database."
    ]
