"""What the loop needs from outside. `web/adapters.py` keeps these promises with the database, tests in memory."""

from collections.abc import Sequence
from typing import Protocol

from workbench.journal.kinds import Event, Record


class LeaseLost(Exception):
    """Another runner took the session over; what this one does no longer counts."""


class SeqConflict(Exception):
    """The journal moved on between read and append; read again."""


class Journal(Protocol):
    """Append-only events of sessions. An append is atomic and durable when it returns."""

    async def read(self, session: str, after: int = 0) -> list[Record]:
        """All records with `seq > after`, in order."""

    async def append(
        self, session: str, events: Sequence[Event], *, lease: int | None = None, expect: int | None = None
    ) -> list[Record]:
        """Append all or none, with the next sequence numbers.

        `lease`: the fencing token of the runner; raises LeaseLost when it is no longer the current one.
        `expect`: the sequence number the caller has read up to; raises SeqConflict when there is more.
        """


class Live(Protocol):
    """Copies for whoever watches: may be lost, never counts."""

    def text(self, session: str, turn: int, text: str) -> None:
        """A piece of the model's answer while it streams. Thread-safe."""

    def output(self, session: str, call: str, data: bytes) -> None:
        """A piece of a command's output. Thread-safe."""
