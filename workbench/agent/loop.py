"""The agent loop: a function of the journal.

`advance(session)` reads what happened, takes the next step, appends, and so on, until the session is done or waits
for a person. It keeps nothing that matters: after a restart or a crash, or in another process, it is called again and
goes on.

Rules that hold here:
* A model turn and its calls are in the journal, in one append, before any of them runs.
* `tool_started` is in the journal before a call runs, on condition that nobody appended meanwhile: whoever stopped or
  paused the session is heard first. Its result is in the journal before the model sees it.
* A call that was started and has no result was cut off: it is never run again, unless its tool only reads.
* What is appended without a condition is only what has happened already.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

from workbench.agent import scheduler, steps, turns
from workbench.agent.budget import Budget
from workbench.agent.conversation import Conversation
from workbench.agent.messages import Provider, ProviderError, Reply, TextPiece, ToolSpec
from workbench.agent.ports import Journal, LeaseLost, Live, SeqConflict
from workbench.agent.toolbox import Toolbox
from workbench.journal.kinds import Event, SessionDone, SessionFailed, ToolResult
from workbench.journal.state import CallState, SessionState

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""how often somebody who speaks, pauses or resumes is looked for during the wait between two tries"""

Why = Literal["done", "waiting", "paused", "stopped", "failed", "halted", "lost"]
"""why the loop ended: the session's status, or halted (broken off from outside), or lost (another runner has it)"""


