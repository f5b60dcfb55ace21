"""The server's side of the launcher: starts it when first needed, hands it orders, holds each command by its socket."""

import atexit
import contextlib
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.files import Refused
from workbench.shell.jail.cgroup import shares
from workbench.shell.jail.gather import Order

_PR_SET_DUMPABLE = 4
_MAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from workbench.shell.jail.launcher import serve
serve(int(sys.argv[2]), sys.argv[3])
"""


@dataclass
class Child:
    """A command that was started."""

    control: socket.socket
    """readable when there is something to `take`"""
    error: str = ""
    """why it could not be started"""
    busy: bool = False
    """only because commands have used up their processes just now"""

    def kill(self) -> None:
        """End the whole tree. May be called at any time, more than once."""
        with contextlib.suppress(OSError):
            self.control.send(b"k", socket.MSG_NOSIGNAL)

    def take(self) -> int | None:
        """The exit status (negative: a signal) when it has come; blocks until the launcher says something.

        -9 when the launcher is gone: then every command is gone with it.
        """
        try:
            message = self.control.recv(64 * 1024)
        except ConnectionResetError:
            message = b""
        if not message:
            return -9
        said = json.loads(message)
        self.error, self.busy = said.get("error", self.error), said.get("busy", self.busy)
        status: int | None = said.get("exit")
        return status

    def close(self) -> None:
        self.control.close()


class Spawner:
    """Owner of the launcher process; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        """the process that started the launcher; a fork of it gets one of its own"""
        self._ask: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, order: Order, output: int, further: Sequence[int] = ()) -> Child:
        """Start `order` with `output` as stdout and stderr. The caller keeps and closes its descriptors."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        file = data_fd(json.dumps(asdict(order)).encode())
        try:
            self._send([file, theirs.fileno(), output, *further])
        except OSError as e:
            ours.close()
            raise Refused("io", f"The command could not be started: {e}.") from None
        finally:
            theirs.close()
            os.close(file)
        return Child(ours)

    def _send(self, fds: list[int]) -> None:
        with self._lock:
            if self._owner != os.getpid():
                self._ask, self._process = None, None
            if self._ask is not None:
                with contextlib.suppress(OSError):  # it died: once more with a new one
                    socket.send_fds(self._ask, [b"start"], fds, socket.MSG_NOSIGNAL)
                    return
                self._stop()
            self._ask = self._launch()
            socket.send_fds(self._ask, [b"start"], fds, socket.MSG_NOSIGNAL)

    def _launch(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        package = Path(__file__).parents[3]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _MAIN, str(package), str(theirs.fileno()), json.dumps(shares())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        self._owner = os.getpid()
        atexit.register(self.close)
        return ours

    def close(self) -> None:
        """End the launcher, and with it every command."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._ask is not None:
            self._ask.close()
            self._ask = None
        if self._process is not None and self._owner == os.getpid():
            self._process.wait()
        self._process = None
        atexit.unregister(self.close)


spawner = Spawner()
"""the one of this process; its launcher starts with the first command"""


def data_fd(data: bytes) -> int:
    """A descriptor of a nameless file that holds `data`, at its start. The caller closes it."""
    fd = os.memfd_create("order", os.MFD_CLOEXEC)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def hide_memory() -> None:
    """Make this process's memory and environment unreadable to others of the same user, for levels that show /proc."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
