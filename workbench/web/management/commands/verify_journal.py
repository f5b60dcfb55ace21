"""`verify_journal`: nothing was changed, left out or put in."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from workbench.journal import chain, jsonl
from workbench.journal.chain import Flaw
from workbench.web import adapters, models
from workbench.web.management.base import FAILED, WorkbenchCommand


class Command(WorkbenchCommand):
    help = "Checks sequence and hash chain of every journal, in the database and on disk; names the first misfit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--session", metavar="ID", help="only this one")

    def handle(self, **options: Any) -> None:
        sessions = models.Session.objects.order_by("created_at")
        if options["session"]:
            sessions = sessions.filter(pk=options["session"])
        events = flaws = count = 0
        for session in sessions:
            count += 1
            events += session.last_seq
            if flaw := self._flaw(session):
                flaws += 1
                self.stdout.write(f"session {flaw.session}, event {flaw.seq}: {flaw.message}")
        if flaws:
            self.fail(f"{flaws} of {count} journals were changed.", FAILED)
        self.stdout.write(f"{count} journals with {events} events: nothing was changed.")

    def _flaw(self, session: models.Session) -> Flaw | None:
        rows = models.Event.objects.filter(session=session).order_by("seq")
        flaw = chain.verify(map(adapters.as_line, rows.iterator()), session=session.pk)
        if flaw:
            return flaw
        last = rows.last()
        if (last.seq if last else 0) != session.last_seq or (last.hash if last else "") != session.last_hash:
            return Flaw(session.pk, (last.seq if last else 0) + 1, f"the journal must end at event {session.last_seq}")
        path = settings.DATA / "journal" / f"{session.pk}.jsonl"
        if not path.is_file():
            return Flaw(session.pk, 1, f"the file {path} is gone") if last else None
        if flaw := jsonl.verify_file(path):
            return Flaw(flaw.session, flaw.seq, f"in {path.name}: {flaw.message}")
        return chain.compare(map(adapters.as_line, rows.iterator()), jsonl.read(path), session=session.pk)
