"""One writer a path, over threads and processes."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workbench.files import Refused
from workbench.history.locks import hold


def test_a_lock_is_free_again_after_release(tmp_path: Path) -> None:
    lock = hold(tmp_path / "locks", "a")
    lock.release()
    lock.release()
    hold(tmp_path / "locks", "a", wait=0).release()


def test_other_names_do_not_wait(tmp_path: Path) -> None:
    held = hold(tmp_path / "locks", "a")
    hold(tmp_path / "locks", "b", wait=0).release()
    hold(tmp_path / "locks", "caf\udce9", wait=0).release()
    held.release()


def test_the_second_waits_and_then_gives_up(tmp_path: Path) -> None:
    held = hold(tmp_path / "locks", "a")
    with pytest.raises(Refused) as e:
        hold(tmp_path / "locks", "a", wait=0.05)
    assert e.value.code == "conflict"
    held.release()


def test_threads_take_turns(tmp_path: Path) -> None:
    inside, most, total = 0, 0, 0

    def work() -> None:
        nonlocal inside, most, total
        for _ in range(20):
            lock = hold(tmp_path / "locks", "a")
            inside += 1
            most = max(most, inside)
            total += 1
            inside -= 1
            lock.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (most, total) == (1, 80)


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from workbench.history.locks import hold; "
    code += "lock = hold(Path(sys.argv[1]), 'a'); print('held', flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "locks")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(Refused):
        hold(tmp_path / "locks", "a", wait=0)
    child.kill()
    child.communicate()
    hold(tmp_path / "locks", "a", wait=5).release()


def test_a_folder_that_cannot_be_written_refuses(tmp_path: Path) -> None:
    with pytest.raises(Refused) as e:
        hold(tmp_path / "missing" / "locks", "a")
    assert e.value.code == "io"
