"""Bytes by hash: durable, whole or refused, private, bounded (H1, H6, H7, I1, I3, I7 of rollback.md)."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.history import store as module
from workbench.history.store import Damaged, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def file_of(store: Store, sha: str) -> Path:
    return store.objects / sha[:2] / sha[2:]


def leftovers(store: Store) -> list[Path]:
    return list(store.objects.glob("*/+*"))


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"text\n" * 1000, os.urandom(5000), os.urandom(3 << 20), b"a" * (5 << 20)],
    ids=["empty", "one byte", "text", "noise", "large noise", "large text"],
)
def test_what_was_put_comes_back(store: Store, data: bytes, tmp_path: Path) -> None:
    sha = store.put(data)
    assert sha == Store.name(data)
    assert store.get(sha) == data
    file = tmp_path / "f"
    file.write_bytes(data)
    fd = os.open(file, os.O_RDONLY)
    os.lseek(fd, 3, os.SEEK_SET)
    assert store.put_fd(fd) == (sha, len(data))
    assert store.put_fd(fd, durable=False) == (sha, len(data))
    os.close(fd)
    assert list(store.names()) == [sha]
    assert leftovers(store) == []


def test_a_large_file_is_put_with_flat_memory(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "big"
    with file.open("wb") as f:
        for i in range(40):
            f.write(bytes([i]) * (1 << 20))
    code = """
import os, resource, sys
from pathlib import Path
from workbench.history.store import Store
store = Store(Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sha, size = store.put_fd(os.open(sys.argv[2], os.O_RDONLY))
n = sum(map(len, store.chunks(sha)))
print(size, n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    out = subprocess.run(
        [sys.executable, "-c", code, str(store.root), str(file)], capture_output=True, text=True, check=True
    ).stdout
    size, n, grown = map(int, out.split())
    assert size == n == 40 << 20
    assert grown < 24 << 10


def test_text_is_compressed_and_noise_is_not(store: Store) -> None:
    text, noise = store.put(b"the same words again\n" * 500), store.put(os.urandom(4000))
    assert store.stored_size(text) < 500
    assert store.stored_size(noise) == 4001
    assert store.size() == store.stored_size(text) + store.stored_size(noise)


def test_i7_ten_thousand_versions_of_one_file_take_far_less_than_they_are(store: Store, rounds) -> None:
    page = b"".join(b"some line of code number %d\n" % i for i in range(7000))
    n = rounds(2000)
    for i in range(n):
        store.put(page.replace(b"number 5\n", b"version %d\n" % i), durable=False)
    assert store.size() < n * len(page) / 4


@pytest.mark.parametrize("place", [0, 1, 7, -1])
def test_h7_a_flipped_bit_is_never_given_out(store: Store, place: int) -> None:
    for data in (b"short", b"words and words\n" * 100):
        sha = store.put(data)
        raw = bytearray(file_of(store, sha).read_bytes())
        raw[place % len(raw)] ^= 0x10
        file_of(store, sha).write_bytes(raw)
        with pytest.raises(Damaged) as e:
            store.get(sha)
        assert e.value.code == "io"
        assert store.put(data) == sha
        assert store.get(sha) == data


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_torn_and_missing_objects_are_damaged_and_a_new_put_mends_them(store: Store, cut: int) -> None:
    data = b"words and words\n" * 100
    sha = store.put(data)
    os.truncate(file_of(store, sha), cut)
    with pytest.raises(Damaged):
        store.get(sha)
    assert store.put(data) == sha
    assert store.get(sha) == data
    file_of(store, sha).unlink()
    with pytest.raises(Damaged, match="no longer in the history"):
        store.get(sha)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "Z" * 64, "a" * 63])
def test_only_names_are_looked_up(store: Store, name: str) -> None:
    with pytest.raises(Damaged):
        store.get(name)