class Halt:
    """Breaks off what a session is doing right now, from any thread; the loop then reads the journal to learn why.

    A person's stop: append SessionStopped, then `now()`. A shutdown: only `now()`; the loop comes to rest and returns
    "halted". Make it on the event loop that runs `advance`. A halt serves one run and is spent when that returns.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        """handed to the running tools"""
        self._loop = asyncio.get_running_loop()
        self._async = asyncio.Event()

    def now(self) -> None:
        self.stop.set()
        self._loop.call_soon_threadsafe(self._async.set)

    @property
    def halted(self) -> bool:
        return self.stop.is_set()

    async def wait(self) -> None:
        await self._async.wait()


async def advance(
    session: str,
    *,
    journal: Journal,
    provider: Provider,
    toolbox: Toolbox,
    live: Live,
    lease: int | None = None,
    budget: Budget | None = None,
    halt: Halt | None = None,
) -> Why:
    """Take every step that can be taken without a person. Safe to call again at any time, after any crash.

    A session that was stopped while it waited needs one call too: what is open is closed then.
    """
    run = Run(session, journal, provider, toolbox, live, lease, budget or Budget(), halt or Halt())
    try:
        while True:
            await run.catch_up()
            step = steps.next_step(run.state, dict(toolbox.tools), run.budget, datetime.now(UTC))
            if isinstance(step, steps.Rest):
                return step.why
            if run.halt.halted and not isinstance(step, steps.Close):
                return "halted"
            try:
                await run.take(step)
            except SeqConflict:
                continue
    except LeaseLost:
        return "lost"
    finally:
        run.halt.stop.set()  # whatever still runs in a thread ends soon


@dataclass
class Run:
    """One runner of one session: the ports, and what it has read so far."""

    session: str
    journal: Journal
    provider: Provider
    box: Toolbox
    live: Live
    lease: int | None
    budget: Budget
    halt: Halt
    state: SessionState = field(default_factory=SessionState)
    conversation: Conversation = field(default_factory=Conversation)

    async def catch_up(self) -> None:
        for record in await self.journal.read(self.session, self.state.seq):
            self.state.apply(record)
            self.conversation.apply(record)

    async def append(self, *events: Event, unmoved: bool = False) -> None:
        """`unmoved`: only if nobody appended since the last `catch_up`; SeqConflict otherwise."""
        expect = self.state.seq if unmoved else None
        await self.journal.append(self.session, events, lease=self.lease, expect=expect)

    async def thread[T](self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.box.pool, function)

    async def take(self, step: steps.Step) -> None:
        match step:
            case steps.Work(calls):
                await self.work(calls)
            case steps.AskModel(notes):
                await self.ask_model(notes)
            case steps.Close(calls):
                await self.append(*await self.thread(partial(turns.closed, calls, self.box.changes)), unmoved=True)
            case steps.Recover(calls):
                await self.append(*await self.thread(partial(turns.recovered, calls, self.box.changes)), unmoved=True)
            case steps.WaitUntil(moment):
                left = (moment - datetime.now(UTC)).total_seconds()
                await self.until_halted(asyncio.sleep(min(left, LOOK_S)))
            case steps.Finish(reason):
                await self.append(SessionDone(reason=reason), unmoved=True)
            case steps.Fail(message):
                await self.append(SessionFailed(message=message), unmoved=True)

    async def work(self, calls: Sequence[CallState]) -> None:
        """Take calls one step on: judge them, then ask, settle or run each; results in the order of the calls."""
        mode = self.state.mode
        verdicts = await asyncio.gather(*(self.thread(partial(scheduler.consider, self.box, c, mode)) for c in calls))
        before: list[Event] = []
        for call, verdict in zip(calls, verdicts, strict=True):
            if isinstance(verdict, scheduler.Asks):
                before.append(scheduler.ask(call, verdict))
            elif isinstance(verdict, scheduler.Ready):
                before.append(scheduler.start(call.call, verdict))
        if before:
            await self.append(*before, unmoved=True)
        outcomes = await asyncio.gather(*(self.outcome(c, v) for c, v in zip(calls, verdicts, strict=True)))
        if self.halt.halted:
            await self.catch_up()
            outcomes = [turns.shut_down(o, self.state) for o in outcomes]
        if results := [turns.warned(o, self.state, self.budget) for o in outcomes if o is not None]:
            await self.append(*results)

    async def outcome(self, call: CallState, verdict: scheduler.Verdict) -> Event | None:
        match verdict:
            case scheduler.Ready():
                stream = partial(self.live.output, self.session, call.call.call_id)
                edited = call.args is not None
                job = partial(scheduler.perform, self.box, call.call, verdict, stream, self.halt.stop, edited=edited)
                return await self.thread(job)
            case scheduler.Settled(data, ok):
                return ToolResult(call_id=call.call.call_id, ok=ok, data=data)
            case _:
                return None

    async def ask_model(self, notes: Sequence[int]) -> None:
        """One request; its answer and calls go into the journal together, a failure does too."""
        began, streamed = time.monotonic(), list[str]()
        try:
            reply = await self.until_halted(self.request(notes, streamed))
        except ProviderError as e:
            await self.append(*turns.failed(e, self.state, self.budget))
            return
        if reply is None:
            await self.catch_up()
            reply = turns.broken_off(streamed, self.state)
        if reply is not None:
            took = round((time.monotonic() - began) * 1000)
            await self.append(*turns.recorded(reply, self.state, self.box.tools, notes, took))

    async def request(self, notes: Sequence[int], streamed: list[str]) -> Reply:
        system = await self.thread(partial(self.box.system, self.state.mode))
        messages = await self.thread(partial(self.conversation.messages, self.box.recall, new=notes))
        tools = [ToolSpec(t.name, t.description, t.schema) for t in self.box.tools.values()]
        try:
            async for piece in self.provider.request(system, messages, tools):
                if isinstance(piece, Reply):
                    return piece
                if isinstance(piece, TextPiece):
                    streamed.append(piece.text)
                    self.live.text(self.session, self.state.turn + 1, piece.text)
        except ProviderError:
            raise
        except Exception as e:
            log.exception("the provider of session %s failed", self.session)
            raise ProviderError(f"The model's answer can't be read: {type(e).__name__}: {e}", retryable=False) from e
        raise ProviderError("The model's answer ended before it was complete.", retryable=True)

    async def until_halted[T](self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of `work`, or None when it was cancelled because of a halt."""
        task = asyncio.ensure_future(work)
        halt = asyncio.ensure_future(self.halt.wait())
        try:
            await asyncio.wait({task, halt}, return_when=asyncio.FIRST_COMPLETED)
            return await task if task.done() else None
        finally:
            task.cancel()
            halt.cancel()
            await asyncio.gather(task, halt, return_exceptions=True)
