"""What commands change becomes versions like any edit (B6, H7, C rows of rollback.md)."""

import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.history import snapshot
from workbench.history.entries import Entry
from workbench.history.tree import Limits, Tree

BIG = 1 << 20


@pytest.fixture
def bash(work):
    """Run a command as the tool does, and give what the watch says."""

    def run(command: str, *, session: str = "", call: str = "") -> snapshot.Changes:
        work.call += 1
        scan = snapshot.before(work.history("bash", session=session, call=call), wait=30)
        subprocess.run(["bash", "-c", command], cwd=work.root, check=True)
        return scan.after()

    yield run
    snapshot.close_workspace(work.history())


def told(changes: snapshot.Changes) -> dict[str, str]:
    return {
        v.path: "made" if v.before.kind == "absent" else "gone" if v.after.kind == "absent" else "changed"
        for v in changes.versions
    }


def undo_all(work, changes: snapshot.Changes) -> set[str]:
    rb = work.rollback()
    return {o.status for o in work.undo_all(rb.versions(changes.versions), rb).values()}


def test_a_command_that_changes_nothing_gives_no_version(work, bash) -> None:
    work.person("a.txt", b"1\n")
    assert bash("cat a.txt; touch a.txt").versions == ()
    assert work.rows.of_session("s1") == []


def test_every_way_to_change_a_file_is_a_version_and_can_be_taken_back(work, bash) -> None:
    for name in ("appended", "sed", "removed", "moved", "mode", "truncated"):
        work.person(name, f"{name} one\n{name} two\n".encode())
    work.path("link").symlink_to("sed")
    work.path("link2").symlink_to("sed")
    before = {p.name: p.read_bytes() for p in work.root.iterdir()}
    changes = bash(
        "echo more >> appended; sed -i s/one/ONE/ sed; rm removed; mv moved moved-to; chmod 755 mode; : > truncated; "
        "mkdir -p gen/x; for i in 1 2 3; do echo $i > gen/x/$i; done; ln -sfn mode link; rm link2"
    )
    assert told(changes) == {
        "appended": "changed", "sed": "changed", "removed": "gone", "moved": "gone", "moved-to": "made",
        "mode": "changed", "truncated": "changed", "gen/x/1": "made", "gen/x/2": "made", "gen/x/3": "made",
        "link": "changed", "link2": "gone",
    }  # fmt: skip
    assert not any(v.uncertain for v in changes.versions)
    assert undo_all(work, changes) == {"done"}
    assert {p.name: p.read_bytes() for p in work.root.iterdir()} == before
    assert os.readlink(work.path("link")) == "sed"
    assert stat.S_IMODE(work.path("mode").stat().st_mode) == 0o644


def test_c6_rm_rf_of_a_folder_brings_back_all_of_it(work, bash) -> None:
    for i in range(7):
        work.person(f"dir/{i % 2}/{i}", b"%d\n" % i)
    assert undo_all(work, bash("rm -rf dir")) == {"done"}
    assert len([p for p in work.path("dir").rglob("*") if p.is_file()]) == 7


def test_what_a_person_does_between_commands_is_not_taken_for_a_commands(work, bash) -> None:
    work.person("a", b"1\n")
    bash("true")
    work.person("a", b"2\n")
    work.person("b", b"mine\n")
    assert told(bash("echo x > c")) == {"c": "made"}
    (change,) = bash("echo 3 >> a").versions
    assert work.store.get(change.before.sha256) == b"2\n"


def test_changes_within_one_tick_of_the_clock_are_seen(work, bash) -> None:
    work.person("a", b"0\n")
    for i in range(1, 15):
        (change,) = bash(f"printf '{i % 10}\\n' > a").versions
        assert work.store.get(change.after.sha256) == b"%d\n" % (i % 10)


def test_ignored_and_huge_files_are_said_and_not_kept(work, bash) -> None:
    work.person(".gitignore", b"build/\n*.log\n!keep.log\n")
    work.person("build/out.o", b"x")
    work.person("node_modules/a/index.js", b"x")
    work.person("sub/.gitignore", b"/local\n")
    for name in ("x.log", "keep.log", "sub/local", "sub/other"):
        work.person(name, b"1\n")
    scan = snapshot.before(work.history("bash"), wait=30)
    (note,) = scan.notes
    assert "build, node_modules, sub/local, x.log" in note
    subprocess.run(["bash", "-c", "for f in build/out.o x.log keep.log sub/*; do echo 2 > $f; done"], cwd=work.root)
    assert told(scan.after()) == {"keep.log": "changed", "sub/other": "changed"}


