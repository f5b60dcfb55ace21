"""Runs sessions: one loop each, in this process.

    a session is due   it is running, or was stopped and has open calls to close (`Session.due`)
    a runner           takes the lease, calls `advance` until the session is no longer due, lets the lease go
    a wake             at once for what is appended in this process, by a poll of the database for other processes
    a stop             breaks off the step that runs; a pause lets it end
    a rest (SIGTERM)   breaks off all steps and waits for them; what was running goes on at the next start

What survives a kill is the journal: a due session without a living owner is taken up again by whoever polls next.
"""

import asyncio
import contextvars
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from workbench.agent.loop import Halt, Why, advance
from workbench.agent.messages import ProviderError
from workbench.agent.ports import LeaseLost
from workbench.agent.providers import Endpoint, NoSuchModel, make
from workbench.agent.toolbox import Toolbox
from workbench.journal.kinds import Event, Record, SessionFailed, SessionStopped
from workbench.shell import background
from workbench.web import adapters, catalogue, models, runtime, vault
from workbench.web.adapters import in_thread
from workbench.web.hub import hub
from workbench.web.leases import BEAT_S, Owner

log = logging.getLogger(__name__)

POLL_S = 0.5
PAUSE_S = 5.0
OVERLAP = timedelta(seconds=30)
"""how far the poll looks back: an append is seen when it is committed, which may be long after its `updated_at`"""
BROKEN = "The workbench made a mistake and stopped here: {}: {}"


@dataclass
class Runner:
    """One session at work here."""

    task: "asyncio.Task[None]"
    halt: Halt | None = None
    token: int = 0


