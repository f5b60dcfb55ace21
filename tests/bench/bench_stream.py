"""How many records a second reach how many watchers, and how late. Measures; asserts only that none is lost.

    python -m tests.bench.bench_stream [watchers] [records a second] [seconds]

The server is ours (Daphne, hub, JSON sockets) in a process of its own; the records are made there, past the database.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from websockets.asyncio.client import connect

from tests.web.server import PYTHON, ROOT, environment, manage

PREPARE = """
from workbench.web import accounts, models
home = models.Workspace.objects.create(path="/bench", name="bench")
row = models.Session.objects.create(workspace=home, model="demo", status="done")
print(row.pk, accounts.new_api_token(accounts.owner(), "bench"))
"""


def serve(session: str, watchers: int, rate: int, seconds: float) -> None:
    """The server's side: wait for all watchers, publish, tell the CPU time, end."""
    import django

    django.setup()
    from channels.routing import ProtocolTypeRouter

    from workbench.asgi import guarded, sockets
    from workbench.journal.kinds import Record, UserMessage
    from workbench.web.hub import hub
    from workbench.web.server import LifespanServer, reactor

    async def lifespan(scope: object, receive: object, send: object) -> None:
        hub.bind(asyncio.get_running_loop())
        await send({"type": "lifespan.startup.complete"})  # type: ignore[operator]
        while session not in hub.watched() or len(hub._channels[session].watchers) < watchers:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        before, begun = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        for n in range(int(rate * seconds)):
            await asyncio.sleep(max(0, begun + n / rate - time.monotonic()))
            event = UserMessage(text=f"{time.time():.6f} {'x' * 300}", by="bench")
            hub.publish(session, [Record(session, n + 1, datetime.now(UTC), event, "", "")])
        await asyncio.sleep(1)
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(json.dumps({"cpu_s": round(cpu, 2)}), flush=True)
        await asyncio.sleep(2)
        reactor.stop()

    application = ProtocolTypeRouter({"websocket": guarded(sockets), "lifespan": lifespan})
    port = int(os.environ["BENCH_PORT"])
    LifespanServer(application, endpoints=[f"tcp:port={port}:interface=127.0.0.1"]).run()


async def watch(url: str, token: str, total: int) -> list[float]:
    late: list[float] = []
    async with connect(url, additional_headers={"Authorization": f"Bearer {token}"}, max_size=None, proxy=None) as ws:
        for n in range(total):
            said = json.loads(await ws.recv())
            assert said["seq"] == n + 1
            late.append(time.time() - float(said["text"].split(" ", 1)[0]))
    return late


async def measure(url: str, token: str, watchers: int, total: int) -> list[float]:
    found = await asyncio.gather(*(watch(url, token, total) for _ in range(watchers)))
    return sorted(x for one in found for x in one)


def main(watchers: int = 50, rate: int = 200, seconds: float = 3) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        session, token = manage("shell", "-v", "0", "-c", PREPARE, data=_ready(data)).stdout.split()
        port = 18000 + os.getpid() % 1000
        env = {**environment(data), "DJANGO_SETTINGS_MODULE": "workbench.settings", "BENCH_PORT": str(port)}
        words = [PYTHON, "-m", "tests.bench.bench_stream", "serve", session, str(watchers), str(rate), str(seconds)]
        with subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as server:
            time.sleep(4)
            url = f"ws://127.0.0.1:{port}/ws/sessions/{session}/?format=json"
            late = asyncio.run(measure(url, token, watchers, int(rate * seconds)))
            assert server.stdout is not None
            cpu = json.loads(server.stdout.readline())["cpu_s"]
        at = {f"p{p}_ms": round(late[len(late) * p // 100] * 1000, 1) for p in (50, 95, 99)}
        print(
            json.dumps({"watchers": watchers, "rate": rate, "seconds": seconds, "server_cpu_s": cpu, **at, "lost": 0})
        )


def _ready(data: Path) -> Path:
    manage("verify_journal", data=data)
    return data


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    else:
        main(*(int(word) for word in sys.argv[1:]))
