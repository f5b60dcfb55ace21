"""The lifespan: everything starts before the first request and ends in order; a failure to start is said."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from workbench.web import lifespan as module
from workbench.web.hub import hub
from workbench.web.lifespan import Lifespan

pytestmark = pytest.mark.django_db(transaction=True)


class Server:
    """The server's side of the protocol."""

    def __init__(self) -> None:
        self.to: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self.said: asyncio.Queue[dict[str, str]] = asyncio.Queue()

    async def ask(self, what: str) -> dict[str, str]:
        await self.to.put({"type": f"lifespan.{what}"})
        return await asyncio.wait_for(self.said.get(), 10)


async def test_it_starts_and_ends_and_leaves_nothing_running(data: Path) -> None:
    server, before = Server(), asyncio.all_tasks()
    running = asyncio.create_task(Lifespan()({}, server.to.get, server.said.put))
    assert (await server.ask("startup"))["type"] == "lifespan.startup.complete"
    assert list((data / "runners").iterdir())
    assert (await server.ask("shutdown"))["type"] == "lifespan.shutdown.complete"
    await running
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert list((data / "runners").iterdir()) == []
    assert hub._loop is None


async def test_a_failure_to_start_is_said_with_its_reason(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, **_: Any) -> None: ...

        async def start(self) -> None:
            raise OSError("no room")

    monkeypatch.setattr(module, "Supervisor", Broken)
    server = Server()
    running = asyncio.create_task(Lifespan()({}, server.to.get, server.said.put))
    said = await server.ask("startup")
    assert (said["type"], said["message"]) == ("lifespan.startup.failed", "OSError: no room")
    with pytest.raises(OSError, match="no room"):
        await running
