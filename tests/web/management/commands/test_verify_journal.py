"""`verify_journal` finds any change, and names the first event that does not fit (J2)."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.scripted import Scripted
from tests.web.server import manage

Tamper = Callable[[sqlite3.Connection], object]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, model: Scripted) -> Path:
    """A data folder with one session of nine events."""
    home = tmp_path_factory.mktemp("journal")
    (home / "ws").mkdir()
    words = ["run", "ask", "--model", "openai:scripted", "--workspace", str(home / "ws"), "--approve", "all", "--json"]
    done = manage(*words, data=home / "data", env=model.env)
    assert done.returncode == 0, done.stderr
    return home / "data"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    source, target = sqlite3.connect(made / "workbench.sqlite3"), tmp_path / "data"
    (target / "journal").mkdir(parents=True)
    aim = sqlite3.connect(target / "workbench.sqlite3")
    source.backup(aim)
    source.close()
    aim.close()
    for file in (made / "journal").glob("*.jsonl"):
        (target / "journal" / file.name).write_bytes(file.read_bytes())
    return target


def change(data: Path, sql: str, *values: object) -> None:
    rows = sqlite3.connect(data / "workbench.sqlite3")
    rows.execute("PRAGMA foreign_keys = OFF")
    rows.execute(sql, values)
    rows.commit()
    rows.close()


def test_an_untouched_journal_is_whole(copy: Path) -> None:
    done = manage("verify_journal", data=copy)
    assert done.returncode == 0, done.stdout
    assert "nothing was changed" in done.stdout


CHANGES = {
    "a word": ("UPDATE web_event SET body = replace(body, 'Which', 'What') WHERE kind = 'question_asked'", 5),
    "a time that is none": ("UPDATE web_event SET at = 'noon' WHERE seq = 3", 3),
    "a body that is no JSON": ("UPDATE web_event SET body = '{' WHERE seq = 6", 6),
    "one is hidden from the page": ('UPDATE web_event SET "row" = 0 WHERE seq = 2', 2),
    "one is moved to another card": ("UPDATE web_event SET call_id = 'other' WHERE kind = 'question_asked'", 5),
    "one is gone": ("DELETE FROM web_event WHERE seq = 4", 4),
    "the end is gone": ("DELETE FROM web_event WHERE seq >= 8", 8),
    "all is gone": ("DELETE FROM web_event", 1),
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_a_change_in_the_database_is_named(copy: Path, what: str) -> None:
    sql, seq = CHANGES[what]
    change(copy, sql)
    done = manage("verify_journal", data=copy)
    assert done.returncode == 1
    assert f"event {seq}:" in done.stdout


def test_a_change_in_the_file_is_named(copy: Path) -> None:
    (file,) = (copy / "journal").glob("*.jsonl")
    lines = file.read_text().splitlines()
    line = json.loads(lines[4])
    line["data"]["question"] = "Something else?"
    lines[4] = json.dumps(line)
    file.write_text("\n".join(lines) + "\n")
    done = manage("verify_journal", data=copy)
    assert done.returncode == 1
    assert "event 5: in " in done.stdout


def test_a_file_that_ends_early_or_is_gone_is_named(copy: Path) -> None:
    (file,) = (copy / "journal").glob("*.jsonl")
    file.unlink()
    done = manage("verify_journal", data=copy)
    assert done.returncode == 1
    assert "is gone" in done.stdout


def test_a_file_that_lacks_its_end_is_said_but_is_no_change(copy: Path) -> None:
    (file,) = (copy / "journal").glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-2]))
    done = manage("verify_journal", data=copy)
    assert done.returncode == 0
    assert f"ends at event {len(lines) - 2} of {len(lines)}" in done.stdout


def test_a_session_that_was_removed_is_named_by_its_file(copy: Path) -> None:
    change(copy, "DELETE FROM web_event")
    change(copy, "DELETE FROM web_session")
    done = manage("verify_journal", data=copy)
    assert done.returncode == 1
    assert "the database has no session for the file" in done.stdout


def test_a_session_that_is_not_there_is_no_clean_bill(copy: Path) -> None:
    done = manage("verify_journal", "--session", "nobody", data=copy)
    assert done.returncode == 1
    assert "There is no session nobody" in done.stderr
