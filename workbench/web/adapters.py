"""The promises of `agent/ports.py`, kept with the database (those of `history/versions.py`: `version_rows.py`).

An append is one transaction that takes the write lock first: the runner's lease and the expected sequence number are
checked, the records are chained and stored, and the rows that are computed from them are brought up to date. Only
after the commit are they written to the JSONL file, handed to the watchers and told to the supervisor; what a crash
keeps from happening then is made good at the next start (`reconcile`).
"""

import asyncio
import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workbench.agent.ports import LeaseLost, SeqConflict
from workbench.journal import chain
from workbench.journal.jsonl import JournalFile
from workbench.journal.kinds import Event, Record
from workbench.policy.call import canonical
from workbench.web import models
from workbench.web.hub import hub
from workbench.web.projections import project, states

log = logging.getLogger(__name__)

BATCH = 500


def as_line(row: models.Event) -> chain.Line:
    """The record as it is stored, for the chain and the file."""
    return {
        "session": row.session_id,
        "seq": row.seq,
        "at": chain.stamp(row.at),
        "kind": row.kind,
        "data": json.loads(row.body),
        "prev": row.prev,
        "hash": row.hash,
    }


def as_record(row: models.Event) -> Record:
    return chain.from_line(as_line(row))


def read(session: str, after: int = 0, limit: int | None = None) -> list[Record]:
    """Records with `seq > after`, in order; at most `limit`."""
    rows = models.Event.objects.filter(session=session, seq__gt=after).order_by("seq")
    return [as_record(row) for row in (rows if limit is None else rows[:limit])]


def read_kind(session: str, kind: str) -> list[Record]:
    """All records of one kind, in order."""
    return [as_record(row) for row in models.Event.objects.filter(session=session, kind=kind).order_by("seq")]


def read_call(session: str, call: str) -> list[Record]:
    """The records of one call, in order: its card is drawn from them."""
    return [as_record(row) for row in models.Event.objects.filter(session=session, call_id=call).order_by("seq")]


def append(
    session: str, events: Sequence[Event], *, lease: int | None = None, expect: int | None = None
) -> list[Record]:
    """`Journal.append`, for threads. Inside a transaction of the caller it is part of that one."""
    with transaction.atomic():
        row = models.Session.objects.select_for_update().get(pk=session)
        if lease is not None and (row.lease_token != lease or not row.lease_owner):
            raise LeaseLost(f"session {session} has another runner")
        if expect is not None and row.last_seq != expect:
            raise SeqConflict(f"session {session} is at {row.last_seq}, not at {expect}")
        state = states.take(row, read)
        records = _seal(row, events)
        models.Event.objects.bulk_create(_as_row(record) for record in records)
        project(row, records, state)
        if records:
            row.last_seq, row.last_hash = records[-1].seq, records[-1].hash
        row.updated_at = timezone.now()
        row.save()
        states.keep(session, row.last_hash, state)
        transaction.on_commit(partial(_after_commit, session, records))
    return records


def _seal(row: models.Session, events: Sequence[Event]) -> list[Record]:
    records: list[Record] = []
    seq, prev = row.last_seq, row.last_hash or chain.START
    for event in events:
        seq += 1
        record = chain.seal(row.pk, prev, seq, timezone.now(), event)
        records.append(record)
        prev = record.hash
    return records


def _as_row(record: Record) -> models.Event:
    call_id, row = place(record.event)
    return models.Event(
        session_id=record.session,
        seq=record.seq,
        kind=chain.name(record.event),
        at=record.at,
        body=canonical(chain.dump(record.event)).decode(),
        prev=record.prev,
        hash=record.hash,
        call_id=call_id,
        row=row,
    )


def place(event: Event) -> tuple[str, bool]:
    """Where the timeline finds the event: (the call it belongs to, whether it is a row of its own)."""
    return getattr(event, "call_id", ""), event.row and not event.part_of_call


def _after_commit(session: str, records: Sequence[Record]) -> None:
    try:
        export(session, records)
    except Exception:  # whatever it is: the append counts already
        log.exception("the JSONL copy of session %s is behind; the next start completes it", session)
    hub.publish(session, records)


def export(session: str, records: Sequence[Record]) -> None:
    """Write records to the session's JSONL file, with those that are missing before them."""
    folder = settings.DATA / "journal"
    with turn(folder):
        file = JournalFile(folder, session, sync=False)
        last = file.catch_up()
        if records and records[0].seq <= last + 1:
            file.append(records)
            return
        while more := read(session, last, BATCH):  # a crash, or another process between commit and here
            last = file.append(more)


@contextmanager
def turn(folder: Path) -> Iterator[None]:
    """One writer at a time, over all processes."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def reconcile() -> int:
    """Complete the JSONL files that a crash left behind; how many. A damaged one is left to `verify_journal`."""
    behind = 0
    for session, last_seq in models.Session.objects.values_list("pk", "last_seq"):
        try:
            if JournalFile(settings.DATA / "journal", session).catch_up() < last_seq:
                export(session, [])
                behind += 1
        except (OSError, ValueError) as e:
            log.warning("the JSONL copy of session %s is not completed: %s", session, e)
    return behind


_threads = ThreadPoolExecutor(1, thread_name_prefix="journal")
"""one thread: one connection, and one writer a process"""


async def in_thread[T](function: Callable[..., T], *args: Any, **more: Any) -> T:
    """Run what blocks on the database, for coroutines."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(function, *args, **more))


class DatabaseJournal:
    """`agent.ports.Journal`: the same, for the event loop."""

    async def read(self, session: str, after: int = 0) -> list[Record]:
        return await in_thread(read, session, after)

    async def append(
        self, session: str, events: Sequence[Event], *, lease: int | None = None, expect: int | None = None
    ) -> list[Record]:
        return await in_thread(append, session, events, lease=lease, expect=expect)
