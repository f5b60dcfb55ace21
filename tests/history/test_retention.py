"""How long contents stay, and how one is taken out (I3-I5, I9, A14 of rollback.md)."""

import os
from datetime import UTC, datetime, timedelta

from workbench.history.entries import TreeFile
from workbench.history.retention import Keeping, enforce, expired, purge, purge_version

NOW = datetime.now(UTC)


def history(work, count: int = 5, size: int = 1000) -> None:
    work.person("f", b"0" * size)
    for i in range(1, count + 1):
        work.edit("f", b"%d" % i * size)


def age(work) -> None:
    for sha in work.store.names():
        os.utime(work.store.objects / sha[:2] / sha[2:], (1, 1))


def test_without_limits_nothing_goes(work) -> None:
    history(work)
    assert expired(work.rows.kept(), Keeping(), NOW) == []
    assert enforce(work.rows, work.store, Keeping(), NOW).versions == 0


def test_i5_the_oldest_go_first_and_the_newest_stays(work) -> None:
    history(work)
    kept = work.rows.kept()
    ids = [v.id for v in kept]
    assert [v.id for v in expired(kept, Keeping(count=2), NOW)] == ids[:3]
    assert [v.id for v in expired(kept, Keeping(days=1), NOW + timedelta(days=2))] == ids[:-1]
    assert [v.id for v in expired(kept, Keeping(bytes=3500), NOW)] == ids[:3]
    assert [v.id for v in expired(kept, Keeping(bytes=0), NOW)] == ids[:-1]


def test_a_dropped_version_says_so_and_later_ones_still_work(work) -> None:
    history(work)
    age(work)
    first, *_, last = work.rows.of_session("s1")
    dropped = enforce(work.rows, work.store, Keeping(count=2), NOW)
    assert dropped.versions == 3
    assert dropped.objects == 3
    outcome = work.undo(first)
    assert outcome.status == "refused"
    assert "removed" in outcome.message
    assert work.undo(last).status == "done"


def test_shared_content_and_what_others_count_on_stays(work) -> None:
    history(work)
    media = work.store.put(b"an image")
    dead = work.store.put(b"nobody names this")
    work.edit("g", b"0" * 1000)
    age(work)
    enforce(work.rows, work.store, Keeping(count=1), NOW, also={media})
    assert work.store.has(media)
    assert not work.store.has(dead)
    assert work.store.has(work.store.name(b"0" * 1000))


def test_i9_of_a_workspace_that_is_gone_the_newest_goes_too(work) -> None:
    history(work)
    age(work)
    tree = TreeFile(work.store.root / "trees", str(work.root))
    tree.add({})
    tree.begin({"session": "s", "call": "c", "by": "bash"})
    later = NOW + timedelta(days=99)
    assert enforce(work.rows, work.store, Keeping(days=90), later).versions == 4
    gone = enforce(work.rows, work.store, Keeping(days=90), later, gone=[str(work.root)])
    assert gone.objects == 2
    assert list(work.store.names()) == []
    assert not tree.path.exists()
    assert len(work.rows.of_session("s1")) == 5


def test_pending_versions_are_never_dropped(work) -> None:
    history(work)
    work.history().before(work.fence.resolve("f")).lock.release()
    pending = work.rows.pending(str(work.root))[0]
    found = expired(work.rows.kept(), Keeping(bytes=0, days=0), NOW + timedelta(days=9))
    assert pending.id not in [v.id for v in found]


def test_i3_i4_purge_of_a_path(work) -> None:
    secret, shared = b"KEY=AKIA-SECRET\n" * 5, b"also elsewhere\n" * 5
    work.person("secret.txt", shared)
    work.edit("secret.txt", secret)
    work.edit("secret.txt", b"clean\n")
    work.edit("other", shared)
    found = purge(work.rows, work.store, workspace=str(work.root), path="secret.txt")
    assert work.store.name(secret) in found.gone
    assert found.held == {work.store.name(shared): ("other",)}
    for file in work.store.root.rglob("*"):
        assert not file.is_file() or b"AKIA" not in file.read_bytes()
    versions = work.rows.of_path(str(work.root), "secret.txt")
    assert len(versions) == 2
    assert work.undo(versions[1]).status == "refused"
    assert work.undo(work.rows.of_path(str(work.root), "other")[0]).status == "done"


def test_purge_of_one_version(work) -> None:
    history(work, 3)
    second = work.rows.of_session("s1")[1]
    found = purge_version(work.rows, work.store, second)
    assert set(found.gone) == {second.before.sha256, second.after.sha256}
    assert work.undo(second).status == "refused"
    assert not work.rows.get(second.id).before.stored
