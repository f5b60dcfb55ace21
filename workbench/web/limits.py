"""The size of a request body, checked before anything reads it."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

App = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


def limited(inner: App) -> App:
    """`inner`, unless the request says that its body is larger than DATA_UPLOAD_MAX_MEMORY_SIZE: then 413."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) <= limit:
            await inner(scope, receive, send)
            return
        message = f"The request body has {int(declared):,} bytes; {limit:,} is the limit."
        body = json.dumps({"error": "too_large", "message": message}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": body})

    return app
