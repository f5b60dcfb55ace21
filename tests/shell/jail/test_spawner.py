"""The server's side of the launcher: started when first needed, and again when it was lost."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.shell.jail.gather import Order
from workbench.shell.jail.spawner import Child, Spawner, data_fd


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    made = Spawner()
    yield made
    made.close()


def outcome(spawner: Spawner, order: Order) -> tuple[int | None, bytes, str]:
    """(exit status, output, error) of a command."""
    read, write = os.pipe()
    child = spawner.start(order, write)
    os.close(write)
    with os.fdopen(read, "rb") as output:
        printed = output.read()
    while (status := child.take()) is None:
        pass
    child.close()
    return status, printed, child.error


def shell(command: str, **more: object) -> Order:
    return Order(["/bin/sh", "-c", command], {"PATH": "/usr/bin:/bin"}, "/", **more)  # type: ignore[arg-type]


def launcher(spawner: Spawner) -> int:
    assert spawner._process is not None
    return spawner._process.pid


@pytest.mark.parametrize("gather", [False, True])
def test_output_and_exit_status_come_back(spawner: Spawner, *, gather: bool) -> None:
    assert outcome(spawner, shell("echo out; echo err >&2; exit 5", gather=gather)) == (5, b"out\nerr\n", "")


@pytest.mark.parametrize("gather", [False, True])
def test_what_cannot_be_started_says_why(spawner: Spawner, *, gather: bool) -> None:
    status, _, error = outcome(spawner, Order(["/no/such/program"], {}, "/", gather=gather))
    assert status == 127
    assert "No such file" in error


def test_one_launcher_serves_many_at_once(spawner: Spawner) -> None:
    assert outcome(spawner, shell("exit 0"))[0] == 0
    first = launcher(spawner)
    ended: list[int | None] = []
    threads = [
        threading.Thread(target=lambda n=n: ended.append(outcome(spawner, shell(f"exit {n}"))[0])) for n in range(30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == list(range(30))  # type: ignore[type-var]
    assert launcher(spawner) == first


def test_no_descriptor_of_the_server_or_of_another_command_reaches_a_command(spawner: Spawner) -> None:
    with socket.create_server(("127.0.0.1", 0)):
        others = [spawner.start(shell("sleep 5", gather=bool(n % 2)), 1) for n in range(4)]
        for gather in (False, True):
            _, printed, _ = outcome(spawner, shell("ls -l /proc/self/fd | wc -l", gather=gather))
            assert int(printed) == 5, "total, 0, 1, 2 and the folder that ls reads"
        for child in others:
            child.kill()
            child.close()


def test_stdin_is_at_its_end_and_the_session_is_its_own(spawner: Spawner) -> None:
    for gather in (False, True):
        _, printed, _ = outcome(spawner, shell("cat; ps -o sid= -p $$; echo $$", gather=gather))
        assert int(printed.split()[0]) != os.getsid(0)


def test_further_descriptors_arrive_under_their_numbers(spawner: Spawner) -> None:
    files = [data_fd(b"one"), data_fd(b"two")]
    read, write = os.pipe()
    child = spawner.start(shell("cat /proc/self/fd/501 /proc/self/fd/500", fds=[500, 501]), write, files)
    for fd in (write, *files):
        os.close(fd)
    with os.fdopen(read, "rb") as output:
        assert output.read() == b"twoone"
    assert child.take() == 0
    child.close()


def test_a_kill_may_come_at_any_time_and_twice(spawner: Spawner) -> None:
    for wait in (0, 0.05):
        for gather in (False, True):
            read, write = os.pipe()
            child = spawner.start(shell("sleep 50", gather=gather), write)
            os.close(write)
            time.sleep(wait)
            child.kill()
            child.kill()
            assert child.take() in (-9, 137)
            child.kill()
            child.close()
            os.close(read)


def test_when_the_launcher_is_lost_its_commands_are_and_the_next_one_runs(spawner: Spawner) -> None:
    read, write = os.pipe()
    child = spawner.start(shell("sleep 50 & sleep 50; :", gather=True), write)
    os.close(write)
    time.sleep(0.1)
    os.kill(launcher(spawner), signal.SIGKILL)
    assert child.take() == -9
    with os.fdopen(read, "rb") as output:
        assert output.read() == b"", "nobody holds the pipe any more"
    child.close()
    assert outcome(spawner, shell("echo again"))[:2] == (0, b"again\n")


def test_closing_ends_what_still_runs() -> None:
    spawner = Spawner()
    read, write = os.pipe()
    child: Child = spawner.start(shell("(setsid sleep 50 &) ; sleep 50; :", gather=True), write)
    os.close(write)
    time.sleep(0.1)
    spawner.close()
    with os.fdopen(read, "rb") as output:
        assert output.read() == b""
    child.close()


def test_the_launcher_holds_nothing_of_the_server(spawner: Spawner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    outcome(spawner, shell("true"))
    assert b"hush" not in Path(f"/proc/{launcher(spawner)}/environ").read_bytes()
    script = "import sys, workbench.shell.jail.launcher; print('\\n'.join(sys.modules))"
    listed = subprocess.run([sys.executable, "-I", "-S", "-c", "import sys; sys.path.insert(0, '.'); " + script],
                            capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])  # fmt: skip
    assert not [name for name in listed.stdout.split() if name.startswith(("pydantic", "django", "asyncio"))]


def test_data_is_read_from_its_start() -> None:
    fd = data_fd(b"x" * 100_000)
    with os.fdopen(fd, "rb") as file:
        assert file.read() == b"x" * 100_000
