"""Run one command to its end: contained, streamed, spooled, and gone with its whole process tree."""

import contextlib
import fcntl
import os
import platform
import select
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.files import Refused
from workbench.shell.jail.contain import Contained, contain
from workbench.shell.jail.guard import Guard
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import NO_GRANTS, Grants, Sandbox
from workbench.shell.jail.output import Output
from workbench.shell.jail.spawner import Child, data_fd, hide_memory, spawner

QUOTA = 32 * 1024 * 1024
"""bytes of one command's output that are kept on disk"""
COMMAND_BYTES = 64 * 1024
_PIPE = 1024 * 1024
_LOOK = 0.1
"""seconds between two looks at `stop`"""
_TRIES = 20
"""times a command is tried when there is no process left for it just now"""
_DRAIN = 1.0
"""seconds for what is still in the pipe after the command ended"""
_GIVE_UP = 5.0
"""seconds after which a killed command that does not end is left to the kernel"""


@dataclass(frozen=True)
class Finished:
    """How a command ended and what it printed."""

    exit_code: int | None
    """None when it was killed by a time-out or a stop"""
    signal: int | None
    """the signal that ended it, when one did"""
    timed_out: bool
    stopped: bool
    output_bytes: int
    spooled_bytes: int
    """less than `output_bytes` when the quota or the disk was full"""
    tail: bytes
    """the last 8 KiB at most, from a line start on"""
    cut_bytes: int
    """how many bytes lie before `tail`"""
    lines: int
    duration: float
    """seconds"""
    notes: tuple[str, ...] = ()
    """what the reader must know besides, e.g. protected files that were held back"""


def run(
    command: str,
    *,
    cwd: Path,
    sandbox: Sandbox,
    grants: Grants = NO_GRANTS,
    timeout: float | None = 30,
    stop: threading.Event,
    on_output: Callable[[bytes], None],
    spool: Path,
    env: Mapping[str, str] | None = None,
    root: Path | None = None,
    tmp: Path | None = None,
    quota: int = QUOTA,
) -> Finished:
    """Run `command` with bash in `cwd` and wait for its end. Blocks; call it from a worker thread.

    stdout and stderr come merged in order to `on_output`, at most every 50 ms, and to the file `spool` up to `quota`
    bytes. Time-out and `stop` end the whole tree, daemons too, within a second; so does the death of this process.
    `root` is the writable workspace (default `cwd`); `tmp` a folder that serves as /tmp (default: a fresh one);
    `env` adds to the fresh environment. What is held back goes to `<spool>.held`. Refused: `bad_args`, `no_file`, `io`.
    """
    _check(command, cwd)
    began = time.monotonic()
    root, host = (root or cwd).resolve(), Host.here()
    with _tmp_without_mounts(sandbox, tmp, spool) as tmp:
        what = contain(
            command, cwd=cwd.resolve(), root=root, sandbox=sandbox, grants=grants, host=host, tmp=tmp, env=env
        )
        guard = Guard(root, what.compared, grants.write, spool.with_name(f"{spool.name}.held"))
        output, end = Output(spool, quota, on_output), End()
        try:
            _follow(what, output, end, stop, None if timeout is None else began + timeout)
        finally:
            output.close()
            notes = [] if grants.unconfined else guard.settle()
    return _finished(end, output, notes, time.monotonic() - began)


@contextlib.contextmanager
def _tmp_without_mounts(sandbox: Sandbox, tmp: Path | None, spool: Path) -> Iterator[Path | None]:
    """`tmp`, or where no private one can be mounted a folder that goes away afterwards."""
    if sandbox.level in "CD" or "proc" in sandbox.lacks:
        hide_memory()
    if tmp is not None or sandbox.level != "C":
        yield tmp
        return
    made = spool.with_name(f"{spool.name}.tmp")
    made.mkdir(parents=True, mode=0o700, exist_ok=True)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@dataclass
class End:
    """How it came to its end."""

    status: int | None = None
    """as the launcher said; negative: a signal"""
    killed: str = ""
    """`timeout` or `stop`"""
    killed_at: float = 0.0


