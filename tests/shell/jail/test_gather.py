"""A tree that no namespace holds is kept together all the same."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.shell.jail.gather import Order
from workbench.shell.jail.spawner import Spawner


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    made = Spawner()
    yield made
    made.close()


def sleepers(seconds: str) -> list[int]:
    """Processes that sleep exactly that long."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().split(b"\0")[:2] == [
                b"sleep",
                seconds.encode(),
            ]:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def until_gone(seconds: str) -> bool:
    end = time.monotonic() + 2
    while sleepers(seconds):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def start(spawner: Spawner, command: str) -> tuple[object, int]:
    read, write = os.pipe()
    child = spawner.start(Order(["/bin/sh", "-c", command], {"PATH": "/usr/bin:/bin"}, "/", gather=True), write)
    os.close(write)
    return child, read


def test_daemons_go_with_their_command(spawner: Spawner) -> None:
    child, read = start(
        spawner, f"(setsid sleep 3611.{os.getpid()} &); setsid sleep 3611.{os.getpid()} & sleep 0.1; exit 4"
    )
    assert child.take() == 4  # type: ignore[attr-defined]
    assert until_gone(f"3611.{os.getpid()}")
    child.close()  # type: ignore[attr-defined]
    os.close(read)


def test_a_signal_that_ends_the_command_is_told_as_shells_do(spawner: Spawner) -> None:
    child, read = start(spawner, "kill -TERM $$")
    assert child.take() == 128 + signal.SIGTERM  # type: ignore[attr-defined]
    child.close()  # type: ignore[attr-defined]
    os.close(read)


def test_a_gatherer_that_is_killed_leaves_its_flock_to_the_launcher(spawner: Spawner) -> None:
    """A command of the same user can do that; it does not win anything by it. Another command is left alone."""
    other, other_read = start(spawner, "sleep 0.5; exit 6")
    child, read = start(
        spawner, f"(setsid sleep 3612.{os.getpid()} &); sleep 0.2; kill -KILL $PPID; sleep 3612.{os.getpid()}"
    )
    assert child.take() == -9  # type: ignore[attr-defined]
    assert until_gone(f"3612.{os.getpid()}")
    assert other.take() == 6  # type: ignore[attr-defined]
    for one, fd in ((other, other_read), (child, read)):
        one.close()  # type: ignore[attr-defined]
        os.close(fd)


def test_what_forks_while_it_is_killed_is_met_as_well(spawner: Spawner) -> None:
    child, read = start(
        spawner, f"breed() {{ sleep 3613.{os.getpid()} & sleep 0.01; breed & }}; breed; breed; sleep 3613.{os.getpid()}"
    )
    time.sleep(0.5)
    child.kill()  # type: ignore[attr-defined]
    assert child.take() == 137  # type: ignore[attr-defined]
    assert until_gone(f"3613.{os.getpid()}")
    child.close()  # type: ignore[attr-defined]
    os.close(read)
