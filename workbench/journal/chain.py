"""The hash chain: each record's hash covers the one before it, so that any later change of the journal shows.

What is hashed is the record as it is stored (a *line*, JSON values only), never what a newer version reads into it.
Fields an event did not set are not stored, so a record keeps its hash when its kind gains a field.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from workbench.journal.kinds import KINDS, Event, Record, Unknown
from workbench.policy.call import canonical

START = "0" * 64
"""the hash before the first record"""

Line = dict[str, Any]
"""a record as JSON: {"session", "seq", "at", "kind", "data", "prev", "hash"}"""

FIELDS = frozenset({"session", "seq", "at", "kind", "data", "prev", "hash"})


@dataclass(frozen=True)
class Flaw:
    """The first record that does not fit, and why."""

    session: str
    seq: int
    """where it stands, or should stand"""
    message: str


def link(prev: str, session: str, seq: int, at: str, kind: str, data: Any) -> str:
    """Hash (hex) of a record that follows the one with hash `prev`. `at` as `stamp` gives it."""
    body = {"prev": prev, "session": session, "seq": seq, "at": at, "kind": kind, "data": data}
    return hashlib.sha256(canonical(body)).hexdigest()


def stamp(at: datetime) -> str:
    """A moment in the one spelling that is hashed: UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def name(event: Event) -> str:
    """The kind under which the event is stored."""
    return event.kind_name if isinstance(event, Unknown) else event.kind


def dump(event: Event) -> Any:
    """The event as JSON values, only the fields that were set."""
    return event.data if isinstance(event, Unknown) else event.model_dump(mode="json", exclude_unset=True)


def load(kind: str, data: Any) -> Event:
    """The event that `dump` gave. Never fails: what this version does not understand becomes `Unknown`."""
    known = KINDS.get(kind)
    if known is None:
        return Unknown(kind_name=kind, data=data)
    try:
        return known.model_validate(data)
    except ValidationError:
        return Unknown(kind_name=kind, data=data)


def seal(session: str, prev: str, seq: int, at: datetime, event: Event) -> Record:
    """The record of an event that is appended after the record with hash `prev`."""
    digest = link(prev, session, seq, stamp(at), name(event), dump(event))
    return Record(session=session, seq=seq, at=at, event=event, prev=prev, hash=digest)


def to_line(record: Record) -> Line:
    return {
        "session": record.session,
        "seq": record.seq,
        "at": stamp(record.at),
        "kind": name(record.event),
        "data": dump(record.event),
        "prev": record.prev,
        "hash": record.hash,
    }


def from_line(line: Line) -> Record:
    return Record(
        session=line["session"],
        seq=line["seq"],
        at=datetime.fromisoformat(line["at"]),
        event=load(line["kind"], line["data"]),
        prev=line["prev"],
        hash=line["hash"],
    )


def verify(lines: Iterable[Line], *, session: str = "") -> Flaw | None:
    """The first line of one session that does not fit, or None. `session`: whose journal it must be, when known."""
    prev = START
    for expected, line in enumerate(lines, start=1):
        session = session or str(line.get("session", ""))
        message = _misfit(line, session, expected, prev)
        if message:
            return Flaw(session, expected, message)
        prev = line["hash"]
    return None


def compare(lines: Iterable[Line], others: Iterable[Line], *, session: str) -> Flaw | None:
    """The first place where two copies of one journal differ, or None; `others` may end earlier, never later."""
    theirs: Iterator[Line] = iter(others)
    last = 0
    for seq, line in enumerate(lines, start=1):
        other = next(theirs, None)
        if other is None:
            return None
        if other.get("hash") != line["hash"]:
            return Flaw(session, seq, "the two copies of the journal differ here")
        last = seq
    if next(theirs, None) is not None:
        return Flaw(session, last + 1, "one copy of the journal ends here, the other goes on")
    return None


def _misfit(line: Line, session: str, seq: int, prev: str) -> str:
    if set(line) != FIELDS:
        return f"fields missing or unknown: {', '.join(sorted(set(line) ^ FIELDS))}"
    if line["session"] != session:
        return f"belongs to session {line['session']}"
    if line["seq"] != seq:
        return f"sequence number {line['seq']} where {seq} is due: a record is missing, inserted or out of order"
    if line["prev"] != prev:
        return "does not follow the record before it: one of the two was replaced"
    try:
        right = link(prev, session, seq, line["at"], line["kind"], line["data"])
    except (TypeError, ValueError) as e:
        return f"holds something that is not JSON: {e}"
    return "" if line["hash"] == right else "its content was changed: the hash does not match"
