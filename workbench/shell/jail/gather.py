"""A command whose tree no pid namespace will end (levels C and D): a process above it keeps the tree together.

Whatever the command leaves behind, daemons too, becomes a child of that process (PR_SET_CHILD_SUBREAPER). When the
command ends, or when the pipe `life` ends because someone wants it to or because the launcher is gone, all of it is
killed.
"""

import ctypes
import fcntl
import json
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from workbench.shell.jail.landlock import Confinement, confine

_PR_SET_CHILD_SUBREAPER = 36
_PASSED = 200
"""descriptors on their way into a command lie at and above this number"""


@dataclass(frozen=True)
class Order:
    """One command to start."""

    argv: list[str]
    env: dict[str, str]
    cwd: str = "/"
    """only with `gather`; bubblewrap goes to its folder itself"""
    fds: list[int] = field(default_factory=list)
    """numbers, above all in use, under which the further descriptors are to be open in the command"""
    gather: bool = False
    confine: dict[str, Any] | None = None
    """only with `gather`: fields of `Confinement`; the further descriptor holds the seccomp filter"""


def start(order: Order, control: int, fds: list[int], life: int) -> int:
    """Fork the gatherer and the command below it; the gatherer's pid. `fds`: the output pipe, then the filter's."""
    if (pid := os.fork()) == 0:
        _gatherer(order, control, fds, life)
    return pid


def _gatherer(order: Order, control: int, fds: list[int], life: int) -> NoReturn:
    try:
        control, life, *kept = _keep_only([control, life, *fds])
        os.setsid()
        become_subreaper()
        woken = child_signals()
        if (pid := os.fork()) == 0:
            _become(order, control, *kept)
        for fd in (control, *kept):
            os.close(fd)
        code = _wait(pid, woken, life)
        kill_all()
        os._exit(code if code >= 0 else 128 - code)
    finally:
        os._exit(127)


def _keep_only(fds: list[int]) -> list[int]:
    """Move `fds` to high numbers, in order, and close everything else."""
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _PASSED) for fd in fds]
    os.closerange(0, min(moved))
    os.closerange(max(moved) + 1, 1 << 20)
    return moved


def _become(order: Order, control: int, output: int, *filters: int) -> NoReturn:
    """Put everything in its place and exec."""
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        stdin = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((stdin, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        os.chdir(order.cwd)
        if order.confine is not None:
            confine(Confinement(**order.confine), content(filters[0]))
        os.execve(order.argv[0], order.argv, order.env)  # noqa: S606 - the whole point
    except Exception as e:
        os.write(control, json.dumps({"error": str(e)}).encode())
    finally:
        os._exit(127)


def _wait(pid: int, woken: int, life: int) -> int:
    """Until the command ends or `life` does; its exit code, negative for a signal."""
    poll = select.poll()
    poll.register(life, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if life in ready:
            return -signal.SIGKILL
        os.read(woken, 4096)
        if (status := dict(ended()).get(pid)) is not None:
            return os.waitstatus_to_exitcode(status)


def content(fd: int) -> bytes:
    """All that the file behind a descriptor holds."""
    os.lseek(fd, 0, os.SEEK_SET)
    return Path(f"/proc/self/fd/{fd}").read_bytes()


def become_subreaper() -> None:
    """Orphans below this process become its children."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def child_signals() -> int:
    """A descriptor that becomes readable when a child ends."""
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken


def ended() -> Iterator[tuple[int, int]]:
    """(pid, status) of each child that has ended."""
    with suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG))[0]:
            yield one


def kill_all() -> None:
    """Kill all below this process. Everything that loses its parent becomes its child, so the end is when it has none.

    First they are stopped, or what forks while it is killed would be a step ahead.
    """
    stopped: set[int] = set()
    for _ in range(1000):
        flock = _descendants(os.getpid(), frozenset())
        fresh = [pid for pid in flock if pid not in stopped]
        stopped.update(fresh)
        _signal(fresh or flock, signal.SIGSTOP if fresh else signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if not fresh:
            time.sleep(0.005)


def kill_strays(spare: frozenset[int]) -> None:
    """Kill what is below this process and below none of `spare`: its gatherer is gone."""
    for _ in range(200):
        flock = _descendants(os.getpid(), spare)
        if not flock:
            return
        _signal(flock, signal.SIGKILL)
        time.sleep(0.005)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _descendants(top: int, spare: frozenset[int]) -> list[int]:
    """Living processes below `top`, without those in `spare` and what is below them."""
    found: list[int] = []
    todo = [top]
    while todo:
        below = [pid for pid in _children(todo.pop()) if pid not in spare]
        found += below
        todo += below
    return found


def _children(parent: int) -> list[int]:
    """Living children of a process, from the kernel's own list, or where it keeps none from a walk through /proc."""
    with suppress(OSError):
        lists = [(task / "children").read_text() for task in Path(f"/proc/{parent}/task").iterdir()]
        return [int(pid) for one in lists for pid in one.split() if _state(pid)[0] not in "ZX"]
    states = {int(entry.name): _state(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    return [pid for pid, (state, above) in states.items() if above == parent and state not in "ZX"]


def _state(pid: str) -> tuple[str, int]:
    """(state, parent) of a process; a dead one has the state X."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
    except OSError:
        return "X", 0
    return state, int(parent)
