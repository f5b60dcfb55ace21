"""Writes that are old or new whatever happens: on full disks, read-only ones, and against a faster writer."""

import errno
import hashlib
import os
import resource
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from workbench.files import Refused, atomic

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="needs root, to mount or to give files away")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path))


def refused(code: str, call: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as e:
        call()
    assert e.value.code == code, e.value
    return e.value


@contextmanager
def mounted(*args: str) -> Iterator[None]:
    """A mount for the time of a test; skipped where that is not possible."""
    made = subprocess.run(["mount", *args], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"cannot mount here: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", args[-1]], check=True)


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_new_file_appears_whole(folder: int, tmp_path: Path) -> None:
    """W2"""
    written = atomic.write(folder, "a", b"hello", rel="a", expect=None)
    assert (tmp_path / "a").read_bytes() == b"hello"
    assert (written.sha256, written.size, written.created, written.parted) == (sha(b"hello"), 5, True, 0)
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755, 0o2664, 0o1666])
def test_the_mode_stays(folder: int, tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(mode)
    for expect in (b"old", sha(b"new")):
        atomic.write(folder, "a", b"new", rel="a", expect=expect)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_mode_can_be_given(folder: int, tmp_path: Path) -> None:
    """H3: a file comes back with the mode it had."""
    for expect in (None, b"x"):
        atomic.write(folder, "a", b"x", rel="a", expect=expect, mode=0o751)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o751


@needs_root
def test_the_owner_stays(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    os.chown(tmp_path / "a", 1234, 5678)
    (tmp_path / "a").chmod(0o4750)
    written = atomic.write(folder, "a", b"new", rel="a", expect=b"old")
    info = (tmp_path / "a").stat()
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (1234, 5678, 0o4750)
    assert not written.notes


def as_nobody(call: Callable[[], object]) -> None:
    os.setegid(65534)
    os.seteuid(65534)
    try:
        call()
    finally:
        os.seteuid(0)
        os.setegid(0)


@needs_root
def test_an_owner_that_cannot_be_kept_is_told_and_rights_of_the_owner_are_dropped(folder: int, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o4666)

    def call() -> None:
        written = atomic.write(folder, "a", b"new", rel="a", expect=b"old")
        assert "belonged to user 0" in written.notes[0]

    as_nobody(call)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666


def test_extended_attributes_stay(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    try:
        os.setxattr(tmp_path / "a", "user.note", b"\x00kept")
    except OSError as e:
        pytest.skip(f"no extended attributes here: {e}")
    atomic.write(folder, "a", b"new", rel="a", expect=b"old")
    assert os.getxattr(tmp_path / "a", "user.note") == b"\x00kept"


def acl(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX ACL in the kernel's form, from (tag, permissions, id)."""
    whole = b"".join(
        tag.to_bytes(2, "little") + perm.to_bytes(2, "little") + who.to_bytes(4, "little") for tag, perm, who in entries
    )
    return (2).to_bytes(4, "little") + whole


NOBODY = 0xFFFFFFFF
LIST = acl((1, 6, NOBODY), (2, 7, 1234), (4, 4, NOBODY), (16, 7, NOBODY), (32, 0, NOBODY))
DEFAULT = acl((1, 7, NOBODY), (2, 7, 4321), (4, 5, NOBODY), (16, 7, NOBODY), (32, 5, NOBODY))


def test_an_access_list_stays_and_none_is_inherited(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").write_bytes(b"old")
    try:
        os.setxattr(tmp_path / "a", "system.posix_acl_access", LIST)
        os.setxattr(tmp_path, "system.posix_acl_default", DEFAULT)
    except OSError as e:
        pytest.skip(f"no access lists here: {e}")
    for name in "ab":
        atomic.write(folder, name, b"new", rel=name, expect=b"old")
    assert os.getxattr(tmp_path / "a", "system.posix_acl_access") == LIST
    assert "system.posix_acl_access" not in os.listxattr(tmp_path / "b")
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o644


def test_a_hard_link_is_parted_and_said(folder: int, tmp_path: Path) -> None:
    """W2"""
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "c").hardlink_to(tmp_path / "a")
    assert atomic.write(folder, "a", b"new", rel="a", expect=b"old").parted == 2
    assert [(tmp_path / n).read_bytes() for n in "abc"] == [b"new", b"old", b"old"]


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 3_000_000])
def test_any_size(folder: int, tmp_path: Path, size: int) -> None:
    old, new = os.urandom(size), os.urandom(size)
    atomic.write(folder, "a", old, rel="a", expect=None)
    written = atomic.write(folder, "a", new, rel="a", expect=old)
    assert (tmp_path / "a").read_bytes() == new
    assert written.sha256 == sha(new)
    atomic.write(folder, "a", old, rel="a", expect=sha(new))
    assert (tmp_path / "a").read_bytes() == old


def test_the_longest_name_works(folder: int, tmp_path: Path) -> None:
    name = "n" * 255
    atomic.write(folder, name, b"1", rel=name, expect=None)
    atomic.write(folder, name, b"2", rel=name, expect=b"1")
    assert (tmp_path / name).read_bytes() == b"2"


# --- what is refused, with nothing lost ------------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["other", "longer", "gone", "link", "folder", "fifo"])
def test_something_else_than_expected_is_left_alone(folder: int, tmp_path: Path, there: str) -> None:
    """S3, W2"""
    path = tmp_path / "a"
    if there == "other":
        path.write_bytes(b"olD")
    elif there == "longer":
        path.write_bytes(b"old and more")
    elif there == "link":
        (tmp_path / "real").write_bytes(b"old")
        path.symlink_to("real")
    elif there == "folder":
        path.mkdir()
    elif there == "fifo":
        os.mkfifo(path)
    before = names(tmp_path)
    for expect in (b"old", sha(b"old")):
        code = {"folder": "is_directory", "fifo": "device"}.get(there, "stale")
        refused(code, lambda expect=expect: atomic.write(folder, "a", b"new", rel="a", expect=expect))
    assert names(tmp_path) == before
    if there in ("other", "longer"):
        assert path.read_bytes() != b"new"
    if there == "link":
        assert (tmp_path / "real").read_bytes() == b"old"


@pytest.mark.parametrize("there", ["file", "link", "folder"])
def test_a_new_name_is_never_taken_from_something(folder: int, tmp_path: Path, there: str) -> None:
    path = tmp_path / "a"
    path.mkdir() if there == "folder" else path.symlink_to("x") if there == "link" else path.write_bytes(b"theirs")
    refused("stale", lambda: atomic.write(folder, "a", b"new", rel="a", expect=None))
    assert names(tmp_path) == ["a"]
    assert path.is_symlink() or path.is_dir() or path.read_bytes() == b"theirs"


def test_a_read_only_file_is_left_alone_even_by_root(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o444)
    found = refused("permission", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert "0444" in found.message
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_read_only_folder_is_left_alone_even_by_root(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    tmp_path.chmod(0o555)
    try:
        refused("permission", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
        refused("permission", lambda: atomic.write(folder, "b", b"new", rel="b", expect=None))
        refused("permission", lambda: atomic.delete(folder, "a", rel="a", expect=sha(b"old")))
        refused("permission", lambda: atomic.move(folder, "a", folder, "b", rel="a", to_rel="b", expect=sha(b"old")))
    finally:
        tmp_path.chmod(0o755)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@needs_root
def test_a_folder_of_someone_else_is_left_alone(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o666)
    as_nobody(lambda: refused("permission", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old")))
    assert names(tmp_path) == ["a"]


@needs_root
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """W2"""
    with mounted("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)):
        (tmp_path / "a").write_bytes(b"old" * 100_000)
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            for name, expect in (("a", b"old" * 100_000), ("b", None)):
                found = refused("io", lambda n=name, e=expect: atomic.write(folder, n, b"n" * 900_000, rel=n, expect=e))
                assert "disk is full" in found.message
                assert found.facts["errno"] == errno.ENOSPC
            assert names(tmp_path) == ["a"]
            assert (tmp_path / "a").read_bytes() == b"old" * 100_000
            atomic.write(folder, "a", b"small", rel="a", expect=b"old" * 100_000)
        finally:
            os.close(folder)


def test_a_size_limit_loses_nothing(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        found = refused("io", lambda: atomic.write(folder, "a", b"n" * 200_000, rel="a", expect=b"old"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "larger than" in found.message
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@needs_root
def test_a_mounted_file_is_refused_and_said(folder: int, tmp_path: Path) -> None:
    """W2: as with a file bound into a container"""
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "a").write_bytes(b"")
    with mounted("--bind", str(tmp_path / "real"), str(tmp_path / "a")):
        found = refused("io", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
        assert "mount point" in found.message
        refused("io", lambda: atomic.delete(folder, "a", rel="a", expect=sha(b"old")))
        assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a", "real"]


@needs_root
def test_a_file_system_mounted_read_only_is_refused(tmp_path: Path) -> None:
    with mounted("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)):
        (tmp_path / "a").write_bytes(b"old")
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            refused("permission", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
        finally:
            os.close(folder)


# --- when someone is faster ------------------------------------------------------------------------------------------


def overtake(monkeypatch: pytest.MonkeyPatch, at: str, act: Callable[[], None]) -> None:
    """Let someone act right before a step of the write, once."""
    real = getattr(os, at)
    done: list[bool] = []

    def step(*args: Any, **more: Any) -> Any:
        if not done:
            done.append(True)
            act()
        return real(*args, **more)

    monkeypatch.setattr(os, at, step)


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "rename"])
@pytest.mark.parametrize("how", ["in place", "by rename", "deleted"])
def test_a_change_during_the_write_is_theirs(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, exchange: bool
) -> None:
    """S3: checked again just before the replace"""
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def act() -> None:
        if how == "in place":
            path.write_bytes(b"mine")
        elif how == "by rename":
            (tmp_path / "b").write_bytes(b"mine")
            (tmp_path / "b").rename(path)
        else:
            path.unlink()

    if not exchange:
        without_flags(monkeypatch)
    overtake(monkeypatch, "fsync", act)
    refused("stale", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert names(tmp_path) == ([] if how == "deleted" else ["a"])
    assert how == "deleted" or path.read_bytes() == b"mine"


@pytest.mark.parametrize("how", ["in place", "by rename", "a link"])
def test_a_change_at_the_very_last_moment_is_given_back(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """S3: after the last look, before the exchange"""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    real = atomic._renameat2
    calls = []

    def late(*args: Any) -> None:
        if not calls:
            if how == "in place":
                path.write_bytes(b"OLD")
            elif how == "by rename":
                (tmp_path / "b").write_bytes(b"mine")
                (tmp_path / "b").rename(path)
            else:
                path.unlink()
                path.symlink_to("elsewhere")
        calls.append(args)
        real(*args)

    monkeypatch.setattr(atomic, "_renameat2", late)
    refused("stale", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert len(calls) == 2
    assert names(tmp_path) == ["a"]
    assert path.is_symlink() if how == "a link" else path.read_bytes() in (b"mine", b"OLD")


def test_two_changes_in_the_last_moments_leave_the_last(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    real, calls = atomic._renameat2, []

    def late(*args: Any) -> None:
        calls.append(args)
        if len(calls) <= 2:
            (tmp_path / "b").write_bytes(b"mine %d" % len(calls))
            (tmp_path / "b").rename(path)
        real(*args)

    monkeypatch.setattr(atomic, "_renameat2", late)
    refused("stale", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert names(tmp_path) == ["a"]
    assert path.read_bytes() == b"mine 2"


def test_no_update_of_a_busy_writer_is_lost(folder: int, tmp_path: Path, rounds: Callable[[int], int]) -> None:
    """S3: someone saves by rename all the while; each of their saves that we saw replaced was one that we read."""
    path = tmp_path / "a"
    path.write_bytes(b"user 0")
    stop = threading.Event()
    saved: list[bytes] = [b"user 0"]

    def save() -> None:
        for n in range(1, 100_000):
            data = b"user %d" % n
            (tmp_path / "b").write_bytes(data)
            saved.append(data)
            (tmp_path / "b").rename(path)
            if stop.wait(0.0005):
                return

    busy = threading.Thread(target=save)
    busy.start()
    replaced: list[bytes] = []
    try:
        for n in range(rounds(1000)):
            seen = path.read_bytes()
            try:
                atomic.write(folder, "a", b"ours %d after " % n + seen[:20], rel="a", expect=seen)
                replaced.append(seen)
            except Refused as e:
                assert e.code == "stale"
    finally:
        stop.set()
        busy.join()
    assert set(replaced) - {r for r in replaced if r.startswith(b"ours")} <= set(saved)
    assert path.read_bytes() == saved[-1] or path.read_bytes().startswith(b"ours")
    assert [n for n in names(tmp_path) if n.startswith(atomic.PREFIX)] == []


def without_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system, or a kernel, that cannot rename with flags."""

    def unable(*_args: Any) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(atomic, "_renameat2", unable)


def test_without_flags_of_rename_it_works_too(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_flags(monkeypatch)
    atomic.write(folder, "a", b"1", rel="a", expect=None)
    refused("stale", lambda: atomic.write(folder, "a", b"x", rel="a", expect=None))
    atomic.write(folder, "a", b"2", rel="a", expect=b"1")
    atomic.move(folder, "a", folder, "b", rel="a", to_rel="b", expect=sha(b"2"))
    (tmp_path / "a").write_bytes(b"3")
    refused("exists", lambda: atomic.move(folder, "a", folder, "b", rel="a", to_rel="b", expect=sha(b"3")))
    assert {n: (tmp_path / n).read_bytes() for n in names(tmp_path)} == {"a": b"3", "b": b"2"}


@pytest.mark.parametrize("size", [3, 70_000, 200_000])
@pytest.mark.parametrize("damage", ["last byte", "shorter", "longer"])
def test_a_disk_that_holds_something_else_than_was_written_is_found(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, damage: str
) -> None:
    """W2: what lies there is read back before success is told."""
    (tmp_path / "a").write_bytes(b"old")
    real = os.fsync

    def damaged(fd: int) -> None:
        if damage == "last byte":
            os.pwrite(fd, b"!", size - 1)
        else:
            os.ftruncate(fd, size - 1 if damage == "shorter" else size + 1)
        real(fd)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", damaged)
        refused("io", lambda: atomic.write(folder, "a", b"n" * size, rel="a", expect=b"old"))
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_hash_that_is_known_is_not_taken_again(folder: int, tmp_path: Path) -> None:
    known = hashlib.sha256(b"new").hexdigest()
    assert atomic.write(folder, "a", b"new", rel="a", expect=None, sha256=known).sha256 == known
    assert atomic.write(folder, "a", b"newer", rel="a", expect=b"new").sha256 == hashlib.sha256(b"newer").hexdigest()


@pytest.mark.parametrize("step", ["write", "fsync", "fchmod", "preadv"])
def test_an_error_at_any_step_leaves_the_old_file(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """W2"""
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o755)

    def fail(*_args: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail)
        refused("io", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_disk_that_gives_back_something_else_is_noticed(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W2: hashed before success is reported"""
    (tmp_path / "a").write_bytes(b"old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data, write=os.write: write(fd, b"\0" * len(data)))
        found = refused("io", lambda: atomic.write(folder, "a", b"new", rel="a", expect=b"old"))
    assert "not what was written" in found.message
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_folder_that_cannot_be_synced_is_told_as_what_it_is(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(fd: int) -> None:
        if fd == folder:
            raise OSError(errno.EIO, "Input/output error")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    assert "was changed, but" in refused("io", lambda: atomic.write(folder, "a", b"x", rel="a", expect=None)).message


# --- delete, move, sweep ---------------------------------------------------------------------------------------------


def test_only_what_was_seen_is_deleted_or_moved(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"new")
    refused("stale", lambda: atomic.delete(folder, "a", rel="a", expect=sha(b"old")))
    refused("stale", lambda: atomic.move(folder, "a", folder, "b", rel="a", to_rel="b", expect=sha(b"old")))
    refused("stale", lambda: atomic.delete(folder, "nothing", rel="nothing", expect=sha(b"old")))
    atomic.move(folder, "a", folder, "b", rel="a", to_rel="b", expect=sha(b"new"))
    atomic.delete(folder, "b", rel="b", expect=sha(b"new"))
    assert names(tmp_path) == []


def test_links_are_deleted_and_moved_themselves(folder: int, tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "l").symlink_to("real")
    atomic.move(folder, "l", folder, "m", rel="l", to_rel="m", expect=sha(b"real"))
    atomic.delete(folder, "m", rel="m", expect=sha(b"real"))
    assert names(tmp_path) == ["real"]


def test_the_sweep_takes_only_what_a_dead_run_left(tmp_path: Path) -> None:
    """W2"""
    ours, deep = tmp_path / f"{atomic.PREFIX}{'0' * 16}", tmp_path / "d" / f"{atomic.PREFIX}{'1' * 16}"
    deep.parent.mkdir()
    for path in (ours, deep):
        path.write_bytes(b"x")
    kept = [tmp_path / f"{atomic.PREFIX}notes", tmp_path / f"x{atomic.PREFIX}{'0' * 16}", tmp_path / "a.txt"]
    for path in kept:
        path.write_bytes(b"x")
    (tmp_path / f"{atomic.PREFIX}{'2' * 16}").symlink_to("a.txt")
    (tmp_path / f"{atomic.PREFIX}{'3' * 16}").mkdir()
    os.mkfifo(tmp_path / f"{atomic.PREFIX}{'4' * 16}")
    assert sorted(atomic.sweep(tmp_path)) == sorted([ours.name, f"d/{deep.name}"])
    assert len(names(tmp_path)) == 7
    assert atomic.sweep(tmp_path) == []


def test_the_sweep_leaves_the_file_of_a_running_writer(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[list[str]] = []
    (tmp_path / "a").write_bytes(b"old")
    overtake(monkeypatch, "fsync", lambda: swept.append(atomic.sweep(tmp_path)))
    atomic.write(folder, "a", b"new", rel="a", expect=b"old")
    assert swept == [[]]
    assert (tmp_path / "a").read_bytes() == b"new"


@needs_root
def test_the_sweep_leaves_files_of_others(tmp_path: Path) -> None:
    other = tmp_path / f"{atomic.PREFIX}{'0' * 16}"
    other.write_bytes(b"x")
    os.chown(other, 1234, 1234)
    assert atomic.sweep(tmp_path) == []
