"""edit_file through the tool: every row of tests/data/edits, and what a row cannot say."""

import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import path_rows
import pytest
from edit_rows import OURS, ROWS, Stage, content, left_over

from workbench.files import Refused
from workbench.policy.call import Verb
from workbench.tools import all_tools


@contextmanager
def tokens(names: Mapping[str, str] | None) -> Iterator[None]:
    """The tool with the sanitised tokens of a row."""
    tool: Any = all_tools()["edit_file"]
    if names is not None:
        tool.tokens = names
    try:
        yield
    finally:
        vars(tool).pop("tokens", None)


@pytest.mark.parametrize("row", [r for r in ROWS if r.get("tool") != "write_file"], ids=lambda r: r["id"])
def test_every_row_of_the_cases(row: dict[str, Any], bench: Any) -> None:
    """E1-E3, S1-S4"""
    stage = Stage(row, bench)
    stage.prepare()
    lies = stage.target.read_bytes() if "\0" not in stage.name and stage.target.is_file() else None
    with tokens(row.get("map")):
        said = stage.call()
    expect = row["expect"]
    assert not list(left_over(bench.root))
    if "error" in expect:
        assert said.get("error") == OURS.get(expect["error"], expect["error"]), said
        assert expect.get("hint", "") in said["message"]
        for fact in ("count", "lines"):
            if fact in expect:
                assert said[fact] == expect[fact]
        assert lies is None or stage.target.read_bytes() == lies, "an error changed the file"
        return
    assert "error" not in said, said
    assert stage.target.read_bytes() == content(expect, "after")
    assert said.get("replacements", 1) == expect.get("replacements", said.get("replacements", 1))
    if "mode" in expect:
        assert stat.S_IMODE(stage.file.stat().st_mode) == int(expect["mode"], 8)
    if expect.get("link_kept"):
        assert stage.file.is_symlink()
        assert "symbolic link" in " ".join(said["notes"])
    if "other_name_after" in expect:
        assert (bench.root / "other").read_text() == expect["other_name_after"]
        assert "hard link" in " ".join(said["notes"])


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""

    def args(path: Any, text: str | None) -> dict[str, Any]:
        return {"path": path, "old_string": text or "", "new_string": "new"}

    path_rows.check_row(row, ground, make_bench, "edit_file", args)


def test_what_was_seen_and_only_that_can_be_changed(bench: Any) -> None:
    """S2, S4"""
    (bench.root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 301)))
    edit = all_tools()["edit_file"]
    with pytest.raises(Refused, match="was not read") as e:
        bench.run(edit, path="a.txt", old_string="line 5\n", new_string="x\n")
    assert e.value.code == "not_read"
    bench.run(all_tools()["read_file"], path="a.txt", limit=10)
    bench.run(edit, path="a.txt", old_string="line 5\n", new_string="five\nand a half\n")
    with pytest.raises(Refused) as e:
        bench.run(edit, path="a.txt", old_string="line 200", new_string="x")
    assert e.value.code == "not_read"
    assert "offset=200, limit=1" in e.value.message  # one line further down than before
    bench.run(all_tools()["read_file"], path="a.txt", offset=200, limit=1)
    bench.run(edit, path="a.txt", old_string="line 200\n", new_string="two hundred\n")
    assert "five\nand a half\nline 6\n" in (bench.root / "a.txt").read_text()


def test_the_result_has_the_diff_and_the_version(bench: Any) -> None:
    """E5, H1"""
    (bench.root / "a.py").write_text("def f():\n    return 1\n")
    bench.run(all_tools()["read_file"], path="a.py")
    result = bench.run(all_tools()["edit_file"], path="a.py", old_string="return 1", new_string="return 2")
    assert result.data["diff"].endswith("-    return 1\n+    return 2\n")
    (version,) = result.view["versions"]
    row = bench.versions.get(version)
    assert row.status == "done"
    assert bench.store.get(row.before.sha256) == b"def f():\n    return 1\n"
    assert row.after.sha256 == result.data["version"]


def test_the_read_state_can_be_rebuilt_from_the_notes(bench: Any) -> None:
    """S1, A7"""
    (bench.root / "a.txt").write_text("one\ntwo\n")
    notes = bench.run(all_tools()["read_file"], path="a.txt").view["seen"]
    notes += bench.run(all_tools()["edit_file"], path="a.txt", old_string="one", new_string="1").view["seen"]
    bench.seen = type(bench.seen)()
    bench.seen.apply(notes)
    bench.run(all_tools()["edit_file"], path="a.txt", old_string="1\ntwo", new_string="1\n2")
    assert (bench.root / "a.txt").read_text() == "1\n2\n"


def test_a_stale_file_is_refused_with_what_changed(bench: Any) -> None:
    """S3"""
    (bench.root / "a.txt").write_text("one\ntwo\nthree\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    (bench.root / "a.txt").write_text("one\nTWO\nthree\n")
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["edit_file"], path="a.txt", old_string="one", new_string="1")
    assert e.value.code == "stale"
    assert "+TWO" in e.value.facts["diff"]


def test_a_new_secret_asks_and_an_old_one_does_not(bench: Any) -> None:
    """W4"""
    key = "AKIA" + "Q3EGVXWZT5LMNP2R"
    (bench.root / "a.py").write_text(f"key = '{key}'\nregion = 'eu'\n")
    bench.run(all_tools()["read_file"], path="a.py")
    edit = all_tools()["edit_file"]
    calm = edit.call(edit.parse({"path": "a.py", "old_string": "'eu'", "new_string": "'us'"}), bench.context())
    assert {e.verb for e in calm.effects} == {Verb.WRITE_WS}
    other = "AKIA" + "Z7TRAVLQ4NMWX9BC"
    raw = {"path": "a.py", "old_string": "region", "new_string": f"other = '{other}'\nregion"}
    (told,) = (e for e in edit.call(edit.parse(raw), bench.context()).effects if e.verb is Verb.SECRET)
    assert told.detail == "AWS key in line 2: AKIA…9BC"
    assert other not in str(told)


def test_what_the_history_cannot_keep_asks(bench: Any) -> None:
    """W3"""
    (bench.root / "a.txt").write_text("x" * 2000)
    bench.run(all_tools()["read_file"], path="a.txt")
    bench.store.max_size = 1000
    edit = all_tools()["edit_file"]
    args = edit.parse({"path": "a.txt", "old_string": "x" * 2000, "new_string": "y"})
    (told,) = (e for e in edit.call(args, bench.context()).effects if e.verb is Verb.DELETE)
    assert "cannot be taken back" in told.detail
    assert edit.run(args, bench.context()).data["total_lines"] == 1


def test_a_tool_says_what_it_replaces(bench: Any) -> None:
    assert "instead of sed" in all_tools()["edit_file"].description


@pytest.mark.parametrize("named", ["when it was read", "when it is edited"])
def test_an_encoding_that_was_named_holds(bench: Any, named: str) -> None:
    """R5, E3"""
    (bench.root / "a.txt").write_bytes("名称=测试\n".encode("gb18030"))
    reading = {"encoding": "gb18030"} if named == "when it was read" else {}
    bench.run(all_tools()["read_file"], path="a.txt", **reading)
    editing = {} if reading else {"encoding": "gb18030"}
    result = bench.run(all_tools()["edit_file"], path="a.txt", old_string="测试", new_string="正式", **editing)
    assert (bench.root / "a.txt").read_bytes() == "名称=正式\n".encode("gb18030")
    assert "+名称=正式" in result.data["diff"]
    assert result.data["encoding"] == "gb18030"
