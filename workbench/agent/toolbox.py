"""What a session's calls need, handed in by whoever runs the session (`web/supervisor`, a command, a test)."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from workbench.policy.call import Call, Decision, Mode
from workbench.tools import Context, Tool

Stream = Callable[[bytes], None]


def nothing_kept(_: str) -> list[dict[str, Any]]:
    """What changed on disk, where no history is kept."""
    return []


@dataclass(frozen=True)
class Toolbox:
    """The tools of one session and everything around them. Its callables are called from worker threads."""

    tools: Mapping[str, Tool]
    """those offered to the model, by name"""
    context: Callable[[str, Stream, threading.Event], Context]
    """(call id, live output, stop) -> the tool's context; called anew for each call"""
    decide: Callable[[Call, Mode], Decision]
    """the gate, with the session's rules and sandbox level filled in"""
    key: bytes
    """for digests of approved calls"""
    system: Callable[[Mode], str]
    """the system prompt"""
    keep: Callable[[bytes], str]
    """store the bytes of a picture or document; their sha256"""
    recall: Callable[[str], bytes | None]
    """the bytes by that hash"""
    pool: Executor
    """where tools run"""
    changes: Callable[[str], list[dict[str, Any]]] = nothing_kept
    """what the history knows that a call changed: [{"path", "change": "created" | "changed" | "deleted"}]"""