def test_i1_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        store = Store(tmp_path / "s")
        store.put(b"secret")
    finally:
        os.umask(old)
    for path in (store.root, *store.root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_h1_a_full_disk_refuses_and_leaves_nothing(store: Store, monkeypatch, tmp_path: Path) -> None:
    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write", full)
    with pytest.raises(Refused, match="No space left") as e:
        store.put(b"hello")
    assert e.value.code == "io"
    file = tmp_path / "f"
    file.write_bytes(b"x" * (2 << 20))
    fd = os.open(file, os.O_RDONLY)
    with pytest.raises(Refused):
        store.put_fd(fd)
    os.close(fd)
    assert leftovers(store) == []
    assert list(store.names()) == []


def test_h9_a_root_that_cannot_be_made_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Refused) as e:
        Store(tmp_path / "file" / "store")
    assert e.value.code == "io"


def test_h6_a_durable_put_syncs_bytes_and_folder_after_the_name_is_there(store: Store, monkeypatch) -> None:
    synced: list[tuple[bool, list[str]]] = []
    real = os.fsync

    def watched(fd: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(fd).st_mode), list(store.names())))
        real(fd)

    monkeypatch.setattr(os, "fsync", watched)
    for which in (store, Store(store.root)):
        synced.clear()
        sha = which.put(b"first")
        assert [is_folder for is_folder, _ in synced[-2:]] == [False, True]
        assert all(sha in names for _, names in synced[-2:])
        synced.clear()
        which.put(b"first")
        assert synced == []
    store.put(b"not now", durable=False)
    assert all(is_folder for is_folder, _ in synced)
    synced.clear()
    store.put(b"not now")
    assert [is_folder for is_folder, _ in synced] == [False, True]


def test_sync_makes_good_for_many(store: Store) -> None:
    names = [store.put(b"%d" % i, durable=False) for i in range(module.MANY + 5)]
    store.sync(names)
    store.sync(names[:3])
    assert sorted(store.names()) == sorted(names)


def test_i3_a_deleted_object_is_nowhere(store: Store) -> None:
    secret = b"AKIA-THE-SECRET-" * 20
    sha, other = store.put(secret), store.put(b"other")
    assert store.delete(sha)
    assert not store.delete(sha)
    assert not any(b"AKIA" in f.read_bytes() for f in store.root.rglob("*") if f.is_file())
    assert list(store.names()) == [other]


def test_collection_keeps_what_lives_and_what_is_young(store: Store) -> None:
    live, dead, young = store.put(b"live"), store.put(b"dead"), store.put(b"young")
    for sha in (live, dead):
        os.utime(file_of(store, sha), (1, 1))
    assert store.collect({live}) == (1, 5)
    assert sorted(store.names()) == sorted([live, young])
    assert not store.has(dead)
    assert store.has(live)


def test_a_put_of_old_bytes_makes_them_young_again(store: Store) -> None:
    sha = store.put(b"again")
    os.utime(file_of(store, sha), (1, 1))
    store.put(b"again")
    assert store.collect(set()) == (0, 0)
    assert store.has(sha)


def test_what_a_crash_left_half_written_is_swept(store: Store) -> None:
    store.put(b"x")
    (folder,) = store.objects.iterdir()
    (folder / "+0123456789abcdef").write_bytes(b"half")
    assert store.sweep() == 0
    os.utime(folder / "+0123456789abcdef", (1, 1))
    assert store.sweep() == 1
    assert len(list(store.names())) == 1


def test_purge_takes_everything(store: Store) -> None:
    store.put(b"x")
    store.purge()
    assert list(store.names()) == []
    assert store.get(store.put(b"x")) == b"x"


def test_h8_many_threads_and_processes_put_the_same_at_once(store: Store) -> None:
    datas = [b"%d " % i * 50 for i in range(20)]
    code = """
import sys
from pathlib import Path
from workbench.history.store import Store
store = Store(Path(sys.argv[1]))
for _ in range(3):
    for i in range(20):
        store.put(b"%d " % i * 50)
    store.collect(set(store.names()), grace=0)
"""
    children = [subprocess.Popen([sys.executable, "-c", code, str(store.root)]) for _ in range(2)]
    threads = [threading.Thread(target=lambda: [store.put(d) for d in datas]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [child.wait(60) for child in children] == [0, 0]
    assert [store.get(Store.name(d)) for d in datas] == datas
    assert leftovers(store) == []


@given(st.binary(max_size=300))
@settings(max_examples=50, deadline=None)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = Store(tmp_path_factory.getbasetemp() / "any")
    assert store.get(store.put(data, durable=False)) == data
