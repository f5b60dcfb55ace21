"""Many objects in one file: whole or not there, taken out for good, found by other processes."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.history.packs import PackWriter
from workbench.history.store import Damaged, Store

DATAS = [b"", b"x", b"words " * 200, os.urandom(3000), *(b"%d\n" % i for i in range(50))]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def fill(store: Store, datas: list[bytes] = DATAS) -> list[str]:
    with store.batch() as batch:
        return [batch.put(d) for d in datas]


def files(store: Store) -> list[str]:
    return sorted(f.suffix for f in store.packs.folder.iterdir())


def test_an_empty_batch_leaves_nothing(store: Store) -> None:
    with store.batch():
        pass
    assert files(store) == []


def test_what_was_put_comes_back_also_elsewhere(store: Store) -> None:
    names = fill(store)
    assert [store.get(n) for n in names] == DATAS
    assert [Store(store.root).get(n) for n in names] == DATAS
    assert files(store) == [".idx", ".pack"]
    assert sorted(store.names()) == sorted(names)
    assert not any(store.objects.iterdir())
    assert store.stored_size(names[2]) < 100
    assert not store.has("0" * 64)


def test_nothing_is_there_before_the_end_nor_after_an_error(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.batch() as batch:
        sha = batch.put(b"half")
        assert not store.has(sha)
        raise ZeroDivisionError
    assert files(store) == []
    assert not store.has(sha)


def test_a_full_disk_refuses(store: Store, monkeypatch) -> None:
    def full(_: PackWriter) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(PackWriter, "finish", full)
    with pytest.raises(Refused, match="No space left"):
        fill(store)
    assert files(store) == []


def test_what_is_there_already_is_not_kept_twice(store: Store) -> None:
    store.put(b"loose")
    fill(store, [b"packed"])
    names = fill(store, [b"loose", b"packed", b"new", b"new"])
    assert len(set(names)) == 3
    assert sorted(store.names()) == sorted(set(names))
    assert store.put(b"packed") == names[1]
    assert len(list(store._loose())) == 1


def test_large_files_become_objects_of_their_own(store: Store, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"a" * (2 << 20))
    (tmp_path / "small").write_bytes(b"a")
    with store.batch() as batch:
        for name in ("big", "small"):
            fd = os.open(tmp_path / name, os.O_RDONLY)
            sha, size = batch.put_fd(fd)
            os.close(fd)
            assert (sha, size) == (Store.name((tmp_path / name).read_bytes()), (tmp_path / name).stat().st_size)
    assert len(list(store._loose())) == 1
    assert len(list(store.packs.names())) == 1


def test_damage_is_found_and_mended_by_a_new_put(store: Store) -> None:
    (sha,) = fill(store, [b"words " * 100])
    (pack,) = store.packs.folder.glob("*.pack")
    raw = bytearray(pack.read_bytes())
    raw[5] ^= 1
    pack.write_bytes(raw)
    with pytest.raises(Damaged):
        store.get(sha)
    store.put(b"words " * 100)
    assert store.get(sha) == b"words " * 100


def test_i3_what_is_taken_out_is_nowhere(store: Store) -> None:
    secret = b"AKIA-SECRET"
    names = fill(store, [secret, *DATAS])
    assert store.delete(names[0])
    assert not store.delete(names[0])
    assert not any(b"AKIA" in f.read_bytes() for f in store.root.rglob("*") if f.is_file())
    with pytest.raises(Damaged):
        store.get(names[0])
    assert [store.get(n) for n in names[1:]] == DATAS


def test_a_pack_that_is_mostly_dead_is_written_anew_and_an_empty_one_goes(store: Store) -> None:
    other = Store(store.root)
    datas = [os.urandom(1000) for _ in range(20)]
    names = fill(store, datas)
    assert other.get(names[0]) == datas[0]
    for pack in store.packs.folder.glob("*.pack"):
        os.utime(pack, (1, 1))
    count, freed = store.collect(set(names[:3]))
    assert count == 17
    assert freed > 16000
    assert [store.get(n) for n in names[:3]] == datas[:3]
    assert [other.get(n) for n in names[:3]] == datas[:3]
    assert not other.has(names[5])
    for pack in store.packs.folder.glob("*.pack"):
        os.utime(pack, (1, 1))
    store.collect(set())
    assert files(store) == []


def test_young_packs_are_not_collected_and_a_put_makes_one_young(store: Store) -> None:
    (sha,) = fill(store, [b"x"])
    assert store.collect(set()) == (0, 0)
    for pack in store.packs.folder.glob("*.pack"):
        os.utime(pack, (1, 1))
    store.put(b"x")
    assert store.collect(set()) == (0, 0)
    assert store.has(sha)


def test_what_a_crash_left_is_swept(store: Store) -> None:
    fill(store)
    for name in ("0123456789abcdef.pack", "fedcba9876543210.tmp"):
        (store.packs.folder / name).write_bytes(b"half")
        os.utime(store.packs.folder / name, (1, 1))
    assert store.sweep() == 2
    assert files(store) == [".idx", ".pack"]


@given(st.lists(st.binary(max_size=40), max_size=30), st.data())
@settings(max_examples=40, deadline=None)
def test_any_contents_any_removals(tmp_path_factory: pytest.TempPathFactory, datas, data) -> None:
    store = Store(tmp_path_factory.mktemp("packs"))
    names = fill(store, datas)
    gone = {n for n in names if data.draw(st.booleans())}
    for n in gone:
        store.delete(n)
    for n, d in zip(names, datas, strict=True):
        if n in gone:
            assert not store.has(n)
        else:
            assert store.get(n) == d
