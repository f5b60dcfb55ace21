"""The helper process: used again, given up, started again."""

import os
import signal
import threading

import pytest

from workbench.history.worker import Worker


@pytest.fixture
def worker():
    made = Worker("workbench.history.changes")
    yield made
    made.close()


def test_one_process_answers_again_and_again(worker: Worker) -> None:
    assert worker.ask(b"a\n", b"b\n", seconds=20) == [(0, 1, 0, 1)]
    first = worker._process.pid
    assert worker.ask(b"", b"", seconds=20) == []
    assert worker._process.pid == first


def test_a_killed_process_is_replaced(worker: Worker) -> None:
    worker.ask(b"a\n", b"b\n", seconds=20)
    os.kill(worker._process.pid, signal.SIGKILL)
    worker._process.wait()
    assert worker.ask(b"a\n", b"b\n", seconds=20) == [(0, 1, 0, 1)]


def test_one_that_dies_in_the_middle_gives_no_answer_and_the_next_question_works(worker: Worker) -> None:
    worker.ask(b"a\n", b"b\n", seconds=20)
    os.kill(worker._process.pid, signal.SIGSTOP)
    assert worker.ask(b"a\n", b"b\n", seconds=0.2) is None
    assert worker.ask(b"a\n", b"b\n", seconds=20) == [(0, 1, 0, 1)]


def test_many_threads_may_ask(worker: Worker) -> None:
    found = []
    threads = [
        threading.Thread(target=lambda n=n: found.append((n, worker.ask(b"x\n" * n, b"", seconds=20))))
        for n in range(1, 9)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == [(n, [(0, n, 0, 0)]) for n in range(1, 9)]


def test_it_ends_with_its_parent(worker: Worker) -> None:
    worker.ask(b"a\n", b"b\n", seconds=20)
    process = worker._process
    worker.close()
    assert process.returncode is not None
    worker.close()