def _check(command: str, cwd: Path) -> None:
    if platform.system() != "Linux":
        raise Refused("unsupported", f"Commands run on Linux only, not yet on {platform.system()}.")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        raise Refused("bad_args", "The command holds half a character (a lone surrogate): send valid text.") from None
    if "\0" in command:
        raise Refused("bad_args", "The command holds a NUL character, which no program can be given.")
    if size > COMMAND_BYTES:
        raise Refused(
            "bad_args",
            f"The command has {size:,} bytes and at most {COMMAND_BYTES:,} are run: write a script, and run that.",
        )
    if not cwd.is_dir():
        raise Refused("no_file", f"The folder {cwd} in which commands run is no longer there.")


def _follow(contained: Contained, output: Output, end: End, stop: threading.Event, deadline: float | None) -> None:
    """Start it, take its output, end it when it is time, and see it gone."""
    for _ in range(_TRIES):
        child = _once(contained, output, end, stop, deadline)
        if not child.busy or stop.wait(_LOOK):
            break
    if child.error:
        raise Refused("io", f"The command could not be started: {child.error}.")


def _once(contained: Contained, output: Output, end: End, stop: threading.Event, deadline: float | None) -> Child:
    with contextlib.ExitStack() as stack:
        read, write = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, read)
        with contextlib.ExitStack() as passed:
            passed.callback(os.close, write)
            with contextlib.suppress(OSError):  # a person's share of pipe memory may be used up
                fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, _PIPE)
            further = [data_fd(content) for content in contained.data]
            for fd in further:
                passed.callback(os.close, fd)
            child = spawner.start(contained.order, write, further)
        stack.callback(child.close)
        _watch(child, read, output, end, stop, deadline)
    return child


def _watch(
    child: Child,
    read: int,
    output: Output,
    end: End,
    stop: threading.Event,
    deadline: float | None,
) -> None:
    poll = select.poll()
    poll.register(read, select.POLLIN)
    poll.register(child.control, select.POLLIN)
    flowing, ended_at, end.status = True, 0.0, None
    while flowing or end.status is None:
        now = time.monotonic()
        waits = [_LOOK, output.due, None if deadline is None else max(0.0, deadline - now)]
        ready = {fd for fd, _ in poll.poll(1000 * min(w for w in waits if w is not None))}
        if read in ready and not output.take(read):
            flowing = False
            poll.unregister(read)
        if child.control.fileno() in ready and (status := child.take()) is not None:
            end.status, ended_at = status, time.monotonic()
            poll.unregister(child.control)
        output.show()
        now = time.monotonic()
        if end.status is None and not end.killed and (stop.is_set() or (deadline is not None and now >= deadline)):
            end.killed, end.killed_at = ("stop" if stop.is_set() else "timeout"), now
            deadline = None
            child.kill()
        if (ended_at and now - ended_at > _DRAIN) or (end.killed and now - end.killed_at > _GIVE_UP):
            return


def _finished(end: End, output: Output, notes: list[str], duration: float) -> Finished:
    tail = output.tail()
    if end.status == 1 and tail.startswith(b"bwrap: ") and output.lines == 1:
        raise Refused(
            "io", f"The sandbox could not be set up, so nothing ran: {tail.decode(errors='replace').strip()}."
        )
    if end.killed and end.status is None:
        notes.append("It was killed but has not ended yet: the system still waits for it, on a disk or a device.")
    if output.full:
        notes.append(f"{output.full}: {output.spooled:,} of {output.total:,} bytes are kept.")
    killed = end.killed if end.status in (None, -9, 128 + 9) else ""
    status = -9 if end.status is None else end.status
    code = 128 - status if status < 0 else status
    return Finished(
        exit_code=None if killed else code,
        signal=code - 128 if 128 < code <= 128 + 64 else None,
        timed_out=killed == "timeout",
        stopped=killed == "stop",
        output_bytes=output.total,
        spooled_bytes=output.spooled,
        tail=tail,
        cut_bytes=output.total - len(tail),
        lines=output.lines,
        duration=duration,
        notes=tuple(notes),
    )
