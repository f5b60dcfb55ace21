"""Jobs: threads that run a command while the agent goes on, and that end with their session (SPEC B7)."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shell.conftest import Do
from workbench.files import Refused
from workbench.shell import background
from workbench.shell.background import Job


@pytest.fixture
def start(do: Do, tmp_path: Path) -> Iterator[Callable[..., Job]]:
    def make(command: str, session: str = "s1", **more: Any) -> Job:
        spool = tmp_path / "spool" / f"{session}-{time.monotonic_ns()}"
        return background.start(
            session, "c1", command, spool, lambda stop: do(command, stop=stop, timeout=None, spool=spool, **more)
        )

    yield make
    for session in ("s1", "s2"):
        background.end(session)


def test_it_runs_until_it_ends(start: Callable[..., Job]) -> None:
    job = start("echo one; exit 3")
    assert job.done.wait(10)
    assert job.finished is not None
    assert (job.running, job.finished.exit_code) == (False, 3)


def test_output_is_given_once_and_goes_on(start: Callable[..., Job], tmp_path: Path) -> None:
    job = start("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; sleep 60")
    assert _until(lambda: background.news(job) == (b"one\n", 0))
    assert background.news(job) == (b"", 0)
    (tmp_path / "ws" / "go").touch()
    assert _until(lambda: background.news(job) == (b"two\n", 0))


def test_of_much_output_the_end_is_given_and_the_rest_is_counted(start: Callable[..., Job]) -> None:
    job = start("seq 1 50000")
    assert job.done.wait(10)
    tail, cut = background.news(job)
    assert tail.endswith(b"\n50000\n")
    assert cut + len(tail) == len("".join(f"{n}\n" for n in range(1, 50001)))


def test_a_stop_waits_until_it_is_gone(start: Callable[..., Job]) -> None:
    job = start("sleep 60")
    stopped = background.stop("s1", job.id)
    assert not stopped.running
    assert stopped.finished is not None
    assert stopped.finished.stopped


def test_sessions_do_not_see_each_others_jobs(start: Callable[..., Job]) -> None:
    mine, other = start("sleep 60"), start("sleep 60", session="s2")
    assert [job.id for job in background.jobs("s1")] == [mine.id]
    with pytest.raises(Refused) as refused:
        background.get("s1", other.id)
    assert mine.id in refused.value.message


def test_a_session_that_ends_takes_its_jobs_along(start: Callable[..., Job]) -> None:
    jobs = [start("(setsid sleep 60 &); sleep 60") for _ in range(3)]
    background.end("s1")
    assert not any(job.running for job in jobs)
    assert background.jobs("s1") == []


def test_too_many_are_refused_until_one_ends(start: Callable[..., Job]) -> None:
    jobs = [start("sleep 60") for _ in range(background.MOST)]
    with pytest.raises(Refused) as refused:
        start("sleep 60")
    assert refused.value.code == "conflict"
    background.stop("s1", jobs[0].id)
    assert start("true").done.wait(10)


def test_one_that_cannot_run_says_why(start: Callable[..., Job]) -> None:
    job = start("true", cwd=Path("/no/such/folder"))
    assert job.done.wait(10)
    assert job.failed is not None
    assert job.failed.code == "no_file"
    assert not job.running


def test_output_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    assert background.news(Job("b0", "s", "c", "x", tmp_path / "none")) == (b"", 0)


def _until(check: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    waiting = threading.Event()
    while not check():
        if time.monotonic() > end:
            return False
        waiting.wait(0.02)
    return True
