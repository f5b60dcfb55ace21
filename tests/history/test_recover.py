"""kill -9 between any two steps of a change or a rollback: afterwards the file is old or new, and the row says which
(H3, H4, H5, E8 of rollback.md)."""

import os
import subprocess
import sys

import pytest

from workbench.history.locks import hold
from workbench.history.recover import recover

HERE = os.path.dirname(__file__)

CRASHES = '''
"""Runs one operation again and again, killed before its first, second, third ... step, until it comes through."""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Rows, Work
from workbench.files import atomic
from workbench.history.apply import apply
from workbench.history.recover import recover
from workbench.history.store import Store

base, what, every = Path(sys.argv[1]), sys.argv[3], int(sys.argv[4])
OLD, NEW = b"old\\n" * 50, b"new\\n" * 50


def arm(number):
    """SIGKILL before the `number`-th step."""
    left = number
    def step(name, real):
        def wrapped(*args, **more):
            nonlocal left
            if left == 0:
                print("killed before", name, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return real(*args, **more)
        return wrapped
    for name in ("open", "write", "fsync", "rename", "unlink", "rmdir", "mkdir", "fchmod", "link", "chmod"):
        setattr(os, name, step(name, getattr(os, name)))
    atomic._renameat2 = step("renameat2", atomic._renameat2)
    for name in ("begin", "finish", "drop"):
        setattr(Rows, name, step("row " + name, getattr(Rows, name)))


def prepare(work):
    work.person("a", OLD)
    if what != "edit":
        for name in ("a", "b", "sub/c"):
            work.edit(name, NEW, call="turn")
        work.person("d", OLD)
        work.delete("d", call="turn")


def operate(work):
    if what == "edit":
        work.edit("a", NEW)
    else:
        rb = work.rollback()
        outcomes = apply(rb, rb.call("s1", "turn"))
        assert all(o.status == "done" for o in outcomes), outcomes


def before_after():
    if what == "edit":
        return {"a": (OLD, NEW)}
    return {"a": (NEW, OLD), "b": (NEW, None), "sub/c": (NEW, None), "d": (None, OLD)}


number = 0
while True:
    work = Work(base / str(number))
    prepare(work)
    child = os.fork()
    if child == 0:
        arm(number)
        operate(work)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    fresh = Work(base / str(number))
    closed = recover(fresh.history("recover"))
    swept = atomic.sweep(fresh.root)
    assert fresh.rows.pending(str(fresh.root)) == []
    done = {v.path: v for v in fresh.rows.of_session("s1") if (v.call == "-" if what != "edit" else True)}
    for path, (old, new) in before_after().items():
        there = fresh.path(path).read_bytes() if fresh.path(path).exists() else None
        assert there in (old, new), (number, path, there)
        changed = there == new
        assert changed == (path in done), (number, path, changed, done)
        if changed:
            assert not done[path].uncertain, (number, path)
            assert fresh.undo(done[path], recreate=True).status == "done"
            back = fresh.path(path).read_bytes() if fresh.path(path).exists() else None
            assert back == old, (number, path, back)
    assert not [p for p in fresh.root.rglob(".wb-tmp-*")]
    fresh.store.sweep(grace=-1)
    for sha in fresh.store.names():
        fresh.store.get(sha)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        break
    number += every
print("steps", number)
'''


@pytest.mark.parametrize(("what", "least"), [("edit", 20), ("rollback", 60)])
def test_killed_before_every_step(tmp_path, rounds, what: str, least: int) -> None:
    every = 1 if rounds(20) == 20 else 3
    done = subprocess.run(
        [sys.executable, "-c", CRASHES, str(tmp_path), HERE, what, str(every)],
        capture_output=True, text=True, cwd=os.path.dirname(os.path.dirname(HERE)),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert int(done.stdout.split()[-1]) >= least


def test_nothing_pending_nothing_done(work) -> None:
    assert recover(work.history("recover")) == []


def test_h3_a_change_that_never_happened_is_dropped(work) -> None:
    work.person("f", b"1\n")
    pending = work.history().before(work.fence.resolve("f"), becomes=b"2\n")
    pending.lock.release()
    assert recover(work.history("recover")) == []
    assert work.rows.pending(str(work.root)) == []
    assert work.rows.of_path(str(work.root), "f") == []


@pytest.mark.parametrize(("becomes", "uncertain"), [(b"2\n", False), (b"3\n", True), (None, True)])
def test_h4_a_change_that_happened_is_closed_by_the_disk(work, becomes: bytes | None, uncertain: bool) -> None:
    work.person("f", b"1\n")
    work.history().before(work.fence.resolve("f"), becomes=becomes).lock.release()
    work.person("f", b"2\n")
    (version,) = recover(work.history("recover"))
    assert version.uncertain == uncertain
    assert work.undo(version).status == "done"
    assert work.path("f").read_bytes() == b"1\n"


def test_a_row_of_a_living_process_is_left_alone(work) -> None:
    work.person("f", b"1\n")
    with work.history().before(work.fence.resolve("f")) as pending:
        assert recover(work.history("recover")) == []
        assert len(work.rows.pending(str(work.root))) == 1
        pending.dropped()
    hold(work.store.root / "locks", f"{work.root}\0f", wait=0).release()


def test_a_path_that_cannot_be_looked_at_waits_for_the_next_start(work, tmp_path) -> None:
    work.person("d/f", b"1\n")
    work.history().before(work.fence.resolve("d/f")).lock.release()
    work.path("d").rename(tmp_path / "away")
    work.path("d").symlink_to(tmp_path / "away")
    assert recover(work.history("recover")) == []
    assert len(work.rows.pending(str(work.root))) == 1
