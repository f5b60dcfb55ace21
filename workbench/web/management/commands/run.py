"""`run`: one session in the terminal."""

import asyncio
import os
import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

from workbench.files import Refused
from workbench.journal.kinds import Record
from workbench.web import accounts, actions, catalogue, models, terminal, wire
from workbench.web.adapters import in_thread, read
from workbench.web.hub import hub
from workbench.web.leases import Owner
from workbench.web.management.base import FAILED, WorkbenchCommand
from workbench.web.supervisor import Supervisor

ASKS = 3
INTERRUPTED = 130
ENDED = 143
"""by SIGTERM or SIGHUP, or because nobody reads what it prints any more; the session is stopped then, as by Ctrl+C"""


class Command(WorkbenchCommand):
    help = "One session in the terminal. Ends with 0 when the agent has finished, with 3 at an ask nobody is there for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task")
        parser.add_argument("--workspace", metavar="DIR", help="default: here; for the demo model a fresh sample")
        parser.add_argument("--model", default="")
        parser.add_argument("--mode", choices=["plan", "ask", "auto"], default="ask")
        parser.add_argument("--approve", choices=["none", "all"], default="none", help="what to do with what asks")
        parser.add_argument("--json", action="store_true", help="one event a line")

    def handle(self, **options: Any) -> None:
        model = options["model"] or catalogue.default()
        workspace = options["workspace"] or (None if model == catalogue.DEMO else ".")
        self._who = actions.Who(accounts.owner().get_username(), "terminal")
        self._json, self._approve = options["json"], options["approve"] == "all"
        owner = Owner(settings.DATA)
        try:
            session = actions.start_session(
                task=options["task"],
                who=self._who,
                model=model,
                workspace=Path(workspace).expanduser().absolute() if workspace else None,
                mode=options["mode"],
                held_by=owner.name,
            )
        except Refused as e:
            self.fail(e.message)
        try:
            code = asyncio.run(self._follow(session.pk, owner))
        except (KeyboardInterrupt, asyncio.CancelledError, BrokenPipeError) as e:
            actions.stop(session.pk, self._who)
            code = INTERRUPTED if isinstance(e, KeyboardInterrupt) else ENDED
        finally:
            owner.end()
        leave(code)

    async def _follow(self, session: str, owner: Owner) -> int:
        self._news = asyncio.Event()
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task
        for ends in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(ends, task.cancel)

        def heard(*_: object) -> None:
            loop.call_soon_threadsafe(self._news.set)

        unlisten = hub.listen(heard)
        supervisor = Supervisor(only=session, owner=owner)
        await supervisor.start()
        supervisor.adopt(session, token=1)
        try:
            return await self._until_the_end(session, supervisor)
        finally:
            await supervisor.rest()
            unlisten()

    async def _until_the_end(self, session: str, supervisor: Supervisor) -> int:
        shown = 0
        while True:
            self._news.clear()
            for record in await in_thread(read, session, shown):
                self._show(record)
                shown = record.seq
            row = await in_thread(models.Session.objects.get, pk=session)
            if row.last_seq == shown and (code := await self._code(row, supervisor)) is not None:
                return code
            try:
                await asyncio.wait_for(self._news.wait(), 1)
            except TimeoutError:
                continue

    async def _code(self, row: models.Session, supervisor: Supervisor) -> int | None:
        """How the command ends, None while the session goes on."""
        if row.status == "running" or row.due:  # due while it waits: calls beside the one that asks
            return None
        if row.status == "waiting":
            if not self._approve:
                return ASKS
            await supervisor.ended(row.pk)
            await in_thread(self._agree, row.pk)
            return None
        return 0 if row.status == "done" else FAILED

    def _agree(self, session: str) -> None:
        """`--approve all`: approve what waits, answer questions with their first (the likeliest) option."""
        for approval in models.Approval.objects.filter(session=session, status="pending"):
            _unless_decided(actions.decide_approval, approval.pk, "approve", self._who)
        for question in models.Question.objects.filter(session=session, status="pending"):
            answer = question.options[0]["label"] if question.options else "Nobody is here to answer: choose yourself."
            _unless_decided(actions.answer_question, question.pk, answer, self._who)

    def _show(self, record: Record) -> None:
        text = wire.event_line(record) if self._json else terminal.line(record)
        if text:
            self.stdout.write(text)
            self.stdout.flush()


def leave(code: int) -> NoReturn:
    """End with `code`, also when what was printed last can no longer be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _unless_decided(action: Any, *args: Any) -> None:
    try:
        action(*args)
    except actions.AlreadyDecided:
        pass  # somebody at a browser was quicker: that counts
