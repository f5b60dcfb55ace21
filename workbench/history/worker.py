"""A helper process that is started when it is first needed, used again, given up when it takes too long, and gone with
this one: it ends when its input does."""

import atexit
import fcntl
import marshal
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

_HEAD = struct.Struct(">QQ")
_ROOT = str(Path(__file__).parents[2])


class Worker:
    """One process of `python -m module`, which calls `Worker.serve`. One question at a time; safe between threads."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, old: bytes, new: bytes, *, seconds: float) -> Any:
        """What the process answers, None when it takes longer than `seconds` or breaks down."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._end()
            self._process = self._process or self._start()
            try:
                return _exchange(self._process, old, new, time.monotonic() + seconds)
            except (OSError, ValueError, EOFError):
                self._end()
                return None

    def close(self) -> None:
        with self._lock:
            self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        atexit.unregister(self.close)
        atexit.register(self.close)
        process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={"PYTHONPATH": os.pathsep.join([_ROOT, *filter(None, sys.path)]), "PATH": os.environ.get("PATH", "")},
        )
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError, AttributeError):  # fewer turns for large contents, where the system lets us
                fcntl.fcntl(pipe or -1, fcntl.F_SETPIPE_SZ, 1 << 20)
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    @staticmethod
    def serve(work: Callable[[bytes, bytes], Any]) -> None:
        """The process: questions from standard input, answers to standard output, until the input ends."""
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        while head := source.read(_HEAD.size):
            first, second = _HEAD.unpack(head)
            answer = marshal.dumps(work(_read(source, first), _read(source, second)))
            sink.write(_HEAD.pack(len(answer), 0) + answer)
            sink.flush()


def _read(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) != size:
        raise EOFError
    return data


def _exchange(process: subprocess.Popen[bytes], old: bytes, new: bytes, end: float) -> Any:
    """The worker reads the whole question before it answers, so writing first cannot get stuck."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_HEAD.pack(len(old), len(new)))
    process.stdin.write(old)
    process.stdin.write(new)
    process.stdin.flush()
    got = bytearray()
    need = _HEAD.size
    out = process.stdout.fileno()
    while len(got) < need:
        ready, _, _ = select.select([out], [], [], max(0.0, end - time.monotonic()))
        piece = os.read(out, 1 << 20) if ready else b""
        if not piece:
            raise EOFError
        got += piece
        if need == _HEAD.size <= len(got):
            need += _HEAD.unpack_from(got)[0]
    return marshal.loads(bytes(got[_HEAD.size :]))  # noqa: S302 - from our own child
