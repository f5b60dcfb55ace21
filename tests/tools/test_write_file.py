"""write_file through the tool: the rows about whole files, paths, and what a row cannot say."""

import os
import stat
from typing import Any

import path_rows
import pytest
from edit_rows import OURS, ROWS, Stage, content, left_over

from workbench.files import Refused
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
