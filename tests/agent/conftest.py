"""A desk on which the loop runs: a journal in memory with the real promises, a scripted model, small tools that leave
traces on a real disk, and a person who decides."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.agent.budget import Budget
from workbench.agent.loop import Halt, Why, advance
from workbench.agent.messages import Answer, AskedCall, Message, Piece, Reply, TextPiece, ToolSpec
from workbench.agent.ports import LeaseLost, SeqConflict
from workbench.agent.toolbox import Stream, Toolbox
from workbench.files import Refused
from workbench.files.fence import Fence
from workbench.journal import chain
from workbench.journal.kinds import (
    ApprovalDecided,
    Event,
    QuestionAnswered,
    Record,
    SessionStarted,
    ToolResult,
    ToolStarted,
)
from workbench.journal.state import SessionState, fold
from workbench.policy.call import Call, Decision, Effect, Mode, Verb
from workbench.tools import Args, Context, MediaPart, Result, Tool, all_tools


class Crash(BaseException):
    """The process is gone."""


class MemoryJournal:
    """`agent.ports.Journal`; what is read was written down and read again, as from a disk."""

    def __init__(self, lines: Sequence[chain.Line] = ()) -> None:
        self.lines = list(lines)
        self.lease: int | None = None
        self.appends = 0
        self.ends: list[int] = []
        """the lengths it had after each append of the loop"""
        self.crash: tuple[int, str] | None = None
        """(number of the append, "before" or "after" it is stored)"""
        self.before_append: Callable[[Sequence[Event]], None] = lambda events: None

    async def read(self, session: str, after: int = 0) -> list[Record]:
        return [chain.from_line(line) for line in self.lines[after:]]

    async def append(
        self, session: str, events: Sequence[Event], *, lease: int | None = None, expect: int | None = None
    ) -> list[Record]:
        self.before_append(events)
        if lease is not None and lease != self.lease:
            raise LeaseLost
        if expect is not None and expect != len(self.lines):
            raise SeqConflict
        self.appends += 1
        if self.crash == (self.appends, "before"):
            raise Crash
        records = self.put(*events)
        self.ends.append(len(self.lines))
        if self.crash == (self.appends, "after"):
            raise Crash
        return records

    def put(self, *events: Event) -> list[Record]:
        """What somebody else appends."""
        records = []
        for event in events:
            prev = self.lines[-1]["hash"] if self.lines else chain.START
            records.append(chain.seal("s1", prev, len(self.lines) + 1, datetime.now(UTC), event))
            self.lines.append(chain.to_line(records[-1]))
        return records

    @property
    def events(self) -> list[Event]:
        return [chain.load(line["kind"], line["data"]) for line in self.lines]

    @property
    def kinds(self) -> list[str]:
        return [line["kind"] for line in self.lines]

    @property
    def state(self) -> SessionState:
        return fold([chain.from_line(line) for line in self.lines])

    @property
    def results(self) -> dict[str, ToolResult]:
        return {e.call_id: e for e in self.events if isinstance(e, ToolResult)}


Say = Reply | BaseException | Callable[[Sequence[Message]], Reply]


class Scripted:
    """`agent.messages.Provider` that says the n-th thing when the conversation holds n answers."""

    takes_images = True

    def __init__(self, *turns: Say) -> None:
        self.turns = list(turns)
        self.faults: list[BaseException] = []
        """raised first, one a request"""
        self.heard: list[list[Message]] = []
        self.systems: list[str] = []
        self.pause: Callable[[], Any] | None = None
        """awaited in the middle of the stream"""

    async def request(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[Piece]:
        self.heard.append(list(messages))
        self.systems.append(system)
        if self.faults:
            raise self.faults.pop(0)
        number = sum(isinstance(m, Answer) for m in messages)
        turn = self.turns[number] if number < len(self.turns) else Reply("Nothing more.", finish="stop")
        if isinstance(turn, BaseException):
            raise turn
        reply = turn if isinstance(turn, Reply) else turn(messages)
        yield TextPiece(reply.text[:5])
        if self.pause:
            await self.pause()
        yield TextPiece(reply.text[5:])
        yield reply

    async def close(self) -> None:
        pass


def calls(*asked: tuple[Any, ...], text: str = "") -> Reply:
    """A turn with calls: (tool, arguments) or (tool, arguments, id)."""
    made = tuple(AskedCall(c[2] if len(c) > 2 else f"{c[0]}-{n}", c[0], c[1]) for n, c in enumerate(asked))
    return Reply(text, calls=made, finish="calls")


class TextArgs(Args):
    text: str = ""


class PathArgs(Args):
    path: str


class Look(Tool):
    """Look at a file."""

    reads_only = True
    Args = PathArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        return (Effect(Verb.READ, args.path),)

    def run(self, args: Any, ctx: Context) -> Result:
        path = ctx.fence.root / args.path
        if len(args.path) > 100 or not path.is_file():
            raise Refused("no_file", f"There is no file {args.path}.", path=args.path)
        return Result({"content": path.read_text()})


class Jot(Tool):
    """Write a line down."""

    Args = TextArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        return (Effect(Verb.WRITE_WS, "log.txt"),)

    def run(self, args: Any, ctx: Context) -> Result:
        with (ctx.fence.root / "log.txt").open("a") as file:
            file.write(f"{ctx.call}:{args.text}\n")
        ctx.stream(args.text.encode())
        return Result({"written": args.text}, view={"seen": [args.text]})


class Send(Jot):
    """Send a line to other people."""

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        return (Effect(Verb.EXTERNAL, "people", args.text),)

    def scripts(self, args: Any, ctx: Context) -> tuple[tuple[str, str], ...]:
        script = ctx.fence.root / "script.txt"
        return (("script.txt", script.read_text()),) if script.is_file() else ()


class Hang(Tool):
    """Wait until it is stopped."""

    Args = TextArgs
    started = threading.Event()

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        return ()

    def run(self, args: Any, ctx: Context) -> Result:
        self.started.set()
        stopped = ctx.stop.wait(20)
        self.started.clear()
        return Result({"stopped": stopped, "exit_code": None})


class Boom(Tool):
    """Break."""

    Args = TextArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        if args.text == "early":
            raise RuntimeError("a defect while judging")
        return ()

    def run(self, args: Any, ctx: Context) -> Result:
        raise ZeroDivisionError("a defect")


class Show(Tool):
    """Show a picture."""

    reads_only = True
    Args = TextArgs

    def effects(self, args: Any, ctx: Context) -> tuple[Effect, ...]:
        return ()

    def run(self, args: Any, ctx: Context) -> Result:
        return Result({"path": "p.png"}, media=(MediaPart("image/png", b"picture", "p.png"),))


def small_tools() -> dict[str, Tool]:
    tools: dict[str, Tool] = {
        "look": Look(), "jot": Jot(), "send": Send(), "hang": Hang(), "boom": Boom(), "show": Show(),
        "ask_user": all_tools()["ask_user"],
    }  # fmt: skip
    for name, tool in tools.items():
        type(tool).name = name
    return tools


def gate(call: Call, mode: Mode) -> Decision:
    if call.args.get("text") == "forbidden" or (mode is Mode.PLAN and not call.reads_only):
        return Decision("deny", ("That is forbidden.",), "test / deny")
    if any(e.verb is Verb.EXTERNAL for e in call.effects):
        return Decision("ask", ("It reaches other people.",), "test / ask", call.effects)
    return Decision("allow", ("It is harmless.",), "test / allow")


class LiveNotes:
    """`agent.ports.Live` that keeps what it is told."""

    def __init__(self) -> None:
        self.texts: list[tuple[int, str]] = []
        self.outputs: list[tuple[str, bytes]] = []

    def text(self, session: str, turn: int, text: str) -> None:
        self.texts.append((turn, text))

    def output(self, session: str, call: str, data: bytes) -> None:
        self.outputs.append((call, data))


class Desk:
    def __init__(self, root: Path, pool: ThreadPoolExecutor) -> None:
        self.root = root
        self.journal = MemoryJournal()
        self.model = Scripted()
        self.live = LiveNotes()
        self.tools = small_tools()
        self.kept: dict[str, bytes] = {}
        self.changes: dict[str, list[dict[str, Any]]] = {}
        self.halt: Halt | None = None
        self.budget = Budget(retries=(0, 0, 0), patience_s=5)
        self.pool = pool

    def begin(self, *turns: Say, task: str = "do it", mode: Any = "ask") -> None:
        self.model = Scripted(*turns)
        self.journal.put(SessionStarted(task=task, workspace=str(self.root), model="test", mode=mode))

    def box(self) -> Toolbox:
        nothing: Any = None

        def context(call: str, stream: Stream, stop: threading.Event) -> Context:
            return Context("s1", call, Fence(self.root), nothing, nothing, nothing, self.root, stream, stop)

        def keep(data: bytes) -> str:
            self.kept["h"] = data
            return "h"

        return Toolbox(
            self.tools, context, gate, b"key", lambda mode: f"You are in {mode} mode.", keep, self.kept.get,
            self.pool, lambda call: self.changes.get(call, []),
        )  # fmt: skip

    async def advance(self, lease: int | None = None) -> Why:
        self.halt = Halt()
        return await advance(
            "s1", journal=self.journal, provider=self.model, toolbox=self.box(), live=self.live, lease=lease,
            budget=self.budget, halt=self.halt,
        )  # fmt: skip

    def decide(self, outcome: Any, call: str | None = None, **more: Any) -> None:
        """A person decides what is asked."""
        call = call or self.journal.state.open_approvals[0].call.call_id
        self.journal.put(ApprovalDecided(call_id=call, outcome=outcome, by="mara", **more))

    def answer(self, text: str, outcome: Any = "answered") -> None:
        call = self.journal.state.open_questions[0].call.call_id
        self.journal.put(QuestionAnswered(call_id=call, outcome=outcome, answer=text, by="mara"))

    async def drive(self) -> Why:
        """Run to the end; whatever is asked is approved and answered."""
        while (why := await self.advance()) == "waiting":
            self.person()
        return why

    def person(self) -> None:
        state = self.journal.state
        for call in state.open_approvals:
            self.decide("approved", call.call.call_id)
        for _ in state.open_questions:
            self.answer("blue")

    @property
    def log(self) -> list[str]:
        """What really happened."""
        path = self.root / "log.txt"
        return path.read_text().splitlines() if path.exists() else []

    def started(self, call: str) -> int:
        return sum(isinstance(e, ToolStarted) and e.call_id == call for e in self.journal.events)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ThreadPoolExecutor(8) as pool:
        yield Desk(tmp_path, pool)


@pytest.fixture
def turn() -> Callable[..., Reply]:
    """`calls`: a turn with calls."""
    return calls


@pytest.fixture
def crash() -> type[BaseException]:
    return Crash


@pytest.fixture
def rejoin(tmp_path: Path) -> Callable[[MemoryJournal], MemoryJournal]:
    """A journal as the next process finds it."""
    return lambda journal: MemoryJournal(journal.lines)
