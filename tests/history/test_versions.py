"""The door that every change passes: kept before, recorded after, one writer a path (W3, H1)."""

import threading

import pytest

from workbench.files import Refused
from workbench.history.versions import History, Pending


def rows(work):
    return work.rows.of_path(str(work.root), "f")


def test_a_change_that_was_dropped_leaves_no_version(work) -> None:
    work.person("f", b"1\n")
    with work.history().before(work.fence.resolve("f")) as pending:
        pending.dropped()
    assert rows(work) == []
    assert work.rows.pending(str(work.root)) == []


def test_the_old_bytes_are_kept_before_anything_happens(work) -> None:
    work.person("f", b"1\n")
    with work.history().before(work.fence.resolve("f"), becomes=b"2\n") as pending:
        assert work.store.get(pending.before.sha256) == b"1\n"
        (row,) = work.rows.pending(str(work.root))
        assert (row.before, row.intended) == (pending.before, work.store.name(b"2\n"))
        pending.dropped()


def test_done_records_what_the_disk_shows(work) -> None:
    version = work.edit("f", b"2\n")
    assert (version.before.kind, version.after.kind, version.after.size) == ("absent", "file", 2)
    assert (version.session, version.by, version.status) == ("s1", "edit_file", "done")
    assert work.store.get(version.after.sha256) == b"2\n"


def test_an_error_after_the_write_still_gives_a_version(work) -> None:
    work.person("f", b"1\n")
    with pytest.raises(ValueError, match="later"), work.history().before(work.fence.resolve("f")):
        work.person("f", b"2\n")
        raise ValueError("something broke later")
    (version,) = rows(work)
    assert work.store.get(version.after.sha256) == b"2\n"


def test_an_error_before_the_write_gives_none(work) -> None:
    work.person("f", b"1\n")
    with pytest.raises(ValueError, match="early"), work.history().before(work.fence.resolve("f")):
        raise ValueError("early")
    assert rows(work) == []


def test_someone_who_writes_right_after_makes_it_uncertain_and_is_not_recorded(work) -> None:
    work.person("f", b"1\n")
    with work.history().before(work.fence.resolve("f"), becomes=b"2\n") as pending:
        work.person("f", b"2\n")
        work.person("f", b"someone else\n")
        version = pending.done(b"2\n")
    assert version.uncertain
    assert work.store.get(version.after.sha256) == b"2\n"


def test_the_path_is_locked_until_it_is_closed(work) -> None:
    work.person("f", b"1\n")
    order: list[str] = []
    first = work.history().before(work.fence.resolve("f"))

    def second() -> None:
        with work.history().before(work.fence.resolve("f")) as pending:
            order.append("second")
            pending.dropped()

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.1)
    order.append("first")
    first.dropped()
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_is_let_go_when_the_rows_cannot_be_written(work, monkeypatch) -> None:
    work.person("f", b"1\n")
    monkeypatch.setattr(type(work.rows), "begin", lambda *_, **__: 1 / 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            work.history().before(work.fence.resolve("f"))


def test_what_cannot_be_kept_is_told_before(work) -> None:
    assert work.history().unkept(work.fence.resolve("none")) == ""
    work.person("f", b"1\n")
    history = History(work.store, work.rows, work.fence, "s", "c", "t", lambda path, size: f"rule for {path} {size}")
    assert history.unkept(work.fence.resolve("f")) == "rule for f 2"
    assert isinstance(history.before(work.fence.resolve("f"), anyway=True), Pending)


def test_a_file_that_cannot_be_read_cannot_be_kept(work, monkeypatch) -> None:
    work.person("f", b"1\n")
    import os

    real = os.open

    def denied(path, flags, *args, **more):  # root may read everything, so the system's answer is played here
        if path == "f" and not flags & os.O_WRONLY and more.get("dir_fd") is not None:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *args, **more)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(Refused) as e:
        work.history().before(work.fence.resolve("f"))
    assert e.value.code == "permission"
