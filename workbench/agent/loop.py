"""The agent loop: a function of the journal.

`advance(session)` reads what happened, takes the next step, appends, and so on, until the session is done or waits
for a person. It keeps nothing that matters: a restart, a crash or another runner calls it again and it goes on.
"""

import asyncio
import threading
from typing import Literal

from workbench.agent.budget import Budget
from workbench.agent.messages import Provider
from workbench.agent.ports import Journal, Live
from workbench.agent.toolbox import Toolbox

Why = Literal["done", "waiting", "paused", "stopped", "failed", "halted", "lost"]
"""why the loop ended: the session's status, or halted (broken off from outside), or lost (another runner has it)"""


class Halt:
    """Breaks off what a session is doing right now, from any thread; the loop then reads the journal to learn why.

    A person's stop: append SessionStopped, then `now()`. A shutdown: only `now()`; the loop comes to rest and returns
    "halted". Make it on the event loop that runs `advance`. A halt stays: the next run needs a new one.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        """handed to the running tools"""
        self._loop = asyncio.get_running_loop()
        self._async = asyncio.Event()

    def now(self) -> None:
        self.stop.set()
        self._loop.call_soon_threadsafe(self._async.set)

    @property
    def halted(self) -> bool:
        return self.stop.is_set()

    async def wait(self) -> None:
        await self._async.wait()


async def advance(
    session: str,
    *,
    journal: Journal,
    provider: Provider,
    toolbox: Toolbox,
    live: Live,
    lease: int | None = None,
    budget: Budget | None = None,
    halt: Halt | None = None,
) -> Why:
    """Take every step that can be taken without a person. Safe to call again at any time, after any crash.

    A session that was stopped while it waited also needs one call: its open calls and approvals are closed then.
    """
    raise NotImplementedError
