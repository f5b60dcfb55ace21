"""The journal's second copy (J1, J3)."""

import json
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.journal.jsonl import TAIL, JournalFile, encode, read, verify_file
from workbench.journal.kinds import ModelTurn, Record, UserMessage


def test_records_come_back_as_they_went_in(tmp_path: Path, records: list[Record]) -> None:
    file = JournalFile(tmp_path, "s1")
    assert file.append(records[:2]) == 2
    assert file.append(records[2:]) == 6
    assert [line["seq"] for line in read(file.path)] == [1, 2, 3, 4, 5, 6]
    assert verify_file(file.path) is None
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_what_is_there_already_is_not_written_again(tmp_path: Path, records: list[Record]) -> None:
    file = JournalFile(tmp_path, "s1")
    file.append(records[:4])
    before = file.path.read_bytes()
    assert file.append(records[:4]) == 4
    assert file.append([]) == 4
    assert file.path.read_bytes() == before
    assert file.append(records) == 6


def test_a_gap_is_refused(tmp_path: Path, records: list[Record]) -> None:
    file = JournalFile(tmp_path, "s1")
    file.append(records[:2])
    with pytest.raises(ValueError, match="ends at 2"):
        file.append(records[3:])
    assert verify_file(file.path) is None


def test_no_text_can_forge_a_line(tmp_path: Path, sealer: Callable[..., list[Record]]) -> None:
    evil = 'x\n{"seq": 2}\r\x85\u2028\u2029\x00\x1b]0;title\x07\x7f"\\'
    (record,) = sealer([UserMessage(text=evil, by="m")])
    file = JournalFile(tmp_path, "s1")
    file.append([record])
    raw = file.path.read_bytes()
    assert raw.count(b"\n") == 1 and raw.endswith(b"\n")
    assert not [b for b in raw[:-1] if b < 0x20 or b > 0x7E]
    assert json.loads(raw)["data"]["text"] == evil


@pytest.mark.parametrize("lost", range(1, 60, 7))
def test_a_torn_last_line_is_dropped_and_written_again(tmp_path: Path, records: list[Record], lost: int) -> None:
    JournalFile(tmp_path, "s1").append(records)
    path = tmp_path / "s1.jsonl"
    whole = path.read_bytes()
    os.truncate(path, len(whole) - lost)
    file = JournalFile(tmp_path, "s1")
    assert file.catch_up() == 5
    assert file.append(records) == 6
    assert path.read_bytes() == whole


def test_a_file_torn_in_its_first_line_begins_anew(tmp_path: Path, records: list[Record]) -> None:
    (tmp_path / "s1.jsonl").write_bytes(b'{"session": "s1", "se')
    file = JournalFile(tmp_path, "s1")
    assert file.catch_up() == 0
    assert file.append(records) == 6
    assert verify_file(file.path) is None


def test_a_last_line_longer_than_a_piece_is_found(tmp_path: Path, sealer: Callable[..., list[Record]]) -> None:
    big = sealer([ModelTurn(turn=1, text="y" * (3 * TAIL)), ModelTurn(turn=2, text="z" * (2 * TAIL))])
    JournalFile(tmp_path, "s1").append(big)
    assert JournalFile(tmp_path, "s1").catch_up() == 2
    os.truncate(tmp_path / "s1.jsonl", (tmp_path / "s1.jsonl").stat().st_size - TAIL)
    assert JournalFile(tmp_path, "s1").catch_up() == 1


def test_damage_before_the_last_line_is_not_cut_away(tmp_path: Path, records: list[Record]) -> None:
    JournalFile(tmp_path, "s1").append(records)
    path = tmp_path / "s1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], b"rubbish\n", b"more rubbish"]))
    with pytest.raises(ValueError, match="verify_journal"):
        JournalFile(tmp_path, "s1").catch_up()
    flaw = verify_file(path)
    assert flaw is not None and flaw.seq == 5


def test_a_missing_newline_at_the_end_counts_as_torn(tmp_path: Path, records: list[Record]) -> None:
    JournalFile(tmp_path, "s1").append(records)
    path = tmp_path / "s1.jsonl"
    os.truncate(path, path.stat().st_size - 1)
    flaw = verify_file(path)
    assert flaw is not None and flaw.seq == 6


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a.b", "x" * 65, "é", "a\n"])
def test_a_session_id_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="session id"):
        JournalFile(tmp_path, name)


def test_a_full_disk_loses_nothing_of_what_was_there(tmp_path: Path, records: list[Record]) -> None:
    file = JournalFile(tmp_path, "s1")
    file.append(records[:2])
    file.path.rename(tmp_path / "aside")
    file.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        file.append(records[2:])
    (tmp_path / "aside").rename(file.path)
    assert file.append(records) == 6
    assert verify_file(file.path) is None


def test_several_threads_leave_one_good_file(tmp_path: Path, records: list[Record]) -> None:
    file = JournalFile(tmp_path, "s1", sync=False)
    threads = [threading.Thread(target=file.append, args=(records,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verify_file(file.path) is None and len(list(read(file.path))) == 6


def test_every_tampering_is_found(tmp_path: Path, records: list[Record], rounds: Callable[[int], int]) -> None:
    good = [encode_of(r) for r in records]
    path = tmp_path / "s1.jsonl"
    dice = random.Random(11)
    for _ in range(rounds(1000)):
        lines = list(good)
        at = dice.randrange(len(lines))
        match dice.choice(["flip", "delete", "swap", "insert", "tear"]):
            case "flip":
                bad = bytearray(lines[at])
                bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(7)
                lines[at] = bytes(bad)
            case "delete" if at < len(lines) - 1:
                del lines[at]
            case "swap" if at < len(lines) - 1:
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
            case "insert":
                lines.insert(at, dice.choice(good))
            case _:
                lines[at] = lines[at][: dice.randrange(1, len(lines[at]))]
        path.write_bytes(b"".join(lines))
        flaw = verify_file(path)
        assert flaw is not None and flaw.seq <= at + 2, lines


def encode_of(record: Record) -> bytes:
    from workbench.journal.chain import to_line

    return encode(to_line(record))
