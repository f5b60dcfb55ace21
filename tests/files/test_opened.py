"""A file opened while others write to it, and what is kept of it."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from workbench.files import Refused, opened
from workbench.files.fence import Fence
from workbench.files.opened import Opened, open_text, opened_bytes, opened_text


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    return Fence(tmp_path)


def facts_of(fence: Fence, name: str = "f") -> Opened:
    with open_text(fence, fence.resolve(name)) as file:
        return file


def test_a_small_file_is_read_whole_and_hashed(fence: Fence) -> None:
    (fence.root / "f").write_bytes(b"a\r\nb\n")
    file = facts_of(fence)
    assert file.content == b"a\r\nb\n"
    assert file.facts.version == hashlib.sha256(b"a\r\nb\n").hexdigest()
    assert (file.facts.eol, file.facts.index.total, file.facts.final_newline) == ("mixed", 2, True)


@pytest.mark.parametrize("size", [300 << 10, 20 << 20])
def test_what_was_learned_is_kept_for_the_same_version_only(fence: Fence, size: int) -> None:
    path = fence.root / "f"
    path.write_bytes(b"x" * 99 + b"\n" + b"y" * size)
    os.utime(path, (1, 1))
    wait_until_old(path)
    first = facts_of(fence).facts
    assert facts_of(fence).facts is first
    path.write_bytes(b"x" * 9 + b"\n" + b"y" * (size + 90))
    os.utime(path, (1, 1))
    second = facts_of(fence).facts
    assert second is not first
    assert second.version != first.version


def wait_until_old(path: Path, *, seconds: float = 0.1) -> None:
    """The inode change time can't be set back, so time has to pass."""
    threading.Event().wait(seconds)


def test_what_just_changed_is_not_trusted_next_time(fence: Fence) -> None:
    """Two changes within one tick of the file system's clock look alike."""
    path = fence.root / "f"
    path.write_bytes(b"a" * (300 << 10))
    first = facts_of(fence).facts
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    with path.open("r+b") as file:
        file.write(b"b")
    os.utime(path, ns=times)
    assert facts_of(fence).facts.version != first.version


def test_it_keeps_a_bounded_number(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "_RACY", -(10**18))
    monkeypatch.setattr(opened, "_COARSE", -(10**18))
    monkeypatch.setattr(opened, "_SMALL", 0)
    for n in range(opened._KEPT + 10):
        (fence.root / f"f{n}").write_text("text\n")
        facts_of(fence, f"f{n}")
    assert len(opened._kept) <= opened._KEPT


def test_a_file_that_grows_is_read_to_the_size_it_had(fence: Fence) -> None:
    path = fence.root / "f"
    path.write_text("a\n")
    fd = os.open(path, os.O_RDONLY)
    file = opened_text(fd, "f")
    with path.open("a") as more:
        more.write("b\n")
    assert (file.content, file.size) == (b"a\n", 2)
    assert "grew from 2 to 4 bytes" in file.what_happened()
    os.truncate(path, 1)
    assert "cut from 2 to 1 bytes" in file.what_happened()
    os.close(fd)


def test_a_large_file_that_is_cut_gives_what_is_left(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "WHOLE", 100)
    monkeypatch.setattr(opened, "_SMALL", 100)
    path = fence.root / "f"
    path.write_text("line\n" * 1000)
    fd = os.open(path, os.O_RDONLY)
    file = opened_text(fd, "f")
    os.truncate(path, 12)
    assert file.pread(100, 0) == b"line\nline\nli"
    file.facts.index.scan(file.pread, until=None, budget=1 << 30, stop=lambda: False)
    assert file.facts.index.total == 3
    os.close(fd)


def test_a_size_of_zero_is_not_believed(fence: Fence) -> None:
    """Files that the kernel makes up."""
    proc = Fence(Path("/proc/self").resolve())
    assert b"Name:" in (facts_of(proc, "status").content or b"")


def test_an_error_of_the_disk_is_a_refusal() -> None:
    proc = Fence(Path("/proc/self").resolve())
    with pytest.raises(Refused) as e:
        facts_of(proc, "mem")
    assert e.value.code in ("io", "permission")


def test_bytes_that_lie_nowhere() -> None:
    file = opened_bytes("n", b"a\nb", "v1")
    assert (file.facts.version, file.facts.index.total, file.pread(1, 2)) == ("v1", 2, b"b")
