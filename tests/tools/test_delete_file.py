"""delete_file through the tool."""

import os
from typing import Any

import path_rows
import pytest

from workbench.files import Refused
from workbench.policy.call import Mode, Verb
from workbench.policy.decision import decide
from workbench.policy.rules import built_in
from workbench.tools import all_tools


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""
    path_rows.check_row(row, ground, make_bench, "delete_file", lambda path, _text: {"path": path})


def test_it_asks_in_every_mode_that_writes(bench: Any) -> None:
    """G1, G7"""
    (bench.root / "a.txt").write_text("x")
    delete = all_tools()["delete_file"]
    call = delete.call(delete.parse({"path": "a.txt"}), bench.context())
    assert [e.verb for e in call.effects] == [Verb.DELETE]
    for mode in (Mode.ASK, Mode.AUTO):
        assert decide(call, built_in(), mode, contained=True).outcome == "ask"
    assert decide(call, built_in(), Mode.PLAN, contained=True).outcome == "deny"


def test_what_is_gone_can_come_back(bench: Any) -> None:
    """H1, W3"""
    (bench.root / "a.txt").write_bytes(b"caf\xe9\n")
    result = bench.run(all_tools()["delete_file"], path="a.txt")
    assert not (bench.root / "a.txt").exists()
    row = bench.versions.get(*result.view["versions"])
    assert (row.status, row.after.kind) == ("done", "absent")
    assert bench.store.get(row.before.sha256) == b"caf\xe9\n"


def test_the_result_shows_what_was_in_it(bench: Any) -> None:
    """E5"""
    (bench.root / "a.txt").write_text("one\ntwo\n")
    data = bench.run(all_tools()["delete_file"], path="a.txt").data
    assert "-one\n-two\n" in data["diff"]
    assert data["size_bytes"] == 8


def test_a_deleted_credential_is_not_shown(bench: Any) -> None:
    """P3: to agree to its deletion is not to agree to its reading"""
    (bench.root / ".env").write_text("TOKEN=v8Kq2Lm9\n")
    data = bench.run(all_tools()["delete_file"], path=".env").data
    assert "v8Kq2Lm9" not in str(data)


def test_a_deleted_file_is_no_longer_known(bench: Any) -> None:
    """S2"""
    (bench.root / "a.txt").write_text("one\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    bench.run(all_tools()["delete_file"], path="a.txt")
    (bench.root / "a.txt").write_text("one\n")
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["edit_file"], path="a.txt", old_string="one", new_string="two")
    assert e.value.code == "not_read"


def test_a_link_goes_and_its_target_stays(bench: Any) -> None:
    (bench.root / "real.txt").write_text("x")
    (bench.root / "link").symlink_to("real.txt")
    bench.run(all_tools()["delete_file"], path="link")
    assert not os.path.lexists(bench.root / "link")
    assert (bench.root / "real.txt").read_text() == "x"


def test_a_folder_is_refused(bench: Any) -> None:
    (bench.root / "d").mkdir()
    with pytest.raises(Refused) as e:
        bench.run(all_tools()["delete_file"], path="d")
    assert e.value.code == "is_directory"
    assert (bench.root / "d").is_dir()


def test_what_cannot_be_kept_says_so(bench: Any) -> None:
    """W3"""
    (bench.root / "a.bin").write_bytes(b"\0" * 2000)
    bench.store.max_size = 1000
    delete = all_tools()["delete_file"]
    call = delete.call(delete.parse({"path": "a.bin"}), bench.context())
    assert "cannot be brought back" in call.effects[0].detail
