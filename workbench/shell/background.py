"""Commands that go on while the agent does other things; each belongs to a session and ends with it (SPEC B7).

A job is a thread that runs the command as ever; its output grows in a spool file. Nothing of it outlives this process.
"""

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.files import Refused
from workbench.shell.jail.output import TAIL, cut_tail
from workbench.shell.run import Finished

MOST = 8
"""running jobs of one session"""
_numbers = itertools.count(1)


@dataclass
class Job:
    """One background command."""

    id: str
    session: str
    call: str
    """the call that started it"""
    command: str
    spool: Path
    """the output so far"""
    started: float = field(default_factory=time.time)
    finished: Finished | None = None
    """None while it runs"""
    failed: Refused | None = None
    """why it could not run"""
    read_to: int = 0
    """bytes of output that the model has been given"""
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def running(self) -> bool:
        return not self.done.is_set()


_jobs: dict[str, dict[str, Job]] = {}
_lock = threading.Lock()


def start(session: str, call: str, command: str, spool: Path, run: Callable[[threading.Event], Finished]) -> Job:
    """Start `run` in a thread of its own; it gets the event that stops it. Refused `conflict` when too many run."""
    job = Job(f"b{next(_numbers)}", session, call, command, spool)
    with _lock:
        mine = _jobs.setdefault(session, {})
        if sum(other.running for other in mine.values()) >= MOST:
            raise Refused("conflict", f"{MOST} background commands run already: stop one of them first.")
        mine[job.id] = job

    def work() -> None:
        try:
            job.finished = run(job.stop)
        except Refused as e:
            job.failed = e
        finally:
            job.done.set()

    threading.Thread(target=work, name=f"job {job.id}", daemon=True).start()
    return job


def jobs(session: str) -> list[Job]:
    """All of a session, oldest first."""
    with _lock:
        return list(_jobs.get(session, {}).values())


def get(session: str, job: str) -> Job:
    """Refused `not_found` when the session has none of that name."""
    with _lock:
        mine = _jobs.get(session, {})
    if job not in mine:
        there = ", ".join(mine) or "none"
        raise Refused("not_found", f"There is no background command {job!r} in this session; there are: {there}.")
    return mine[job]


def news(job: Job) -> tuple[bytes, int]:
    """(the end of what came since the last time, how many bytes before it were cut)."""
    try:
        with job.spool.open("rb") as file:
            size = file.seek(0, 2)
            begin = max(job.read_to, size - TAIL)
            file.seek(begin)
            data = file.read(size - begin)
    except OSError:
        return b"", 0
    fresh = size - job.read_to
    tail = cut_tail(data, fresh)
    job.read_to = size
    return tail, fresh - len(tail)


def stop(session: str, job: str, *, wait: float = 2.0) -> Job:
    """End one, and wait until it is gone."""
    found = get(session, job)
    found.stop.set()
    found.done.wait(wait)
    return found


def end(session: str, *, wait: float = 2.0) -> None:
    """End all of a session and forget them."""
    with _lock:
        mine = list(_jobs.pop(session, {}).values())
    for job in mine:
        job.stop.set()
    for job in mine:
        job.done.wait(wait)
