"""Daphne, driving the lifespan of the application, bounding what it takes in, and closing in order.

On SIGTERM: no new connection; open sockets are closed with 1012 (service restart), so that pages come back by
themselves; requests in flight get `drain` seconds; then the application's lifespan ends, which brings the agents to
rest within `grace` seconds.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable
from typing import Any

import daphne.server  # first: it installs the asyncio reactor
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import defer, reactor
from twisted.python.failure import Failure

from workbench.web.limits import refusal

log = logging.getLogger(__name__)

UNREAD_LIMIT = 16 * 1024 * 1024
"""bytes that a socket's peer may leave unread before it is cut off; it comes back by sequence number"""


def unread(transport: Any) -> int:
    """Bytes that wait in the process because the peer does not take them."""
    waiting = getattr(transport, "_tempDataLen", 0)
    return int(waiting) + len(getattr(transport, "dataBuffer", b"")) - int(getattr(transport, "offset", 0))


class BoundedRequest(WebRequest):  # type: ignore[misc]  # daphne ships no types
    """Daphne takes a whole body in before it asks the application: this one lets go what is beyond the limit."""

    received = 0

    def handleContentChunk(self, data: bytes) -> None:
        self.received += len(data)
        if self.received <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            super().handleContentChunk(data)

    def process(self) -> Any:
        if self.received <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return super().process()
        for message in refusal(self.received):
            self.handle_reply(message)
        return None


class BoundedFactory(HTTPFactory):  # type: ignore[misc]
    def buildProtocol(self, addr: Any) -> Any:
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol


class LifespanServer(Server):  # type: ignore[misc]  # daphne ships no types
    grace = 8
    drain = 2
    failed = ""
    """why the server could not serve, in one line"""

    ready: Callable[[], None] = staticmethod(lambda: None)
    """called once it listens and the application has started"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # a timeout would close with 1000, after which htmx never reconnects
        super().__init__(*args, websocket_timeout=-1, server_name="workbench", **kwargs)
        self.ports: list[Any] = []

    def run(self) -> None:
        daphne.server.HTTPFactory = BoundedFactory  # made by name inside `Server.run`
        self._loop = reactor._asyncioEventloop
        self._to: asyncio.Queue[Any] = asyncio.Queue()
        self._from: asyncio.Queue[Any] = asyncio.Queue()
        self._task: asyncio.Task[Any] | None = None
        # an empty context: what starts here belongs to no request
        reactor.callWhenRunning(
            lambda: setattr(self, "_begin", self._loop.create_task(self._startup(), context=contextvars.Context()))
        )
        super().run()

    def listen_success(self, port: Any) -> None:
        self.ports.append(port)
        super().listen_success(port)

    def listen_error(self, failure: Failure) -> None:
        self.failed = failure.getErrorMessage()
        self.stop()

    async def _startup(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
        self._task = asyncio.create_task(self.application(scope, self._to.get, self._from.put))
        await self._to.put({"type": "lifespan.startup"})
        answer = asyncio.create_task(self._from.get())
        await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if answer.done() and answer.result()["type"] == "lifespan.startup.complete":
            if not self.failed:
                self.ready()
            return
        why = answer.result().get("message", "") if answer.done() else self._task.exception()
        log.error("startup failed: %s", why)
        self.failed = f"the agents could not be started: {why}"
        self.stop()

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Adds to Daphne: the close codes by which browsers come back, and an end for a peer that stops reading."""
        if isinstance(protocol, WebSocketProtocol) and protocol.state == protocol.STATE_OPEN:
            if message["type"] == "websocket.close" and 1001 <= (message.get("code") or 1000) < 3000:
                protocol.sendCloseFrame(code=message["code"])  # autobahn's sendClose allows 1000 and 3000+ only
                protocol.muted = True
                return
            if message["type"] == "websocket.send" and unread(protocol.transport) > UNREAD_LIMIT:
                log.warning("a watcher left %d bytes unread and was cut off", unread(protocol.transport))
                protocol.transport.abortConnection()
                return
        await super().handle_reply(protocol, message)

    def kill_all_applications(self) -> Any:
        task = self._loop.create_task(self._end())
        task.add_done_callback(_report)
        return defer.Deferred.fromFuture(task)

    async def _end(self) -> None:
        for port in self.ports:
            await defer.maybeDeferred(port.stopListening).asFuture(self._loop)
        requests = []
        for protocol, details in list(self.connections.items()):
            running = details.get("application_instance")
            if isinstance(protocol, WebSocketProtocol):
                protocol.sendCloseFrame(code=1012)
                protocol.muted = True
            elif running and not running.done():
                requests.append(running)
        if requests:
            await asyncio.wait(requests, timeout=self.drain)
        await self._end_lifespan()
        left = [a for d in self.connections.values() if (a := d.get("application_instance")) and not a.done()]
        for application in left:
            application.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _end_lifespan(self) -> None:
        if not self._task or self._task.done():
            return
        await self._to.put({"type": "lifespan.shutdown"})
        done, _ = await asyncio.wait({self._task}, timeout=self.grace)
        if not done:
            log.error("the agents did not come to rest within %d s and are cut off", self.grace)
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1)


def _report(task: "asyncio.Task[None]") -> None:
    if error := task.exception():
        log.error("closing failed", exc_info=error)  # Twisted would swallow it
