"""write_file through the tool: the rows about whole files, paths, and what a row cannot say."""

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import path_rows
import pytest
from edit_rows import OURS, ROWS, Stage, content, left_over

from workbench.files import Refused, atomic
from workbench.history import writing
from workbench.policy.call import Verb
from workbench.tools import all_tools


@pytest.mark.parametrize("row", [r for r in ROWS if r.get("tool") == "write_file"], ids=lambda r: r["id"])
def test_every_row_of_the_cases(row: dict[str, Any], bench: Any) -> None:
    """W1, S2, S3"""
    stage = Stage(row, bench)
    stage.prepare()
    lies = stage.target.read_bytes() if stage.target.is_file() else None
    info = stage.target.stat() if stage.target.is_file() else None
    said = stage.call()
    expect = row["expect"]
    assert not list(left_over(bench.root))
    if "error" in expect:
        assert said.get("error") == OURS.get(expect["error"], expect["error"]), said
        if lies is not None and info is not None:
            assert stage.target.read_bytes() == lies
            assert stage.target.stat().st_mtime_ns == info.st_mtime_ns
        return
    assert "error" not in said, said
    assert stage.target.read_bytes() == content(expect, "after")
    if "mode" in expect:
        assert stat.S_IMODE(stage.file.stat().st_mode) == int(expect["mode"], 8)
    assert stage.file.is_symlink() == bool(expect.get("link_kept"))


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""
    path_rows.check_row(row, ground, make_bench, "write_file", lambda path, _text: {"path": path, "content": "new"})


def test_a_file_that_the_user_makes_at_the_last_moment_is_theirs(bench: Any) -> None:
    """W2: the exclusive create, as in row write-06"""
    stage = Stage(next(r for r in ROWS if r["id"] == "write-06"), bench)
    stage.prepare()
    assert stage.call()["error"] == "stale"
    assert stage.file.read_text() == "mine\n"


def test_a_new_file_gets_its_folders_and_what_the_umask_says(bench: Any) -> None:
    """W1"""
    old = os.umask(0o027)
    try:
        result = bench.run(all_tools()["write_file"], path="new/sub/a.txt", content="hello\n")
    finally:
        os.umask(old)
    assert (bench.root / "new/sub/a.txt").read_text() == "hello\n"
    assert stat.S_IMODE((bench.root / "new/sub/a.txt").stat().st_mode) == 0o640
    assert result.data["created"] is True
    assert "+hello" in result.data["diff"]
    bench.run(all_tools()["edit_file"], path="new/sub/a.txt", old_string="hello", new_string="bye")


def test_the_content_is_literal(bench: Any) -> None:
    """W1"""
    text = "$HOME `date` $(id) \\n \\t 'single' \"double\" ${x} %s EOF\nEOF\r\n\ttab\u2028\x0b"
    bench.run(all_tools()["write_file"], path="a.txt", content=text)
    assert (bench.root / "a.txt").read_bytes() == text.encode()


def test_an_encoding_is_kept_and_what_does_not_fit_is_refused(bench: Any) -> None:
    """W1, R5"""
    (bench.root / "a.txt").write_bytes(b"\xff\xfe" + "eins\r\nzwei\r\n".encode("utf-16le"))
    bench.run(all_tools()["read_file"], path="a.txt")
    bench.run(all_tools()["write_file"], path="a.txt", content="drei\n🎉\n")
    assert (bench.root / "a.txt").read_bytes() == b"\xff\xfe" + "drei\r\n🎉\r\n".encode("utf-16le")
    (bench.root / "b.txt").write_bytes("プログラム = 1\n".encode("shift_jis"))
    bench.run(all_tools()["read_file"], path="b.txt", encoding="shift_jis")
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["write_file"], path="b.txt", content="🎉\n", encoding="shift_jis")
    assert e.value.code == "unencodable"
    assert (bench.root / "b.txt").read_bytes() == "プログラム = 1\n".encode("shift_jis")


def test_a_binary_file_is_not_overwritten_with_text(bench: Any) -> None:
    """W4"""
    (bench.root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["write_file"], path="a.png", content="text")
    assert e.value.code == "binary"


def test_too_much_is_refused(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """W4"""
    monkeypatch.setattr(writing, "MAX_SIZE", 100)
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["write_file"], path="a.txt", content="x" * 101)
    assert e.value.code == "too_large"
    (bench.root / "b.txt").write_text("y" * 101)
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["write_file"], path="b.txt", content="x")
    assert e.value.code == "too_large"
    assert not (bench.root / "a.txt").exists()


def test_a_secret_in_a_new_file_asks(bench: Any) -> None:
    """W4"""
    write = all_tools()["write_file"]
    token = "ghp_" + "x7Kq2Lm9Pv4Rt8Wz1Yb3Nc5Hd6Jf0Gs2Aq7E"
    call = write.call(write.parse({"path": "a.sh", "content": f"#!/bin/sh\nexport T={token}\n"}), bench.context())
    assert [(e.verb, e.target, e.detail) for e in call.effects if e.verb is Verb.SECRET] == [
        (Verb.SECRET, "a.sh", "GitHub token in line 2: ghp_…q7E")
    ]


# --- killed at any moment --------------------------------------------------------------------------------------------

LINES = 2000


def whole(number: int) -> str:
    return f"{number}\n" * LINES


