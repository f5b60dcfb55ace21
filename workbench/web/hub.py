"""Events to the watchers in this process.

What holds:
- The journal is the truth; a frame here is a copy and says which sequence numbers it covers. A watcher that finds a
  gap reads the database, so a lost or late call of `publish` costs time, never an event.
- `publish`, `text` and `output` never block and may be called from any thread.
- Frames are made once for all watchers of a channel, at most one a tick of 16 ms.
- A watcher holds at most `BACKLOG` frames. One that falls behind is cut off and comes back by sequence number.
- Live text and output may be lost; what is kept of them ends with the event that holds the whole.
"""

import asyncio
import codecs
import contextvars
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workbench.journal.kinds import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    ModelFailed,
    ModelTurn,
    QuestionAnswered,
    QuestionAsked,
    Record,
    SessionDone,
    SessionFailed,
    SessionPaused,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    ToolResult,
)

log = logging.getLogger(__name__)

TICK_S = 0.016
BACKLOG = 1024
QUEUE = "queue"
"""the channel of everything that people wait for, over all sessions"""
FOR_THE_QUEUE: tuple[type[Event], ...] = (
    ApprovalAsked, ApprovalDecided, QuestionAsked, QuestionAnswered,
    SessionStarted, SessionPaused, SessionResumed, SessionStopped, SessionDone, SessionFailed,
)  # fmt: skip
LIVE_TAIL = 64 * 1024
"""of a running command's output or a streaming answer, kept for those who open the page in between"""


@dataclass(frozen=True)
class Piece:
    """A part of something that is being written: an answer of the model, or the output of a call."""

    what: str
    """`text` or `output`"""
    key: str
    """turn number or call id"""
    data: str
    whole: bool = False
    """replaces what was shown before, instead of adding to it"""


@dataclass(frozen=True)
class Frame:
    """What one tick brought to one channel."""

    records: tuple[Record, ...] = ()
    """consecutive"""
    pieces: tuple[Piece, ...] = ()
    so_far: tuple[Piece, ...] = ()
    """all that is being written, these pieces included"""
    drawn: dict[str, "asyncio.Future[list[str]]"] = field(default_factory=dict)
    """the messages made of it, by format: shared by all watchers of the frame"""


class Lagging(Exception):
    """The watcher was too slow; it must come back and say what it has seen."""


class Watcher:
    """One socket's view of a channel."""

    def __init__(self, channel: "Channel", left: Callable[[], None]) -> None:
        self._channel = channel
        self._left = left
        channel.flush()  # what waits belongs to those who came before
        channel.watchers.add(self)
        self.so_far = channel.so_far()
        """what was being written when it came; the frames go on from there"""
        self._frames: deque[Frame] = deque()
        self._ready = asyncio.Event()
        self._lost = False

    def push(self, frame: Frame) -> None:
        if len(self._frames) >= BACKLOG:
            self._lost = True
            self._frames.clear()
        if not self._lost:
            self._frames.append(frame)
        self._ready.set()

    async def next(self) -> Frame:
        """The next frame. Raises Lagging once frames were dropped."""
        while not self._frames and not self._lost:
            self._ready.clear()
            await self._ready.wait()
        if self._lost:
            raise Lagging
        return self._frames.popleft()

    def close(self) -> None:
        self._channel.watchers.discard(self)
        self._left()


