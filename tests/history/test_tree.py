"""The index of a workspace: what it sees, what it trusts, what it costs."""

import os
import time

import pytest

from workbench.history import tree as module
from workbench.history.entries import Entry
from workbench.history.tree import Limits, Tree, of


@pytest.fixture
def tree(work) -> Tree:
    return of(work.store, work.root)


def kinds(seen) -> dict[str, str]:
    return {p: "made" if old is None else "gone" if new is None else "changed" for p, (old, new) in seen.items()}


def settle() -> None:
    """Until time stamps are old enough to be trusted."""
    time.sleep(0.08)


def test_an_empty_workspace(tree: Tree) -> None:
    assert tree.refresh() == {}
    assert tree.refresh() == {}


def test_made_changed_gone(work, tree: Tree) -> None:
    work.person("a/b", b"1\n")
    assert kinds(tree.refresh()) == {"a/b": "made"}
    assert tree.new_folders == ["a"]
    work.person("a/b", b"2\n")
    assert kinds(tree.refresh()) == {"a/b": "changed"}
    work.path("a/b").unlink()
    work.path("a").rmdir()
    assert kinds(tree.refresh()) == {"a/b": "gone"}
    assert tree.refresh() == {}
    assert tree.new_folders == []


def test_a_file_of_the_same_size_and_time_by_rename_is_seen(work, tree: Tree) -> None:
    work.person("a", b"1\n")
    tree.refresh()
    settle()
    work.person("b", b"2\n")
    os.utime(work.path("b"), ns=(work.path("a").stat().st_mtime_ns,) * 2)
    work.path("b").replace(work.path("a"))
    assert kinds(tree.refresh()) == {"a": "changed"}


def test_old_time_stamps_are_trusted_and_young_ones_are_not(work, tree: Tree, monkeypatch) -> None:
    work.person("a", b"1\n")
    tree.refresh()
    settle()
    tree.refresh()
    tree.refresh()
    monkeypatch.setattr(Tree, "_read", lambda *_: pytest.fail("an unchanged file was read"))
    assert tree.refresh() == {}


def test_contents_are_kept_before_they_change(work, tree: Tree) -> None:
    work.person("a", b"1\n")
    work.path("l").symlink_to("a")
    tree.refresh()
    assert work.store.get(tree.entries["a"].sha256) == b"1\n"
    assert work.store.get(tree.entries["l"].sha256) == b"a"


def test_limits_and_rules_leave_out_and_say_why(work) -> None:
    work.person("big", b"x" * 5000)
    work.person("small", b"x")
    work.person("z.env", b"KEY")
    tree = of(work.store, work.root, lambda p, _: "it is a credential" if p.endswith(".env") else "", Limits(file=4000))
    tree.refresh()
    assert tree.unkept == {"big": "it is larger than 0 MiB", "z.env": "it is a credential"}
    assert not work.store.has(work.store.name(b"KEY"))
    work.person("big", b"y" * 5000)
    assert kinds(tree.refresh()) == {"big": "changed"}
    work.person("big", b"y")
    tree.refresh()
    assert "big" not in tree.unkept


def test_more_files_or_bytes_than_the_limit(work) -> None:
    for i in range(10):
        work.person(f"{i}", b"%d" % i * 100)
    few = of(work.store, work.root, limits=Limits(files=4))
    few.refresh()
    assert len(few.entries) == 4
    assert len(few.skipped()) == 6
    tight = of(work.store, work.root, limits=Limits(total=350))
    tight.refresh()
    assert len(tight.unkept) == 7


def test_what_it_knew_is_read_back(work, tree: Tree) -> None:
    work.person("a", b"1\n")
    work.person("b", b"1\n")
    tree.refresh()
    work.person("a", b"2\n")
    work.path("b").unlink()
    again = of(work.store, work.root)
    assert again.load() == []
    assert again.entries == tree.entries
    assert kinds(again.refresh()) == {"a": "changed", "b": "gone"}


def test_leftovers_of_atomic_writes_are_not_watched(work, tree: Tree) -> None:
    work.person(".wb-tmp-0123456789abcdef", b"half")
    assert tree.refresh() == {}


def test_an_unreadable_file_is_said(work, tree: Tree, monkeypatch) -> None:
    work.person("a", b"1\n")
    real = os.open

    def denied(path, *args, **more):  # root may read everything, so the system's answer is played here
        if path == "a":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **more)

    with monkeypatch.context() as m:
        m.setattr(os, "open", denied)
        tree.refresh()
    assert tree.unkept == {"a": "it cannot be read"}
    assert isinstance(tree.entries["a"], Entry)


def test_a_folder_that_cannot_be_entered_is_said_and_its_files_are_not_gone(work, tree: Tree, monkeypatch) -> None:
    work.person("d/f", b"1\n")
    work.person("e/f", b"1\n")
    tree.refresh()
    settle()
    real = module.open_beneath

    def denied(root: int, path: str, flags: int, **more: bool) -> int:
        if path == "d":
            raise PermissionError(13, "Permission denied")
        return real(root, path, flags, **more)

    work.path("d").chmod(0o700)
    work.path("d/f").chmod(0o600)
    with monkeypatch.context() as m:
        m.setattr(module, "open_beneath", denied)
        assert tree.refresh() == {}
        assert tree.skipped() == {"d": "it cannot be read"}
    work.person("d/f", b"2\n")
    assert kinds(tree.refresh()) == {"d/f": "changed"}


def test_no_descriptor_is_left_open(work, tree: Tree) -> None:
    for i in range(20):
        work.person(f"d{i}/f", b"x")
    before = len(os.listdir("/proc/self/fd"))
    tree.refresh()
    for i in range(0, 20, 2):
        work.path(f"d{i}/f").unlink()
    tree.refresh()
    assert len(os.listdir("/proc/self/fd")) == before