def test_c4_a_huge_output_is_a_version_without_a_way_back_and_stays(work, bash) -> None:
    tree = snapshot.open_workspace(work.history()).tree
    tree.limits = Limits(file=BIG)
    changes = bash(f"head -c {2 * BIG} /dev/zero > big.bin; echo small > small")
    assert told(changes) == {"big.bin": "made", "small": "made"}
    assert changes.notes == ("Changed and cannot be taken back: big.bin (it is larger than 1 MiB).",)
    rb = work.rollback()
    done = work.undo_all(rb.versions(changes.versions), rb, some=True)
    assert {p: o.status for p, o in done.items()} == {"big.bin": "refused", "small": "done"}
    assert work.path("big.bin").stat().st_size == 2 * BIG


def test_f9_a_file_that_was_ignored_is_never_taken_for_a_new_one(work, bash) -> None:
    work.person(".gitignore", b"data/\n*.key\n")
    work.person("data/a.csv", b"mine\n")
    work.person("my.key", b"mine\n")
    first = bash("echo > .gitignore; touch other")
    second = bash("touch third")
    assert told(first) == {".gitignore": "changed", "other": "made"}
    assert told(second) == {"third": "made"}
    (change,) = bash("echo changed > data/a.csv").versions
    assert work.store.get(change.before.sha256) == b"mine\n"
    rb = work.rollback()
    work.undo_all(rb.session("s1"), rb)
    assert work.path("data/a.csv").read_bytes() == b"mine\n"
    assert work.path("my.key").exists()


def test_rules_that_a_command_writes_do_not_hide_what_it_changes(work, bash) -> None:
    work.person("a", b"1\n")
    assert told(bash("echo '*' > .gitignore; echo 2 > a")) == {"a": "changed"}
    assert told(bash("rm a")) == {"a": "gone"}


def test_nested_repositories_are_watched_but_never_their_git_folders(work, bash) -> None:
    for folder in (".", "nested"):
        work.path(folder).mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=work.path(folder), check=True)
    work.person("nested/f", b"1\n")
    changes = bash("cd nested && echo 2 > f && git add f && git -c user.name=t -c user.email=t@e commit -q -m x")
    assert told(changes) == {"nested/f": "changed"}


def test_a_link_in_the_place_of_a_folder_leads_the_watch_nowhere(work, bash, tmp_path) -> None:
    work.person("d/sub/f", b"inside\n")
    outside = tmp_path / "outside"
    (outside / "sub").mkdir(parents=True)
    (outside / "sub/f").write_bytes(b"SECRET\n")
    (outside / "sub/g").write_bytes(b"SECRET\n")
    changes = bash(f"rm -rf d; ln -s {outside} d")
    assert told(changes) == {"d/sub/f": "gone", "d": "made"}
    bash(f"echo x > {outside}/sub/g")
    assert not work.store.has(work.store.name(b"SECRET\n"))


def test_special_files_are_left_alone(work, bash) -> None:
    assert told(bash("mkfifo pipe; echo x > f")) == {"f": "made"}
    assert told(bash("rm pipe; echo y > pipe")) == {"pipe": "made"}


def test_a_file_becomes_a_folder_and_back(work, bash) -> None:
    work.person("x", b"1\n")
    changes = bash("rm x; mkdir x; echo 2 > x/y")
    assert told(changes) == {"x": "changed", "x/y": "made"}
    assert undo_all(work, changes) == {"done"}
    assert work.path("x").read_bytes() == b"1\n"


@pytest.mark.parametrize("name", ["-rf", "with\nnewline", "caf\udce9", " lead", "😀"])
def test_odd_names(work, bash, name: str) -> None:
    work.person(name, b"1\n")
    changes = bash('for f in ./*; do echo 2 >> "$f"; done')
    assert told(changes) == {name: "changed"}
    assert undo_all(work, changes) == {"done"}
    assert work.path(name).read_bytes() == b"1\n"


def test_h7_overlapping_commands_record_each_change_once_and_as_uncertain(work) -> None:
    work.person("a", b"1\n")
    first = snapshot.before(work.history("bash", session="A", call="1"), wait=30)
    work.person("a", b"2\n")
    second = snapshot.before(work.history("bash", session="B", call="2"), wait=30)
    work.person("b", b"new\n")
    one, two = second.after(), first.after()
    assert told(one) == {"b": "made"}
    assert told(two) == {"a": "changed"}
    assert all(v.uncertain for v in (*one.versions, *two.versions))
    assert len(work.rows.of_session("A") + work.rows.of_session("B")) == 2
    snapshot.close_workspace(work.history())


