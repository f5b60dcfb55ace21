"""WebSockets: everything after sequence number N, then live.

What a client may count on: records come in order, each once, none missing, over any number of connections, as long as
it says with `?after=N` the last one it has. A watcher is registered before the database is read, so nothing falls
between; a frame that overlaps what was read is cut, one that leaves a gap sends back to the database. Live text and
output come in between without a number and may be lost.

Frames are HTML fragments for htmx; with `?format=json`, one JSON object a record.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

from autobahn.exception import Disconnected
from channels.generic.websocket import AsyncWebsocketConsumer

from workbench.journal.kinds import Record
from workbench.web import adapters, models, timeline, wire
from workbench.web.hub import QUEUE, Frame, Lagging, Piece, Watcher, hub, still
from workbench.web.sockets import GONE, doorkeeper, in_thread

log = logging.getLogger(__name__)

BATCH = 200
BAD_REQUEST, NOT_FOUND, TRY_AGAIN = 4400, 4404, 1013

_drawers = ThreadPoolExecutor(2, thread_name_prefix="draw")
"""reading and drawing, off the event loop"""


class Gone(Exception):
    """The peer has left."""


class Watching(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels ships no types
    """What the sockets share: a task that sends, and an end to it."""

    channel = ""
    after = 0

    async def connect(self) -> None:
        query = parse_qs(self.scope["query_string"].decode("latin1"))
        self.json = query.get("format", ["html"])[-1] == "json"
        await self.accept()
        try:
            self.after = max(0, int(query.get("after", ["0"])[-1]))
        except ValueError:
            await self.close(BAD_REQUEST)
            return
        if not await self.found():
            await self.close(NOT_FOUND)
            return
        doorkeeper.enter(self, self.scope["login"], self.put_out)
        self.task = asyncio.get_running_loop().create_task(self.serve(), context=contextvars.Context())

    async def disconnect(self, code: int) -> None:
        del code
        doorkeeper.leave(self)
        if task := getattr(self, "task", None):
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Sockets only tell; what people do goes over HTTP, with its checks."""

    async def put_out(self) -> None:
        self.task.cancel()
        await self.close(GONE)

    async def found(self) -> bool:
        return True

    async def serve(self) -> None:
        watcher = hub.watch(self.channel)
        try:
            await self.begin(watcher)
            while True:
                await self.forward(await watcher.next())
        except Gone:
            pass
        except Lagging:
            await self.close(TRY_AGAIN)
        except Exception:
            log.exception("a socket of %s broke", self.channel)
            await self.close(TRY_AGAIN)
        finally:
            watcher.close()

    async def begin(self, watcher: Watcher) -> None:
        """Before the first live frame."""

    async def forward(self, frame: Frame) -> None:
        raise NotImplementedError

    async def say(self, messages: list[str]) -> None:
        for message in messages:
            if not message:
                continue
            try:
                await self.send(text_data=message)
            except Disconnected:
                raise Gone from None

    async def shared(self, frame: Frame, draw: Callable[[], list[str]]) -> list[str]:
        """The messages of a frame, made by whoever comes first."""
        form = "json" if self.json else "html"
        if form not in frame.drawn:
            frame.drawn[form] = asyncio.get_running_loop().run_in_executor(_drawers, draw)
        return await asyncio.shield(frame.drawn[form])

    async def drawn(self, draw: Callable[[], list[str]]) -> list[str]:
        return await asyncio.get_running_loop().run_in_executor(_drawers, draw)


class SessionConsumer(Watching):
    """`/ws/sessions/{id}/?after=SEQ`"""

    async def found(self) -> bool:
        self.channel = self.scope["url_route"]["kwargs"]["session"]
        return bool(await in_thread(models.Session.objects.filter(pk=self.channel).exists))

    async def begin(self, watcher: Watcher) -> None:
        if pieces := await self.catch_up(watcher.so_far):
            await self.say(await self.drawn(lambda: self.draw((), pieces, ())))

    async def catch_up(self, pieces: tuple[Piece, ...] = ()) -> tuple[Piece, ...]:
        """Send what the database has after `after`; those of `pieces` that are still being written then."""
        while True:
            records = await asyncio.get_running_loop().run_in_executor(
                _drawers, adapters.read, self.channel, self.after, BATCH
            )
            if records:
                await self.say(await self.drawn(lambda batch=records: self.draw(batch, (), ())))  # type: ignore[misc]
                self.after = records[-1].seq
                pieces = still(pieces, records)
            if len(records) < BATCH:
                return pieces

    async def forward(self, frame: Frame) -> None:
        fresh = [r for r in frame.records if r.seq > self.after]
        gap = bool(fresh) and [r.seq for r in fresh] != list(range(self.after + 1, self.after + 1 + len(fresh)))
        if not gap and len(fresh) == len(frame.records):
            await self.say(await self.shared(frame, lambda: self.draw(frame.records, frame.pieces, frame.so_far)))
        else:  # what it adds is not known to fit what was sent: tell the rest anew
            pieces = await self.catch_up(frame.so_far)
            await self.say(await self.drawn(lambda: self.draw((), pieces, ())))
        if frame.records:
            self.after = max(self.after, frame.records[-1].seq)

    def draw(self, records: Sequence[Record], pieces: Sequence[Piece], so_far: Sequence[Piece]) -> list[str]:
        """The messages that tell this. Runs in a thread."""
        if self.json:
            return [*map(wire.event_line, records), *map(wire.piece_line, pieces)]
        return [timeline.frame(self.channel, records, pieces, so_far)]


class QueueConsumer(Watching):
    """`/ws/queue/`: what waits for people, over all sessions. HTML: the count and the list; JSON: the events."""

    channel = QUEUE

    async def forward(self, frame: Frame) -> None:
        await self.say(await self.shared(frame, lambda: self.draw(frame)))

    def draw(self, frame: Frame) -> list[str]:
        if self.json:
            return [wire.queue_line(record) for record in frame.records]
        return [timeline.queue_frame(list(frame.records))]


class NotHere(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels ships no types
    """Any other address."""

    async def connect(self) -> None:
        await self.close(NOT_FOUND)
