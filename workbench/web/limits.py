"""The size of a request body, checked before anything holds it in memory."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

App = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


def refusal(size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two ASGI messages of a 413."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    message = f"The request body has {size:,} bytes; {limit:,} is the limit."
    body = json.dumps({"error": "too_large", "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    start = {"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]}
    return start, {"type": "http.response.body", "body": body}


def limited(inner: App) -> App:
    """`inner`, unless the request says that its body is larger than DATA_UPLOAD_MAX_MEMORY_SIZE. For any server;
    our own one (`web/server.py`) counts what really comes."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            for message in refusal(int(declared)):
                await send(message)
            return
        await inner(scope, receive, send)

    return app
