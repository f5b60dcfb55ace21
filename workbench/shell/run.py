"""Run one command to its end: contained, streamed, spooled, and gone with its whole process tree."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.shell.sandbox import NO_GRANTS, Grants, Sandbox

TAIL = 8 * 1024
"""bytes of output that the model gets"""


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
    quota: int = 64 * 1024 * 1024,
) -> Finished:
    """Run `command` with bash in `cwd` and wait for its end. Blocks; call it from a worker thread.

    stdout and stderr come merged in order to `on_output`, at most every 50 ms, and to the file `spool` up to `quota`
    bytes. Time-out and `stop` end the whole tree, daemons too, within a second; so does the death of this process.
    `root` is the writable workspace (default `cwd`); `tmp` a folder that serves as /tmp (default: a fresh one);
    `env` adds to the fresh environment. Raises Refused("io") when it cannot be started.
    """
    raise NotImplementedError
