"""The process that starts commands: one of it, single-threaded, apart from the server.

It forks instead of running code in a threaded server's child; its main thread lives as long as it does (bubblewrap's
--die-with-parent follows the creating *thread*); and when the server dies, however it dies, the end of its socket ends
every command. It holds none of the server's memory, descriptors or environment.

A request is one packet whose descriptors are: a file with the `Order` as JSON, the control socket of this command, its
output pipe, then those that `Order.fds` numbers. The answer on the control socket is `{"exit": status}`, or before it
`{"error": text}` when nothing could be started. A byte or the end of file from the other side kills the tree.
"""

import errno
import json
import os
import resource
import select
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.shell.jail import gather
from workbench.shell.jail.cgroup import enter
from workbench.shell.jail.gather import Order

FILE_BYTES = 16 * 1024**3
"""the largest file that a command may write"""
_NICE = 5


@dataclass
class Running:
    """A started command."""

    control: socket.socket
    life: int | None
    """write end of the pipe whose end tells the gatherer to kill; None when killing the child is enough"""
    pid: int = 0
    """of its direct child"""
    gathered: bool = field(init=False)

    def __post_init__(self) -> None:
        self.gathered = self.life is not None

    def kill(self) -> None:
        if self.gathered:
            self._end_life()
        else:
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        self._end_life()
        self.control.close()

    def _end_life(self) -> None:
        if self.life is not None:
            os.close(self.life)
            self.life = None

    def answer(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # whoever asked may be gone
            self.control.send(json.dumps(message).encode(), socket.MSG_NOSIGNAL)


class Launcher:
    """The loop: requests in, ends out."""

    def __init__(self, asked: socket.socket) -> None:
        self.asked = asked
        self.running: dict[int, Running] = {}
        self.poll = select.poll()

    def serve(self) -> None:
        """Start commands as asked until the socket ends; then kill what still runs."""
        woken = gather.child_signals()
        self.poll.register(self.asked, select.POLLIN)
        self.poll.register(woken, select.POLLIN)
        while True:
            ready = {fd for fd, _ in self.poll.poll()}
            if woken in ready:
                os.read(woken, 4096)
                self.reap()
            for one in self.running.values():
                if one.control.fileno() in ready:
                    with suppress(OSError):
                        one.control.recv(64)  # what is left unread would turn our answer into a reset
                    self.poll.unregister(one.control)  # one word is enough; an ended socket would wake us for ever
                    one.kill()
            if self.asked.fileno() in ready and not self.take():
                break
        for one in self.running.values():
            one.kill()

    def take(self) -> bool:
        """Start what one packet asks for. False when there will be no more."""
        packet, fds, _, _ = socket.recv_fds(self.asked, 64, 64)
        if not packet:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)  # noqa: FBT003 - has no name
        file, control_fd, *passed = fds
        order = Order(**json.loads(gather.content(file)))
        life: tuple[int, int] | None = os.pipe2(os.O_CLOEXEC) if order.gather else None
        one = Running(socket.socket(fileno=control_fd), life and life[1])
        try:
            one.pid = gather.start(order, control_fd, passed, life[0]) if life else _start(order, *passed)
        except OSError as e:  # no such program, or no process left for commands; those that run go on
            one.answer({"error": str(e), "busy": e.errno == errno.EAGAIN, "exit": 127})
            one.close()
        else:
            os.setpriority(os.PRIO_PROCESS, one.pid, _NICE)
            self.running[one.pid] = one
            self.poll.register(one.control, select.POLLIN)
        for spent in (file, *passed, *(life[:1] if life else ())):
            os.close(spent)
        return True

    def reap(self) -> None:
        for pid, status in gather.ended():
            if (one := self.running.pop(pid, None)) is None:
                continue
            if one.gathered:  # what a gatherer that was itself killed leaves comes to us
                gather.kill_strays(frozenset(self.running))
            one.answer({"exit": os.waitstatus_to_exitcode(status)})
            with suppress(KeyError):
                self.poll.unregister(one.control)
            one.close()


def _start(order: Order, output: int, *further: int) -> int:
    """Start it without a fork of this process's memory; its pid."""
    actions: list[tuple[Any, ...]] = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    moves = [(output, 1), (output, 2), *zip(further, order.fds, strict=True)]
    actions += [(os.POSIX_SPAWN_DUP2, source, target) for source, target in moves]
    reset = [signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ]
    return os.posix_spawn(order.argv[0], order.argv, order.env, file_actions=actions, setsid=True, setsigdef=reset)


def serve(fd: int, limits: str) -> None:
    """Main program of the process. `limits`: JSON for `cgroup.enter`. What is set here all commands inherit."""
    os.set_inheritable(fd, False)  # noqa: FBT003 - no command may read what others are asked to do
    os.chdir("/")
    os.umask(0o022)
    shares = json.loads(limits)
    enter(shares)
    for number, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_DATA, shares["memory"]),
    ):
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
    with suppress(OSError):  # when memory runs out a command goes, not the server
        Path("/proc/self/oom_score_adj").write_text("500")
    gather.become_subreaper()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Launcher(socket.socket(fileno=fd)).serve()
