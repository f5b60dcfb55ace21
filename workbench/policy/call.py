"""The words in which the gate speaks: a call, its effects, and a decision.

A tool says what a call would do (`Effect`), `policy.decision.decide` says whether it may (`Decision`), and `digest`
names the exact call that a person approved. Nothing here touches the disk.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Mode(StrEnum):
    """How much a session may do without asking."""

    PLAN = "plan"
    ASK = "ask"
    AUTO = "auto"


class Verb(StrEnum):
    """What an action does to the world, from harmless to grave."""

    READ = "read"
    WRITE_WS = "write_ws"
    """creates or changes a file inside the workspace; the history can take it back"""
    DELETE = "delete"
    HISTORY = "history"
    """rewrites or drops version-control history"""
    PERSIST = "persist"
    """changes a file that runs or configures something later"""
    WRITE_OUT = "write_out"
    """writes outside the workspace"""
    SECRET = "secret"  # noqa: S105 - the name of an effect
    """reads a credential"""
    NET_READ = "net_read"
    EXTERNAL = "external"
    """reaches other people or systems: push, mail, POST, publish"""
    PRIV = "priv"
    """raises privileges"""
    KILL = "kill"
    OPAQUE = "opaque"
    """cannot be known before it runs"""


Kind = Literal[
    "", "names", "one_path", "run",
    "download_run", "raw_socket", "exfiltrate", "wipe", "kill_all", "host_root",
]  # fmt: skip
"""A finer word than the verb, for rules: `names` looks at names and sizes only, `one_path` deletes one literal path,
`run` runs the workspace's own code. The others name what is never right: to run what was downloaded unseen, a socket
opened by redirection, secrets sent away, a disk or home wiped, every process killed, a container given the host."""


@dataclass(frozen=True)
class Effect:
    """One thing a call would do."""

    verb: Verb
    target: str = ""
    """path relative to the workspace (absolute when outside), host, remote …; empty when there is none"""
    detail: str = ""
    """a few words for the person, e.g. `2 commits`"""
    part: int | None = None
    """index of the simple command it comes from, for bash"""
    kind: Kind = ""


@dataclass(frozen=True)
class Call:
    """A tool call with everything the gate needs to decide on it."""

    tool: str
    args: dict[str, Any]
    """validated arguments with their defaults, JSON values only"""
    effects: tuple[Effect, ...] = ()
    cwd: str = ""
    """absolute path of the folder it runs in"""
    reads_only: bool = False
    files: tuple[tuple[str, str], ...] = ()
    """(path, sha256) of the scripts that the call would execute"""
    commands: tuple[tuple[str | None, ...], ...] = ()
    """for bash, the words of each simple command in the order of `Effect.part`; None where a word is not static"""


Outcome = Literal["allow", "ask", "deny"]


@dataclass(frozen=True)
class Decision:
    """What the gate says, and why."""

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    """whole sentences for the person and the model, gravest first"""
    rule: str = ""
    """name of the rule that decided, e.g. `built in / outward asks`"""
    effects: tuple[Effect, ...] = field(default=())


def canonical(value: object) -> bytes:
    """`value` as JSON with sorted keys and no blanks, so that equal values have equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def digest(call: Call, key: bytes) -> str:
    """Keyed SHA-256 (hex) of what an approval binds: tool, arguments, folder and script contents.

    Keyed, because short arguments could otherwise be guessed from a digest in the journal.
    """
    bound = {"tool": call.tool, "args": call.args, "cwd": call.cwd, "files": [list(f) for f in call.files]}
    return hmac.new(key, canonical(bound), hashlib.sha256).hexdigest()