class Supervisor:
    """Start it on the event loop that runs the sessions; `rest` ends it."""

    def __init__(self, *, runs: bool = True, only: str = "", owner: Owner | None = None) -> None:
        """`runs=False`: only tell the watchers what other processes append. `only`: run this one session (a command
        in a terminal, which ends the `owner` that it gives)."""
        self._runs = runs
        self._only = only
        self._given = owner
        self._runners: dict[str, Runner] = {}
        self._known: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        """sessions that made no step although they are due: a defect, which must not become a hot loop"""
        self._resting = False

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._journal = adapters.DatabaseJournal()
        self._owner = self._given or Owner(settings.DATA)
        await in_thread(self._owner.sweep)
        self._since = timezone.now() - OVERLAP
        self._known = dict(await in_thread(_last_seqs))
        self._unlisten = hub.listen(self._heard)
        self._watch = [self._spawn(self._poll()), self._spawn(self._beat())]

    async def rest(self, within_s: float = 7) -> None:
        """Break off every step, wait until the sessions are at rest, let the leases go."""
        self._resting = True
        self._unlisten()
        for task in self._watch:
            task.cancel()
        running = [runner.task for runner in self._runners.values()]
        for runner in self._runners.values():
            if runner.halt:
                runner.halt.now()
        if running:
            _, late = await asyncio.wait(running, timeout=within_s)
            for task in late:
                log.error("a session did not come to rest in %s s; its call is reported as interrupted", within_s)
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if self._given is None:
            self._owner.end()

    def wake(self, session: str) -> None:
        """Run the session if it is due and nobody runs it. On the loop."""
        if self._resting or not self._runs or session in self._runners or (self._only and session != self._only):
            return
        if self._loop.time() < self._not_before.get(session, 0):
            return
        self._runners[session] = Runner(self._spawn(self._run(session)))

    def adopt(self, session: str, token: int) -> None:
        """Run a session whose lease the owner has already."""
        self._runners[session] = Runner(self._spawn(self._run(session)), token=token)

    async def ended(self, session: str) -> None:
        """Wait until no runner of this process is at the session."""
        while runner := self._runners.get(session):
            await asyncio.wait({runner.task})

    def _spawn(self, work: Any) -> "asyncio.Task[Any]":
        # an empty context: a session belongs to no request, whoever woke it
        return self._loop.create_task(work, context=contextvars.Context())

    # what is heard

    def _heard(self, session: str, records: Sequence[Record]) -> None:
        """From the hub, in any thread."""
        if records:
            self._loop.call_soon_threadsafe(self._take_in, session, records[0].seq, [r.event for r in records])

    def _take_in(self, session: str, first: int, events: list[Event]) -> None:
        known = self._known.get(session, 0)
        events = events[max(0, known + 1 - first) :]
        if first <= known + 1:  # else another process appended before: the poll finds those, and these again
            self._known[session] = known + len(events)
        if any(isinstance(event, SessionStopped) for event in events):
            background.end(session, wait=0)
        runner = self._runners.get(session)
        if runner is None:
            self.wake(session)
        elif runner.halt and any(isinstance(event, SessionStopped) for event in events):
            runner.halt.now()

    async def _poll(self) -> None:
        while True:
            try:
                await self._look()
            except Exception:
                log.exception("the poll of the database failed; it is tried again")
            await asyncio.sleep(POLL_S)

    async def _look(self) -> None:
        changed, due, self._since = await in_thread(_news, self._since)
        for session, last_seq in changed:
            if last_seq > self._known.get(session, 0):
                records = await in_thread(adapters.read, session, self._known.get(session, 0))
                hub.publish(session, records)
        for session in due:
            self.wake(session)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            try:
                await self._renew()
            except Exception:
                log.exception("the leases could not be renewed; it is tried again")

    async def _renew(self) -> None:
        mine = {session: runner.token for session, runner in self._runners.items() if runner.token}
        for session in await in_thread(self._owner.renew, mine):
            runner = self._runners.get(session)
            if runner and runner.halt and runner.token == mine[session]:
                runner.halt.now()

    # one session

    async def _run(self, session: str) -> None:
        again = False
        try:
            runner = self._runners[session]
            if not runner.token:
                runner.token = await in_thread(self._owner.take, session)
            if not runner.token:
                return
            try:
                again = await self._advance(session, runner)
            finally:
                await in_thread(self._owner.release, session, runner.token)
        except Exception:
            log.exception("running session %s failed", session)
            self._not_before[session] = self._loop.time() + PAUSE_S
        finally:
            del self._runners[session]
        if again:
            self.wake(session)

    async def _advance(self, session: str, runner: Runner) -> bool:
        """Take the steps that can be taken; whether there is more to do at once."""
        before = self._known.get(session, 0)
        try:
            box, located, endpoint = await in_thread(_prepare, session)
            provider = make(located, endpoint)
        except (NoSuchModel, ProviderError, vault.Unreadable) as e:
            await self._fail(session, runner, str(e))
            return False
        except Exception as e:
            log.exception("session %s could not be prepared", session)
            await self._fail(session, runner, BROKEN.format(type(e).__name__, e))
            return False
        runner.halt = Halt()
        why: Why = "failed"
        try:
            if self._resting:
                return False
            why = await advance(
                session,
                journal=self._journal,
                provider=provider,
                toolbox=box,
                live=hub,
                lease=runner.token,
                halt=runner.halt,
            )
        except LeaseLost:
            why = "lost"
        except Exception as e:
            log.exception("the loop of session %s broke", session)
            await self._fail(session, runner, BROKEN.format(type(e).__name__, e))
        finally:
            runner.halt = None
            await provider.close()
        moved, due = await in_thread(_where, session)
        if due and moved == before:
            self._not_before[session] = self._loop.time() + PAUSE_S
        return bool(due and why not in ("halted", "lost"))

    async def _fail(self, session: str, runner: Runner, message: str) -> None:
        try:
            await self._journal.append(session, [SessionFailed(message=message)], lease=runner.token)
        except LeaseLost:
            log.info("session %s was taken over", session)


def _last_seqs() -> list[tuple[str, int]]:
    return list(models.Session.objects.values_list("pk", "last_seq"))


def _news(since: Any) -> tuple[list[tuple[str, int]], list[str], Any]:
    """(sessions that changed since, sessions that are due, when to look from next time)"""
    now = timezone.now() - OVERLAP
    changed = models.Session.objects.filter(updated_at__gte=since).values_list("pk", "last_seq")
    due = models.Session.objects.filter(due=True).values_list("pk", flat=True)
    return list(changed), list(due), now


def _prepare(session: str) -> tuple[Toolbox, str, Endpoint]:
    row = models.Session.objects.select_related("workspace").get(pk=session)
    box = runtime.toolbox(row)
    runtime.watch(box)
    return box, *catalogue.locate(row.model)


def _where(session: str) -> tuple[int, bool]:
    row = models.Session.objects.values_list("last_seq", "due").get(pk=session)
    return row[0], row[1]
