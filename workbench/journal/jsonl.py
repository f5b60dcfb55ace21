"""The journal's second copy: one text file a session, one JSON object a line, beside the database.

Control characters and everything outside ASCII are escaped, so a line is a record and nothing in a record can forge a
line. A crash can tear only the last line: `catch_up` drops a torn end and says where the file goes on. The database
is the truth; a file that is behind is completed from it.
"""

import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from workbench.journal.chain import Flaw, Line, to_line, verify
from workbench.journal.kinds import Record

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
TAIL = 1 << 16
"""bytes read from the end at a time when looking for the last whole line"""


class JournalFile:
    """Appends one session's records. One writer a file; safe to use from several threads."""

    def __init__(self, folder: Path, session: str, *, sync: bool = True) -> None:
        """`folder` exists. `sync=False` leaves it to the system when the bytes reach the disk."""
        if not NAME.fullmatch(session):
            raise ValueError(f"not a session id: {session!r}")
        self.path = folder / f"{session}.jsonl"
        self.session = session
        self.sync = sync
        self._lock = threading.Lock()
        self._last: int | None = None

    def catch_up(self) -> int:
        """Drop a torn last line; the sequence number of the last record that is whole, 0 for none."""
        with self._lock:
            self._last = _mend(self.path) if self.path.exists() else 0
            return self._last

    def append(self, records: Sequence[Record]) -> int:
        """Write those that follow, skip those the file has already; the number of the last one in it.

        Durable when it returns. ValueError when a record is missing in between: read from the database and give more.
        """
        if self._last is None:
            self.catch_up()
        with self._lock:
            last = self._last or 0
            fresh = [r for r in records if r.seq > last]
            if [r.seq for r in fresh] != list(range(last + 1, last + 1 + len(fresh))):
                raise ValueError(f"the file of session {self.session} ends at {last}; records are missing after it")
            if fresh:
                self._write(b"".join(encode(to_line(r)) for r in fresh))
                self._last = last = fresh[-1].seq
            return last

    def _write(self, data: bytes) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if self.sync:
                os.fsync(descriptor)
        except OSError:
            self._last = None  # some of it may be there: look again before the next append
            raise
        finally:
            os.close(descriptor)


def encode(line: Line) -> bytes:
    """One line; DEL too is escaped, the one control character that JSON leaves as it is."""
    text = json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("\x7f", "\\u007f").encode() + b"\n"


def read(path: Path) -> Iterator[Line]:
    """The lines of a file. ValueError, with the number of the line, at the first one that was not written here."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            line = _decode(raw)
            if line is None or encode(line) != raw:
                raise ValueError(f"line {number} is not a record as it was written")
            yield line


def verify_file(path: Path) -> Flaw | None:
    """The first record of the file that does not fit (sequence, chain, content), or None."""
    count = 0

    def counted() -> Iterator[Line]:
        nonlocal count
        for line in read(path):
            count += 1
            yield line

    try:
        return verify(counted(), session=path.stem)
    except ValueError as e:
        return Flaw(path.stem, count + 1, str(e))


def _decode(raw: bytes) -> Line | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        line: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _mend(path: Path) -> int:
    """Cut what follows the last whole line; that line's sequence number."""
    with path.open("r+b") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end:
            start = _start_of_line(file, end)
            line = _decode(_piece(file, start, end))
            if line is not None and isinstance(line.get("seq"), int):
                break
            if end < size:
                raise ValueError(f"{path.name} is damaged before its last line; see verify_journal")
            end = start
        if end < size:
            file.truncate(end)
            os.fsync(file.fileno())
        return int(line["seq"]) if end and line else 0


def _start_of_line(file: BinaryIO, end: int) -> int:
    """Where the line that ends at `end` (its newline, if any, included) begins."""
    at = end - 1
    while at > 0:
        begin = max(0, at - TAIL)
        found = _piece(file, begin, at).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return 0


def _piece(file: BinaryIO, start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)