def test_a_tools_edit_during_a_command_is_left_to_the_tool(work) -> None:
    work.person("a", b"1\n")
    work.person("b", b"1\n")
    scan = snapshot.before(work.history("bash", call="slow"), wait=30)
    work.edit("a", b"2\n", call="e")
    work.edit("b", b"2\n", call="e")
    work.person("b", b"3\n")
    (change,) = scan.after().versions
    assert (change.path, change.uncertain) == ("b", True)
    assert work.store.get(change.before.sha256) == b"2\n"
    assert scan.after().versions == ()
    snapshot.close_workspace(work.history())


def test_until_the_baseline_is_complete_the_notes_say_so(work, monkeypatch) -> None:
    go = threading.Event()
    real = Tree.refresh
    monkeypatch.setattr(Tree, "refresh", lambda self: go.wait(20) and real(self))
    scan = snapshot.before(work.history("bash"), wait=0.01)
    assert "not complete yet" in scan.notes[0]
    work.person("a", b"1\n")
    go.set()
    scan.watch.ready.wait()
    changes = scan.after()
    assert changes.versions == ()
    assert changes.notes[-1] == "Changed before the first look was complete, so it cannot be taken back: a."
    assert len(scan.after().notes) == 1
    snapshot.close_workspace(work.history())


def test_a_workspace_that_is_gone_refuses_the_command(work, bash) -> None:
    bash("true")
    work.root.rename(work.root.with_name("elsewhere"))
    with pytest.raises(snapshot.Refused) as e:
        snapshot.before(work.history("bash"))
    assert e.value.code == "no_file"


def test_f10_a_command_that_removes_the_workspace_itself_can_be_taken_back(work, bash) -> None:
    work.person("a/b", b"1\n")
    work.person("c", b"2\n")
    changes = bash(f"rm -rf {work.root}")
    assert told(changes) == {"a/b": "gone", "c": "gone"}
    work.root.mkdir()
    assert undo_all(work, changes) == {"done"}
    assert work.path("a/b").read_bytes() == b"1\n"


def test_a7_what_a_cut_off_command_changed_is_known_after_a_restart(work) -> None:
    """The process dies in the middle of a command, without a word."""
    work.person("a", b"1\n")
    code = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Work
from workbench.history import snapshot
work = Work(Path(sys.argv[1]))
scan = snapshot.before(work.history("bash", call="cut"), wait=30)
work.person("a", b"2\\n"); work.person("b", b"new\\n")
os.kill(os.getpid(), 9)
"""
    here = Path(__file__).parent
    killed = subprocess.run([sys.executable, "-c", code, str(work.root.parent), str(here)], cwd=here.parent.parent)
    assert killed.returncode == -9
    changes = snapshot.settle(work.history("bash", call="cut"))
    assert told(changes) == {"a": "changed", "b": "made"}
    assert all(v.uncertain for v in changes.versions)
    assert snapshot.settle(work.history("bash", call="cut")).versions == ()
    assert undo_all_uncertain(work, changes) == {"done"}
    assert work.path("a").read_bytes() == b"1\n"
    snapshot.close_workspace(work.history())


def undo_all_uncertain(work, changes: snapshot.Changes) -> set[str]:
    rb = work.rollback(uncertain={v.id for v in changes.versions})
    return {o.status for o in work.undo_all(rb.versions(changes.versions), rb).values()}


def test_after_a_restart_nothing_is_hashed_again(work, bash, monkeypatch) -> None:
    for i in range(30):
        work.person(f"{i}", b"%d\n" % i)
    os.sync()
    time.sleep(0.1)
    bash("true")
    snapshot.close_workspace(work.history())
    read: list[str] = []
    real = Tree._read
    monkeypatch.setattr(Tree, "_read", lambda self, p, n, rel, old: read.append(rel) or real(self, p, n, rel, old))
    assert told(bash("echo x > 3")) == {"3": "changed"}
    assert set(read) == {"3"}


def test_an_entry_of_unkept_content_is_never_the_same_after_a_change() -> None:
    old, new = Entry("file", "", 5, 0o644, 1, 1, "large"), Entry("file", "", 5, 0o644, 2, 1, "large")
    assert old.same(old)
    assert not old.same(new)
    assert not old.state.same_as(new.state)