def work_until_killed(bench: Any, start: int, tell: int) -> None:
    """Write, edit and move, telling of each success: what a session does all day."""
    tools = all_tools()
    for name in ("written.txt", "edited.txt"):
        bench.seen.wrote(name, (bench.root / name).read_bytes(), None)
    for n in range(start, start + 1000):
        bench.run(tools["write_file"], path="written.txt", content=whole(n + 1))
        os.write(tell, b"w%d " % (n + 1))
        old, new = f"{n}\n", f"{n + 1}\n"
        bench.run(tools["edit_file"], path="edited.txt", old_string=old, new_string=new, replace_all=True)
        os.write(tell, b"e%d " % (n + 1))
        bench.run(tools["move_file"], source=f"d/{n}.txt", destination=f"d/{n + 1}.txt")
        os.write(tell, b"m%d " % (n + 1))


def number_of(path: Path) -> int:
    """The number that the file holds on every line; a torn file fails."""
    text = path.read_text()
    assert text == whole(int(text.partition("\n")[0])), f"{path.name} is torn"
    return int(text.partition("\n")[0])


def killed_at_random(bench: Any, start: int, after: float) -> dict[str, int]:
    """Fork, work, kill -9; the last number that each kind of change was told of."""
    listen, tell = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            work_until_killed(bench, start, tell)
        finally:
            os._exit(1)
    os.close(tell)
    told = os.read(listen, 8)  # it works
    time.sleep(after)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while piece := os.read(listen, 65536):
        told += piece
    os.close(listen)
    return {mark: max((int(w[1:]) for w in told.decode().split() if w[0] == mark), default=start) for mark in "wem"}


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_kill_at_any_moment_leaves_old_or_new(bench: Any, rounds: Callable[[int], int]) -> None:
    """W2: none torn, no acknowledged change lost, nothing left over after the next start"""
    chance = random.Random(7)
    for name in ("written.txt", "edited.txt", "d/0.txt"):
        (bench.root / name).parent.mkdir(exist_ok=True)
        (bench.root / name).write_text(whole(0))
    left = 0
    for _ in range(rounds(300)):
        start = number_of(bench.root / "edited.txt")
        (bench.root / "written.txt").write_text(whole(start))
        (moved,) = (bench.root / "d").glob("[0-9]*.txt")
        moved.rename(bench.root / f"d/{start}.txt")
        told = killed_at_random(bench, start, chance.uniform(0, 0.03))
        assert number_of(bench.root / "written.txt") in (told["w"], told["w"] + 1)
        assert number_of(bench.root / "edited.txt") in (told["e"], told["e"] + 1)
        (moved,) = (bench.root / "d").glob("[0-9]*.txt")
        assert int(moved.stem) in (told["m"], told["m"] + 1)
        assert number_of(moved) == 0
        left += len(atomic.sweep(bench.root))
        assert not list(left_over(bench.root))
        assert sorted(os.listdir(bench.root)) == ["d", "edited.txt", "written.txt"]


# --- someone swaps a folder for a link -------------------------------------------------------------------------------

SWAP = """
import ctypes, os, random, sys, time
libc = ctypes.CDLL(None)
one, other = map(os.fsencode, sys.argv[1:3])
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(random.choice((2, 2, 20))):
        libc.renameat2(-100, one, -100, other, 2)
        if random.random() < 0.2:
            time.sleep(random.random() / 5000)
    time.sleep(random.random() / 500)
"""


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Someone exchanges two names and back, in moments that no one can foresee."""
    busy = subprocess.Popen([sys.executable, "-c", SWAP, str(one), str(other)])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def next_call(n: int, bench: Any, inside: Path) -> tuple[str, dict[str, Any]]:
    """A call that would succeed if nobody interfered, each tool in turn. `inside` is the folder by its descriptor."""
    if n % 3 == 0:
        exists = (inside / "new.txt").exists()
        return (
            ("delete_file", {"path": "d/e/new.txt"})
            if exists
            else (
                "write_file",
                {"path": "d/e/new.txt", "content": "new\n"},
            )
        )
    if n % 3 == 1:
        text = (inside / "f.txt").read_text()
        bench.seen.wrote("d/e/f.txt", text.encode(), None)
        return "edit_file", {"path": "d/e/f.txt", "old_string": text, "new_string": f"{n}\n"}
    source, destination = ("g", "h") if (inside / "g.txt").exists() else ("h", "g")
    return "move_file", {"source": f"d/e/{source}.txt", "destination": f"d/e/{destination}.txt"}


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_no_write_ever_lands_outside(ground: Any, make_bench: Any, rounds: Callable[[int], int]) -> None:
    """P1: while a folder on the path is swapped for a link that leads outside, and back"""
    for folder in (ground.ws / "d" / "e", ground.out / "e"):
        folder.mkdir(parents=True)
        for name in ("f.txt", "g.txt"):
            (folder / name).write_text("one\n")
    (ground.ws / "x").symlink_to("../out")
    outside = path_rows.tree(ground.out)
    bench = make_bench(ground.ws)
    inside = os.open(ground.ws / "d" / "e", os.O_PATH)
    done = dict.fromkeys(("write_file", "edit_file", "move_file", "delete_file"), 0)
    refused = 0
    with swapping(ground.ws / "d", ground.ws / "x"):
        for n in range(rounds(30_000)):
            name, args = next_call(n, bench, Path(f"/proc/self/fd/{inside}"))
            try:
                bench.run(all_tools()[name], **args)
                done[name] += 1
            except Refused:
                refused += 1
            if n % 50 == 0:
                assert path_rows.tree(ground.out) == outside
    os.close(inside)
    assert path_rows.tree(ground.out) == outside
    assert all(done.values()), done
    assert refused
    assert not list(left_over(ground.ws))


def test_an_empty_new_file_is_told_without_a_word_about_its_diff(bench: Any) -> None:
    data = bench.run(all_tools()["write_file"], path="empty.txt", content="").data
    assert (data["created"], data["diff"], "notes" in data) == (True, "", False)
