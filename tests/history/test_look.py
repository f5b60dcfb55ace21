"""What lies at a place, without following links or opening what hangs."""

import os

import pytest

from workbench.files import Refused
from workbench.files.fence import Fence
from workbench.history.look import look, missing_parents, recorded


def seen(work, rel: str) -> tuple[str, int, bytes]:
    with look(work.fence, recorded(work.fence, rel)) as found:
        return found.state.kind, found.state.size, found.data()


def test_each_kind(work) -> None:
    work.person("f", b"hello")
    work.path("d").mkdir()
    work.path("l").symlink_to("f")
    os.mkfifo(work.path("p"))
    assert seen(work, "f") == ("file", 5, b"hello")
    assert seen(work, "d") == ("folder", 0, b"")
    assert seen(work, "l") == ("link", 1, b"f")
    assert seen(work, "p") == ("other", 0, b"")
    assert seen(work, "none") == ("absent", 0, b"")
    assert seen(work, "none/deep/f") == ("absent", 0, b"")


def test_hashing_keeps_or_does_not_keep_the_bytes(work) -> None:
    work.person("f", b"hello")
    with look(work.fence, work.fence.resolve("f")) as found:
        assert not found.hashed().stored
        assert not list(work.store.names())
        kept = found.kept(work.store, durable=True)
    assert work.store.get(kept.sha256) == b"hello"


def test_a_link_on_the_way_is_refused(work, tmp_path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/f").write_bytes(b"secret")
    work.path("d").symlink_to(tmp_path / "out")
    with pytest.raises(Refused):
        seen(work, "d/f")


def test_no_descriptor_is_left_open(work) -> None:
    work.person("f", b"hello")
    before = len(os.listdir("/proc/self/fd"))
    for rel in ("f", "none", "none/x"):
        for _ in range(5):
            seen(work, rel)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_path_beneath_a_further_root_leads_there(work, tmp_path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "f").write_bytes(b"there")
    fence = Fence(work.root, more=(more,))
    rel = fence.resolve(str(more / "f")).rel
    with look(fence, recorded(fence, rel)) as found:
        assert found.data() == b"there"


def test_missing_parents_are_named_outermost_first(work) -> None:
    work.path("a").mkdir()
    assert missing_parents(work.root, "a/b/c/f") == ("a/b", "a/b/c")
    assert missing_parents(work.root, "f") == ()
