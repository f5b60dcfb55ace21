"""The application, asked as a server asks it."""

import asyncio
import json
from typing import Any

import pytest

from workbench.asgi import application
from workbench.web.lifespan import Lifespan, lifespan

pytestmark = pytest.mark.django_db(transaction=True)


async def ask(scope: dict[str, Any], *given: dict[str, Any]) -> list[dict[str, Any]]:
    waiting, said = list(given), []

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()  # the client stays
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    await application(scope, receive, send)
    return said


def http(path: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "scheme": "http", "http_version": "1.1", "root_path": "",
    }  # fmt: skip


async def test_http_goes_to_django_within_the_limits() -> None:
    body = {"type": "http.request", "body": b"", "more_body": False}
    said = await ask(http("/api/sessions"), body)
    assert said[0]["status"] == 401
    too_large = await ask(http("/api/sessions", (b"content-length", b"99999999999")), body)
    assert too_large[0]["status"] == 413
    assert json.loads(too_large[1]["body"])["error"] == "too_large"


async def test_every_socket_stands_behind_the_same_door() -> None:
    for path in ("/ws/queue/", "/ws/sessions/x/", "/ws/", "/other"):
        scope = {**http(path), "type": "websocket", "subprotocols": []}
        said = await ask(scope, {"type": "websocket.connect"})
        assert [m["type"] for m in said] == ["websocket.close"]


def test_agents_run_only_where_up_says_so() -> None:
    assert isinstance(lifespan, Lifespan)
    assert lifespan.agents is False
    assert application.application_mapping["lifespan"] is lifespan
