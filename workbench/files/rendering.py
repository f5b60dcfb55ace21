"""What the rendering workers share: their limits, and how they answer.

A worker reads the file from its standard input and writes one line of JSON, then the parts it names, one after another.
"""

import json
import resource
import sys
from collections.abc import Callable, Sequence
from typing import Any

_MEMORY, _SECONDS = 2 << 30, 15


class Failed(Exception):
    """An answer that is an error: code, sentence, facts."""

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.answer = {"error": code, "message": message, "facts": facts}


Answer = tuple[dict[str, Any], Sequence[tuple[str, bytes]]]
"""(facts, parts as (mime, data))"""


def limit() -> None:
    """From here on this process can use so much memory and time, and write no file."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve(make: Callable[[bytes, dict[str, Any]], Answer]) -> None:
    limit()
    job = json.loads(sys.argv[1])
    try:
        facts, parts = make(sys.stdin.buffer.read(), job)
    except Failed as e:
        _write(e.answer)
    else:
        _write({"facts": facts, "parts": [[mime, len(data)] for mime, data in parts]}, *(data for _, data in parts))


def _write(header: dict[str, Any], *blobs: bytes) -> None:
    out = sys.stdout.buffer
    out.write(json.dumps(header).encode() + b"\n")
    for blob in blobs:
        out.write(blob)
    out.flush()
