"""The way of every change of a text: planned for what lies there, kept before, recorded after."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.files.decode import UTF8
from workbench.files.seen import Seen
from workbench.history import writing
from workbench.history.writing import Planned, change, foresee, text_diff
from workbench.policy.call import Verb


def upper(data: bytes | None) -> Planned:
    text = (data or b"new").decode()
    return Planned(text.upper().encode(), UTF8, text if data else "", text.upper(), None)


def test_the_old_content_is_kept_and_the_new_recorded(work: Any) -> None:
    """W3, H1"""
    work.person("a.txt", b"one\n")
    data, view = change(work.history(), Seen(), work.fence.resolve("a.txt"), upper)
    row = work.rows.get(*view["versions"])
    assert work.path("a.txt").read_bytes() == b"ONE\n"
    assert work.store.get(row.before.sha256) == b"one\n"
    assert work.store.get(row.after.sha256) == b"ONE\n"
    assert data["version"] == row.after.sha256
    assert view["seen"][0]["path"] == "a.txt"


def test_what_came_between_looking_and_locking_is_planned_for_anew(work: Any) -> None:
    """S3, A2: two edits of one file at once both land"""
    work.person("a.txt", b"one\n")
    seen: list[bytes | None] = []

    def plan(data: bytes | None) -> Planned:
        if not seen:
            work.person("a.txt", b"two\n")
        seen.append(data)
        return upper(data)

    change(work.history(), Seen(), work.fence.resolve("a.txt"), plan)
    assert seen == [b"one\n", b"two\n"]
    assert work.path("a.txt").read_bytes() == b"TWO\n"
    assert [v.status for v in map(work.rows.get, (1, 2))] == ["dropped", "done"]


def test_a_file_that_never_holds_still_is_a_conflict(work: Any) -> None:
    count = 0

    def plan(data: bytes | None) -> Planned:
        nonlocal count
        count += 1
        work.person("a.txt", b"%d" % count)
        return upper(data)

    work.person("a.txt", b"0")
    with pytest.raises(Refused) as e:
        change(work.history(), Seen(), work.fence.resolve("a.txt"), plan)
    assert e.value.code == "conflict"
    assert work.path("a.txt").read_bytes() == b"%d" % count
    assert work.rows.pending(str(work.root)) == []


def test_a_file_that_appears_meanwhile_is_not_planned_over(work: Any) -> None:
    """W2"""

    def plan(data: bytes | None) -> Planned:
        work.person("a.txt", b"mine")
        return upper(data)

    with pytest.raises(Refused) as e:
        change(work.history(), Seen(), work.fence.resolve("a.txt"), plan)
    assert e.value.code == "stale"
    assert work.path("a.txt").read_bytes() == b"mine"


def test_a_failed_write_leaves_no_version(work: Any) -> None:
    work.person("a.txt", b"one\n")
    work.path("a.txt").chmod(0o444)
    with pytest.raises(Refused) as e:
        change(work.history(), Seen(), work.fence.resolve("a.txt"), upper)
    assert e.value.code == "permission"
    assert work.rows.get(1).status == "dropped"
    assert work.rows.pending(str(work.root)) == []


def test_a_failed_write_leaves_no_folders(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """W1, W2"""
    work.path("kept").mkdir()

    def fail(*_args: Any, **_more: Any) -> None:
        raise Refused("io", "the disk is full")

    monkeypatch.setattr(writing.atomic, "write", fail)
    with pytest.raises(Refused, match="the disk is full"):
        change(work.history(), Seen(), work.fence.resolve("kept/new/sub/a.txt"), upper)
    assert [p.name for p in work.root.rglob("*")] == ["kept"]


def test_a_refusal_of_the_plan_touches_nothing(work: Any) -> None:
    def plan(_data: bytes | None) -> Planned:
        raise Refused("noop", "nothing to do")

    for call in (
        lambda place: foresee(work.history(), place, plan),
        lambda place: change(work.history(), Seen(), place, plan),
    ):
        with pytest.raises(Refused, match="nothing to do"):
            call(work.fence.resolve("a.txt"))
    assert work.rows.get(1) is None


def test_the_effects_are_known_before(work: Any) -> None:
    """W4, P3"""
    secret = "AKIA" + "Q3EGVXWZT5LMNP2R"

    def plan(data: bytes | None) -> Planned:
        before = (data or b"").decode()
        after = before.replace("\n", f"\n{secret}\n", 1)
        return Planned(after.encode(), UTF8, before, after, None)

    work.person(".envrc", b"one\ntwo\n")
    effects = foresee(work.history(), work.fence.resolve(".envrc"), plan)
    assert [(e.verb, e.target) for e in effects] == [
        (Verb.WRITE_WS, ".envrc"),
        (Verb.PERSIST, ".envrc"),
        (Verb.SECRET, ".envrc"),
    ]
    assert effects[2].detail.startswith("AWS key in line 2")
    assert work.path(".envrc").read_bytes() == b"one\ntwo\n"


def test_a_link_keeps_its_name_and_the_result_says_where_it_leads(work: Any) -> None:
    """E3"""
    work.person("d/real.txt", b"one\n")
    work.path("link").symlink_to("d/real.txt")
    data, _ = change(work.history(), Seen(), work.fence.resolve("link"), upper)
    assert work.path("link").is_symlink()
    assert work.path("d/real.txt").read_bytes() == b"ONE\n"
    assert data["path"] == "d/real.txt"
    assert "link was kept" in data["notes"][0]


def test_a_missing_file_names_similar_ones(work: Any) -> None:
    work.person("src/main.py", b"")
    found = writing.missing(work.fence, "src/mian.py")
    assert found.code == "no_file"
    assert "src/main.py" in found.message


# --- the diff --------------------------------------------------------------------------------------------------------


def patched(before: str, diff: str) -> str:
    """The text after a unified diff, which must fit line by line."""
    lines = before.splitlines(keepends=True)
    out: list[str] = []
    at = 0
    for line in re.split(r"(?<=\n)", diff):
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(found[1]) - (found[2] != "0")
            out += lines[at:start]
            at = start
        elif line.startswith("\\"):
            out[-1] = out[-1].removesuffix("\n")
        elif line.startswith(("---", "+++")) and not out and at == 0:
            continue
        elif line[:1] in (" ", "-"):
            assert lines[at].removesuffix("\n") == line[1:].removesuffix("\n")
            if line[0] == " ":
                out.append(lines[at])
            at += 1
        elif line[:1] == "+":
            out.append(line[1:])
    return "".join(out + lines[at:])


@given(
    st.lists(st.sampled_from(["a\n", "b\n", "c d\n", "\n"]), max_size=30),
    st.integers(0, 30),
    st.integers(0, 5),
    st.lists(st.sampled_from(["x\n", "a\n", "\n"]), max_size=4),
)
def test_the_diff_leads_from_before_to_after(lines: list[str], at: int, cut: int, new: list[str]) -> None:
    """E5: also its line numbers, although only the region that changed is compared"""
    before = "".join(lines)
    after = "".join(lines[:at] + new + lines[at + cut :])
    assert patched(before, text_diff(before, after, "a.txt")) == after


def test_the_diff_of_a_large_file_is_as_short_as_the_change() -> None:
    before = "line\n" * 2_000_000
    after = before[:5_000_000] + "new\n" + before[5_000_000:]
    diff = text_diff(before, after, "a.txt")
    assert "+new" in diff
    assert len(diff) < 400


def test_a_long_diff_is_cut_and_says_so() -> None:
    diff = text_diff("", "line\n" * 10_000, "a.txt")
    assert len(diff) < 10_000
    assert "more lines" in diff


def test_a_diff_that_is_too_large_to_make_is_left_out_and_said(work: Any) -> None:
    big = "x" * 5_000_000
    data, _ = change(
        work.history(), Seen(), work.fence.resolve("a.txt"), lambda _: Planned(big.encode(), UTF8, "", big, None)
    )
    assert data["diff"] == ""
    assert "too large for a diff" in data["notes"][0]


def test_line_ends_do_not_show_unless_only_they_change() -> None:
    assert "\r" not in text_diff("a\r\nb\r\n", "a\r\nc\r\n", "a.txt")
    assert text_diff("a\r\n", "a\n", "a.txt") != ""
