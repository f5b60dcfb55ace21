"""A body that is too large is refused before anything reads it (U4)."""

import json
from typing import Any

import pytest
from django.conf import settings

from workbench.web.limits import limited


async def answer(headers: list[tuple[bytes, bytes]]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "inner"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await limited(inner)({"headers": headers}, None, send)  # type: ignore[arg-type]
    return sent


@pytest.mark.parametrize("length", [None, b"0", b"16777216", b"nonsense"])
async def test_what_fits_passes(length: bytes | None) -> None:
    assert await answer([(b"content-length", length)] if length else []) == [{"type": "inner"}]


async def test_what_is_too_large_is_told_the_limit() -> None:
    size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
    start, body = await answer([(b"content-length", str(size).encode())])
    assert start["status"] == 413
    said = json.loads(body["body"])
    assert said["error"] == "too_large"
    assert f"{size:,}" in said["message"]
