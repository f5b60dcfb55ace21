"""A text file opened for reading, and what is known of the version that lies there now.

A version is the sha256 of the bytes up to 16 MiB; above that it is (device, inode, size, mtime, ctime), which a kernel
changes with the content (ctime can't be set back). What was learned of a larger file is kept for later pages under the
same five values, but not when it changed so recently that a further change could carry the same time.
"""

import contextlib
import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from workbench.files import Refused, lines
from workbench.files.decode import Encoding, detect
from workbench.files.fence import Fence, Place
from workbench.files.index import Index, Pread
from workbench.files.lines import Eol

WHOLE = 16 << 20
"""bytes up to which a version is the hash of the content"""
_SMALL = 256 << 10
"""bytes up to which a file is read and hashed anew for every page"""
_SAMPLE = 256 << 10
_KEPT = 64
_TRIES = 4
_RACY, _COARSE = 50_000_000, 2_000_000_000
"""nanoseconds that must lie between the last change and a reading that is kept: a kernel's clock ticks every few
milliseconds, and some file systems keep whole seconds only"""


@dataclass(frozen=True)
class Facts:
    """What is known of one version of a file."""

    version: str
    encoding: Encoding
    eol: Eol
    lone_cr: bool
    """some CR ends no line"""
    index: Index
    final_newline: bool


@dataclass(frozen=True)
class Opened:
    """A file to cut pages from."""

    rel: str
    size: int
    facts: Facts
    pread: Pread
    content: bytes | None = field(default=None, repr=False)
    """all bytes, when they were read"""
    what_happened: Callable[[], str] = field(default=lambda: "", repr=False)
    """a sentence when the file changed since it was opened, "" when not"""


_kept: OrderedDict[tuple[object, ...], Facts] = OrderedDict()
_lock = threading.Lock()


@contextlib.contextmanager
def open_text(fence: Fence, place: Place, encoding: str | None = None) -> Iterator[Opened]:
    """Refused like `Fence.open` and `decode.detect`."""
    fd = fence.open(place)
    try:
        with told(place):
            yield opened_text(fd, place.rel, encoding)
    finally:
        os.close(fd)


def opened_bytes(rel: str, data: bytes, version: str, encoding: str | None = None) -> Opened:
    """Pages of bytes that lie nowhere, such as the text made of a notebook."""
    return Opened(rel, len(data), _facts(data, version, encoding), _from(data), data)


def opened_text(fd: int, rel: str, encoding: str | None = None) -> Opened:
    """The text behind a descriptor that the caller closes, after the last page."""
    st = os.fstat(fd)
    key = (*_stamp(st), encoding)
    if st.st_size > _SMALL and (known := _recall(key)):
        return Opened(rel, st.st_size, known, _from_file(fd), None, lambda: _happened(fd, st))
    if st.st_size <= WHOLE:
        data, st = _read_whole(fd, st)
        facts = _facts(data, hashlib.sha256(data).hexdigest(), encoding)
        if st.st_size > _SMALL:
            _keep((*_stamp(st), encoding), st, facts)
        return Opened(rel, len(data), facts, _from(data), data, lambda: _happened(fd, st))
    facts = _facts_of_large(fd, st, encoding)
    _keep(key, st, facts)
    return Opened(rel, st.st_size, facts, _from_file(fd), None, lambda: _happened(fd, st))


def stamp_version(st: os.stat_result) -> str:
    """The version of a file that is too large to be hashed for a page."""
    return "stat-" + "-".join(f"{n:x}" for n in _stamp(st))


def _stamp(st: os.stat_result) -> tuple[int, ...]:
    return st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns


def _read_whole(fd: int, st: os.stat_result) -> tuple[bytes, os.stat_result]:
    """All bytes up to the size that the file had, read again when it was rewritten meanwhile.

    A size of 0 is not believed: files that a kernel makes up (/proc, /sys) say that.
    """
    data = b""
    for _ in range(_TRIES):
        wanted = st.st_size or WHOLE
        data = b""
        while len(data) < wanted and (piece := os.pread(fd, wanted - len(data), len(data))):
            data += piece
        after = os.fstat(fd)
        if _stamp(after) == _stamp(st) or after.st_size > st.st_size:
            break
        st = after
    return data, st


def _facts(data: bytes, version: str, encoding: str | None) -> Facts:
    """Of bytes that are all at hand."""
    found = detect(data, encoding)
    index = Index(found, len(data))
    index.scan(_from(data), until=None, budget=len(data) + 1, stop=lambda: False)
    eol, lone = _eol(data, found)
    return Facts(version, found, eol, lone, index, _ends_line(data[-4:], found))


def _facts_of_large(fd: int, st: os.stat_result, encoding: str | None) -> Facts:
    head = os.pread(fd, _SAMPLE, 0)
    found = detect(head, encoding, size=st.st_size)
    eol, lone = _eol(head[: len(head) // 4 * 4], found)
    tail = os.pread(fd, 4, max(0, st.st_size - 4))
    return Facts(stamp_version(st), found, eol, lone, Index(found, st.st_size), _ends_line(tail, found))


def _eol(data: bytes, encoding: Encoding) -> tuple[Eol, bool]:
    if encoding.unit > 1:
        text = data.decode(encoding.name, "replace")
        lf, crlf, cr = text.count("\n"), text.count("\r\n"), text.count("\r")
    else:
        cr = data.count(b"\r")
        lf, crlf = data.count(b"\n"), data.count(b"\r\n") if cr else 0
    return lines.eol_of(lf, crlf, lone_cr=cr > crlf), cr > crlf


def _ends_line(tail: bytes, encoding: Encoding) -> bool:
    return tail.endswith("\n".encode(encoding.name)) if encoding.unit > 1 else tail.endswith(b"\n")


def _from(data: bytes) -> Pread:
    return lambda length, at: data[at : at + length]


def _from_file(fd: int) -> Pread:
    return lambda length, at: os.pread(fd, max(0, length), at)


def _recall(key: tuple[object, ...]) -> Facts | None:
    with _lock:
        if found := _kept.get(key):
            _kept.move_to_end(key)
        return found


def _keep(key: tuple[object, ...], st: os.stat_result, facts: Facts) -> None:
    tick = _COARSE if st.st_ctime_ns % 1_000_000_000 == 0 else _RACY
    if time.time_ns() - max(st.st_mtime_ns, st.st_ctime_ns) < tick:
        return
    with _lock:
        _kept[key] = facts
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)


def _happened(fd: int, st: os.stat_result) -> str:
    now = os.fstat(fd)
    if now.st_size < st.st_size:
        return f"The file was cut from {st.st_size:,} to {now.st_size:,} bytes while it was read; read it again."
    if now.st_size > st.st_size > 0:
        return (
            f"The file grew from {st.st_size:,} to {now.st_size:,} bytes while it was read; this page is of the former."
        )
    if now.st_mtime_ns != st.st_mtime_ns:
        return "The file was changed while it was read; read it again."
    return ""


@contextlib.contextmanager
def told(place: Place) -> Iterator[None]:
    """An error of the disk, as a refusal."""
    try:
        yield
    except OSError as e:
        raise Refused("io", f"{place.asked} could not be read: {e.strerror or e}.", path=place.rel) from None