class Channel:
    """One session's watchers and what waits for the next tick."""

    def __init__(self, so_far: Callable[[], tuple[Piece, ...]]) -> None:
        self.so_far = so_far
        self.watchers: set[Watcher] = set()
        self._records: dict[tuple[str, int], Record] = {}
        self._pieces: list[Piece] = []
        self._tick: asyncio.TimerHandle | None = None

    def add(self, records: Sequence[Record] = (), pieces: Sequence[Piece] = ()) -> None:
        self._records.update(((r.session, r.seq), r) for r in records)
        self._pieces += pieces
        if self._tick is None:
            self._tick = asyncio.get_running_loop().call_later(TICK_S, self.flush, context=contextvars.Context())

    def flush(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        records = tuple(self._records[key] for key in sorted(self._records))
        pieces = tuple(join(still(self._pieces, records)))
        self._records, self._pieces = {}, []
        if not records and not pieces:
            return
        frame = Frame(records, pieces, self.so_far())
        for watcher in tuple(self.watchers):
            watcher.push(frame)


def join(pieces: Sequence[Piece]) -> list[Piece]:
    """`pieces` with neighbours of the same thing made one."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and not piece.whole and (last.what, last.key) == (piece.what, piece.key):
            joined[-1] = Piece(last.what, last.key, last.data + piece.data, whole=last.whole)
        else:
            joined.append(piece)
    return joined


def still(pieces: Iterable[Piece], records: Iterable[Record]) -> tuple[Piece, ...]:
    """Those of `pieces` that no record ends: one that holds the whole of it, or says that it will not be finished."""
    ends = [r.event for r in records if isinstance(r.event, ModelTurn | ModelFailed | ToolResult | SessionStopped)]
    return tuple(piece for piece in pieces if not any(_ends(event, piece) for event in ends))


def _ends(event: Event, piece: Piece) -> bool:
    match event:
        case ModelTurn(turn=turn):
            return (piece.what, piece.key) == ("text", str(turn))
        case ModelFailed():
            return piece.what == "text"
        case ToolResult(call_id=call):
            return (piece.what, piece.key) == ("output", call)
        case _:
            return True


Listener = Callable[[str, Sequence[Record]], None]


class Hub:
    """All channels of this process. Without a loop (a command in a terminal) only the listeners hear."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channels: dict[str, Channel] = {}
        self._listeners: list[Listener] = []
        self._live: dict[str, dict[tuple[str, str], str]] = {}
        self._decoders: dict[tuple[str, str], codecs.IncrementalDecoder] = {}

    def bind(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Serve watchers on this loop."""
        self._loop = loop

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener(session, records)` at each publish, in the publishing thread. Returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, session: str, records: Sequence[Record]) -> None:
        """Records that were just committed, here or (as a poll found) by another process."""
        for listener in tuple(self._listeners):
            listener(session, records)
        self._call(self._add_records, session, tuple(records))

    def text(self, session: str, turn: int, text: str) -> None:
        self._call(self._add_piece, session, Piece("text", str(turn), text))

    def output(self, session: str, call: str, data: bytes) -> None:
        self._call(self._add_output, session, call, data)

    def watch(self, channel: str) -> Watcher:
        """A watcher from now on; runs on the loop."""
        found = self._channels.get(channel)
        if found is None:
            found = self._channels[channel] = Channel(lambda: self.so_far(channel))
        return Watcher(found, lambda: self._leave(channel))

    def _leave(self, channel: str) -> None:
        if channel in self._channels and not self._channels[channel].watchers:
            del self._channels[channel]

    def watched(self) -> set[str]:
        return set(self._channels)

    def so_far(self, session: str) -> tuple[Piece, ...]:
        """What is being written right now, for a page that was just opened."""
        return tuple(Piece(what, key, data, whole=True) for (what, key), data in self._live.get(session, {}).items())

    def _call(self, function: Callable[..., None], *args: object) -> None:
        if self._loop is None or self._loop.is_closed():
            return
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # closed in between: nobody watches any more
            log.debug("published after the end")

    def _add_records(self, session: str, records: tuple[Record, ...]) -> None:
        if session in self._live:
            left = {(p.what, p.key): p.data for p in still(self.so_far(session), records)}
            for _, key in self._live[session].keys() - left.keys():
                self._decoders.pop((session, key), None)
            self._live[session] = left
            if not left:
                del self._live[session]
        if channel := self._channels.get(session):
            channel.add(records=records)
        asks = [r for r in records if isinstance(r.event, FOR_THE_QUEUE)]
        if asks and (channel := self._channels.get(QUEUE)):
            channel.add(records=asks)

    def _add_output(self, session: str, call: str, data: bytes) -> None:
        decoder = self._decoders.setdefault((session, call), codecs.getincrementaldecoder("utf-8")("replace"))
        if text := decoder.decode(data):
            self._add_piece(session, Piece("output", call, text))

    def _add_piece(self, session: str, piece: Piece) -> None:
        live = self._live.setdefault(session, {})
        key = (piece.what, piece.key)
        live[key] = (live.get(key, "") + piece.data)[-LIVE_TAIL:]
        if channel := self._channels.get(session):
            channel.add(pieces=(piece,))


hub = Hub()
"""the one of this process"""
