"""`verify_journal`: nothing was changed, left out or put in. May run while agents work."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings

from workbench.journal import chain, jsonl
from workbench.journal.chain import Flaw, Line
from workbench.journal.kinds import Unknown
from workbench.web import adapters, models
from workbench.web.management.base import FAILED, WorkbenchCommand


class Command(WorkbenchCommand):
    help = "Checks sequence and hash chain of every journal, in the database and on disk; names the first misfit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--session", metavar="ID", help="only this one")

    def handle(self, **options: Any) -> None:
        only = options["session"]
        sessions = list(models.Session.objects.filter(**{"pk": only} if only else {}).order_by("created_at"))
        if only and not sessions:
            self.fail(f"There is no session {only}.", FAILED)
        flaws = [flaw for session in sessions if (flaw := self._flaw(session))]
        if not only:
            flaws += strays({session.pk for session in sessions})
        for flaw in flaws:
            self.stdout.write(f"session {flaw.session}, event {flaw.seq}: {flaw.message}")
        if flaws:
            self.fail(f"{len(flaws)} of {len(sessions)} journals were changed.", FAILED)
        events = sum(session.last_seq for session in sessions)
        self.stdout.write(f"{len(sessions)} journals with {events} events: nothing was changed.")

    def _flaw(self, session: models.Session) -> Flaw | None:
        """The first misfit; with a word about a file that is only behind."""
        if flaw := stored_flaw(session):
            return flaw
        path = folder() / f"{session.pk}.jsonl"
        if not path.is_file():
            return Flaw(session.pk, 1, f"the file {path} is gone") if session.last_seq else None
        with adapters.turn(folder()):  # nobody is in the middle of writing a line
            flaw, lines = jsonl.verify_file(path), count(path)
        if flaw:
            return Flaw(flaw.session, flaw.seq, f"in {path.name}: {flaw.message}")
        if lines < session.last_seq:
            self.stdout.write(
                f"session {session.pk}: {path.name} ends at event {lines} of {session.last_seq}, cut or cut off; "
                "the next start of the workbench completes it from the database."
            )
        rows = map(adapters.as_line, models.Event.objects.filter(session=session).order_by("seq").iterator())
        return chain.compare(rows, islice(jsonl.read(path), lines), session=session.pk)


def folder() -> Path:
    return Path(settings.DATA) / "journal"


def count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def strays(known: set[str]) -> list[Flaw]:
    """Files without a session: one was removed from the database, or put beside it."""
    names = {path.stem for path in folder().glob("*.jsonl")} - known
    gone = names - set(models.Session.objects.filter(pk__in=names).values_list("pk", flat=True))
    return [Flaw(name, 1, f"the database has no session for the file {name}.jsonl") for name in sorted(gone)]


def stored_flaw(session: models.Session) -> Flaw | None:
    """The first misfit in the database. `session` is then as it was before its events were read."""
    session.refresh_from_db()
    read = 0

    def lines() -> Iterator[Line]:
        nonlocal read
        for row in models.Event.objects.filter(session=session).order_by("seq").iterator():
            line = adapters.as_line(row)
            event = chain.load(row.kind, line["data"])
            if not isinstance(event, Unknown) and adapters.place(event) != (row.call_id, row.row):
                raise ValueError("the database shows it in another place than where it belongs")
            yield line
            read += 1

    try:
        flaw = chain.verify(lines(), session=session.pk)
    except (ValueError, TypeError, AttributeError, RecursionError) as e:
        return Flaw(session.pk, read + 1, f"cannot be read as it was written: {e}")
    if flaw:
        return flaw
    end = models.Event.objects.filter(session=session, seq=session.last_seq).values_list("hash", flat=True).first()
    whole = read >= session.last_seq and (end or "") == session.last_hash
    newer = models.Session.objects.values_list("last_seq", flat=True).get(pk=session.pk)
    if whole and read <= newer:
        return None
    return Flaw(session.pk, min(read, session.last_seq) + 1, f"the journal must end at event {session.last_seq}")
