"""The launcher's own promises: what every command inherits from it, and that a stray request does not end it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.shell.jail.gather import Order
from workbench.shell.jail.launcher import FILE_BYTES
from workbench.shell.jail.spawner import Spawner


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    made = Spawner()
    yield made
    made.close()


def printed(spawner: Spawner, command: str, *, gather: bool) -> list[str]:
    read, write = os.pipe()
    child = spawner.start(Order(["/bin/sh", "-c", command], {"PATH": "/usr/bin:/bin"}, "/", gather=gather), write)
    os.close(write)
    with os.fdopen(read) as output:
        lines = output.read().split()
    child.take()
    child.close()
    return lines


@pytest.mark.parametrize("gather", [False, True])
def test_every_command_is_limited_and_goes_first_when_memory_ends(spawner: Spawner, *, gather: bool) -> None:
    lines = printed(spawner, "umask; ulimit -c; ulimit -f; cat /proc/self/oom_score_adj; pwd", gather=gather)
    assert lines == ["0022", "0", str(FILE_BYTES // 512), "500", "/"]


@pytest.mark.parametrize("gather", [False, True])
def test_signals_are_as_a_program_expects_them(spawner: Spawner, *, gather: bool) -> None:
    """Python ignores SIGPIPE; a command that inherited that would never end in `yes | head`."""
    ignored = int(printed(spawner, "grep SigIgn /proc/self/status", gather=gather)[1], 16)
    assert ignored & 0x7FFFFFFF == 0, "but for two that the C library keeps for itself"
    assert printed(spawner, "yes | head -1", gather=gather) == ["y"]


def test_a_file_beyond_the_limit_cannot_be_written(spawner: Spawner, tmp_path: Path) -> None:
    command = f"dd if=/dev/zero of={tmp_path}/f bs=1 count=1 seek={FILE_BYTES} 2>/dev/null; echo $?"
    assert printed(spawner, command, gather=False) != ["0"]


def test_it_ends_with_its_socket() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    script = "from workbench.shell.jail.launcher import serve; import sys; serve(int(sys.argv[1]), sys.argv[2])"
    limits = '{"memory": 1073741824, "processes": 100}'
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(theirs.fileno()), limits],
        pass_fds=[theirs.fileno()],
        cwd=Path(__file__).parents[3],
    )
    theirs.close()
    ours.close()
    assert process.wait(10) == 0
