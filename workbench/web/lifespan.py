"""What runs beside the requests: the supervisor and the hub. One coroutine, so that it ends in the order it began.

Only `up` switches the agents on; any other ASGI server serves the pages and leaves the running to it.
"""

import asyncio
from typing import Any

from workbench.web.hub import hub
from workbench.web.supervisor import Supervisor


class Lifespan:
    """The ASGI lifespan protocol."""

    agents = False
    """set by `up` before it serves"""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        del scope
        await receive()
        hub.bind(asyncio.get_running_loop())
        supervisor = Supervisor(runs=self.agents)
        try:
            await supervisor.start()
        except Exception as e:
            await send({"type": "lifespan.startup.failed", "message": f"{type(e).__name__}: {e}"})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await supervisor.rest()
        hub.bind(None)
        await send({"type": "lifespan.shutdown.complete"})


lifespan = Lifespan()
