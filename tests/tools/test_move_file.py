"""move_file through the tool."""

import os
import threading
from typing import Any

import path_rows
import pytest

from workbench.files import Refused
from workbench.policy.call import Verb
from workbench.tools import all_tools


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path_as_the_source(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""

    def args(path: Any, _text: str | None) -> dict[str, Any]:
        return {"source": path, "destination": "wb-new.txt"}

    path_rows.check_row(row, ground, make_bench, "move_file", args)


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path_as_the_destination(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""
    (ground.ws / "wb-old.txt").write_text("moved")

    def args(path: Any, _text: str | None) -> dict[str, Any]:
        return {"source": "wb-old.txt", "destination": path}

    path_rows.check_row(row, ground, make_bench, "move_file", args)


def test_the_file_and_what_is_known_of_it_move(bench: Any) -> None:
    """W, S1, H1"""
    (bench.root / "a.txt").write_text("one\n")
    (bench.root / "a.txt").chmod(0o755)
    bench.run(all_tools()["read_file"], path="a.txt")
    result = bench.run(all_tools()["move_file"], source="a.txt", destination="new/b.txt")
    assert not (bench.root / "a.txt").exists()
    assert (bench.root / "new/b.txt").stat().st_mode & 0o777 == 0o755
    there, gone = (bench.versions.get(v) for v in result.view["versions"])
    assert (there.path, there.before.kind, there.after.kind) == ("new/b.txt", "absent", "file")
    assert (gone.path, gone.before.kind, gone.after.kind) == ("a.txt", "file", "absent")
    bench.run(all_tools()["edit_file"], path="new/b.txt", old_string="one", new_string="two")


def test_both_ends_are_effects(bench: Any) -> None:
    """G1"""
    (bench.root / "a.txt").write_text("x")
    move = all_tools()["move_file"]
    call = move.call(move.parse({"source": "a.txt", "destination": ".envrc"}), bench.context())
    assert [(e.verb, e.target) for e in call.effects] == [
        (Verb.WRITE_WS, "a.txt"),
        (Verb.WRITE_WS, ".envrc"),
        (Verb.PERSIST, ".envrc"),
    ]


@pytest.mark.parametrize("there", ["file", "folder", "link", "dangling link"])
def test_nothing_is_ever_overwritten(bench: Any, there: str) -> None:
    (bench.root / "a.txt").write_text("mine")
    target = bench.root / "b.txt"
    if there == "file":
        target.write_text("theirs")
    elif there == "folder":
        target.mkdir()
    else:
        target.symlink_to("a.txt" if there == "link" else "nowhere")
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["move_file"], source="a.txt", destination="b.txt")
    assert e.value.code == ("is_directory" if there == "folder" else "exists")
    assert (bench.root / "a.txt").read_text() == "mine"
    assert os.path.lexists(target)


def test_a_name_taken_at_the_last_moment_is_left_alone(bench: Any) -> None:
    """W2"""
    (bench.root / "a.txt").write_text("mine")
    finish = bench.versions.begin

    def overtaken(**row: Any) -> int:
        if row["path"] == "b.txt":
            (bench.root / "b.txt").write_text("theirs")
        return int(finish(**row))

    bench.versions.begin = overtaken
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["move_file"], source="a.txt", destination="b.txt")
    assert e.value.code == "exists"
    assert (bench.root / "a.txt").read_text() == "mine"
    assert (bench.root / "b.txt").read_text() == "theirs"


def test_a_link_is_moved_itself(bench: Any) -> None:
    (bench.root / "real.txt").write_text("x")
    (bench.root / "link").symlink_to("real.txt")
    bench.run(all_tools()["move_file"], source="link", destination="other")
    assert os.readlink(bench.root / "other") == "real.txt"


def test_moves_in_opposite_directions_do_not_wait_for_each_other(bench: Any) -> None:
    (bench.root / "d").mkdir()
    names = [("a.txt", "d/a.txt"), ("d/a.txt", "a.txt")]
    (bench.root / "a.txt").write_text("x")
    wrong: list[BaseException] = []

    def run(source: str, destination: str) -> None:
        for _ in range(10):
            try:
                bench.run(all_tools()["move_file"], source=source, destination=destination)
            except Refused as e:
                if e.code not in ("no_file", "exists", "stale", "conflict"):
                    wrong.append(e)

    threads = [threading.Thread(target=run, args=pair) for pair in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    assert sum((bench.root / name).exists() for name in ("a.txt", "d/a.txt")) == 1
