"""Commands that go on while the agent does other things; each belongs to a session and ends with it (SPEC B7)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.shell.run import Finished


@dataclass(frozen=True)
class Job:
    """One background command as others see it."""

    id: str
    session: str
    command: str
    spool: Path
    """the output so far"""
    finished: Finished | None
    """None while it runs"""


def start(session: str, command: str, run: Callable[..., Finished], spool: Path) -> Job:
    """Start `run` in a thread of its own; it gets `stop` and `spool`."""
    raise NotImplementedError


def jobs(session: str) -> list[Job]:
    """All of a session, oldest first."""
    raise NotImplementedError


def stop(session: str, job: str) -> Job:
    """End one and wait for it, a second at most. KeyError when there is none."""
    raise NotImplementedError


def end(session: str) -> None:
    """End all of a session and forget them."""
    raise NotImplementedError
