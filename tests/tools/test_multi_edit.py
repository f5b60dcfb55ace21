"""multi_edit through the tool."""

from typing import Any

import path_rows
import pytest

from workbench.files import Refused
from workbench.tools import all_tools


def run(bench: Any, path: str, *edits: tuple[str, str], **more: Any) -> Any:
    made = [{"old_string": old, "new_string": new, **more} for old, new in edits]
    return bench.run(all_tools()["multi_edit"], path=path, edits=made)


@pytest.mark.parametrize("row", path_rows.ROWS, ids=lambda r: r["id"])
def test_the_write_column_of_every_path(row: dict[str, Any], ground: Any, make_bench: Any) -> None:
    """P1-P3"""

    def args(path: Any, text: str | None) -> dict[str, Any]:
        return {"path": path, "edits": [{"old_string": text or "x", "new_string": "new"}]}

    path_rows.check_row(row, ground, make_bench, "multi_edit", args)


def test_one_that_fails_leaves_everything_as_it_was(bench: Any) -> None:
    """E4"""
    (bench.root / "a.txt").write_text("one\ntwo\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    with pytest.raises(Refused, match=r"Edit 2 of 2.*None of the edits was made") as e:
        run(bench, "a.txt", ("one", "1"), ("three", "3"))
    assert (e.value.code, e.value.facts["edit"]) == ("not_found", 2)
    assert (bench.root / "a.txt").read_text() == "one\ntwo\n"
    assert bench.versions.rows == {}


def test_each_sees_what_the_ones_before_it_made(bench: Any) -> None:
    """E4, E5"""
    (bench.root / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    result = run(bench, "a.txt", ("one\n", "uno\ndue\n"), ("due\ntwo", "zwei"), ("three", "drei"))
    assert (bench.root / "a.txt").read_bytes() == b"uno\r\nzwei\r\ndrei\r\n"
    assert len(result.view["versions"]) == 1
    assert "-one" in result.data["diff"]
    assert "+drei" in result.data["diff"]
    run(bench, "a.txt", ("uno\nzwei\ndrei", "done"))  # everything of it is known


def test_lines_that_were_not_seen_are_refused_whichever_edit_touches_them(bench: Any) -> None:
    """S4"""
    (bench.root / "a.txt").write_text("".join(f"l{n}\n" for n in range(1, 101)))
    bench.run(all_tools()["read_file"], path="a.txt", limit=10)
    with pytest.raises(Refused) as e:
        run(bench, "a.txt", ("l3\n", "three\nand more\n"), ("l50\n", "fifty\n"))
    assert e.value.code == "not_read"
    assert e.value.facts["unseen"] == [[50, 50]]
    run(bench, "a.txt", ("l3\n", "three\nand more\n"), ("and more", "no more"), ("l10\n", ""))
    assert (bench.root / "a.txt").read_text().startswith("l1\nl2\nthree\nno more\nl4\n")


def test_edits_that_take_each_other_back_are_refused(bench: Any) -> None:
    (bench.root / "a.txt").write_text("one\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    with pytest.raises(Refused) as e:
        run(bench, "a.txt", ("one", "two"), ("two", "one"))
    assert e.value.code == "noop"


def test_no_edits_and_an_empty_text_are_bad_arguments(bench: Any) -> None:
    for edits in ([], [("", "x")]):
        with pytest.raises(Refused) as e:
            run(bench, "a.txt", *edits)
        assert e.value.code == "bad_args"


def test_only_edits_that_need_a_word_are_told(bench: Any) -> None:
    """The reader pays by the character."""
    (bench.root / "a.txt").write_text("a a\nit\u2019s\nb\n")
    bench.run(all_tools()["read_file"], path="a.txt")
    assert "edits" not in run(bench, "a.txt", ("b\n", "c\n")).data
    edits = [
        {"old_string": "c", "new_string": "d"},
        {"old_string": "a", "new_string": "b", "replace_all": True},
        {"old_string": "it's", "new_string": "it's me"},
    ]
    told = bench.run(all_tools()["multi_edit"], path="a.txt", edits=edits).data["edits"]
    assert told == [{"edit": 2, "replacements": 2}, {"edit": 3, "replacements": 1, "tolerance": "quotes"}]
