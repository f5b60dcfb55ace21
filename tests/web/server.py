"""The workbench as a process: what its users start, for tests that drive it over HTTP, WebSockets and a browser."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable


OURS = ("WORKBENCH_", "ANTHROPIC_", "OPENAI_", "DJANGO_", "PYTHONDONTWRITEBYTECODE")


def environment(data: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """As a person's shell, without what ours may hold; bytecode is kept, since each test starts a process or two."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
    return {**kept, "WORKBENCH_DATA": str(data), **(more or {})}


def manage(
    *words: str, data: Path, env: Mapping[str, str] | None = None, timeout: float = 60, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """One command, run to its end."""
    data.parent.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [PYTHON, str(ROOT / "manage.py"), *words],
        cwd=data.parent, env=environment(data, env), input=stdin, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip


def until[T](look: Callable[[], T], *, seconds: float = 15, every: float = 0.05) -> T:
    """The first true answer of `look`; a failure says what it gave last."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, f"not within {seconds} s; last: {found!r}"
        time.sleep(every)


class Workbench:
    """A running `manage.py up`. `with Workbench(data, workspace) as wb:` stops it by SIGTERM at the end."""

    def __init__(
        self, data: Path, workspace: Path, *words: str, env: Mapping[str, str] | None = None, port: int = 0
    ) -> None:
        self.data, self.workspace, self.words, self.env, self.port = data, workspace, words, env, port
        self.process: subprocess.Popen[str] | None = None
        self.facts: dict[str, Any] = {}

    def start(self) -> Self:
        (self.data / "server.json").unlink(missing_ok=True)
        self.data.parent.mkdir(parents=True, exist_ok=True)
        self.log = self.data.parent / f"{self.data.name}.log"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [PYTHON, str(ROOT / "manage.py"), "up", "--no-open", "--workspace", str(self.workspace),
                 "--port", str(self.port), *self.words],
                cwd=self.data.parent, env=environment(self.data, self.env), stdout=log, stderr=log, text=True,
            )  # fmt: skip
        until(self._is_up, seconds=60)
        self.facts = json.loads((self.data / "server.json").read_text())
        self.port = httpx.URL(self.url).port or 0
        return self

    def _is_up(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        return (self.data / "server.json").is_file()

    @property
    def url(self) -> str:
        return str(self.facts["url"])

    @property
    def socket_url(self) -> str:
        return self.url.replace("http", "ws", 1)

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def api(self, **more: Any) -> httpx.Client:
        """A client with the API token."""
        headers = {"Authorization": f"Bearer {self.facts['api_token']}"}
        return httpx.Client(base_url=f"{self.url}/api", headers=headers, timeout=30, **more)

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """A client with a session cookie, as a browser has after the login link."""
        with httpx.Client(base_url=self.url, follow_redirects=True, timeout=30) as client:
            fresh = manage("login_link", data=self.data).stdout.strip()
            assert client.get(fresh).status_code == 200
            yield client

    def kill(self) -> None:
        """As a crash does it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> int:
        """By SIGTERM; the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process and self.process.poll() is None:
            self.stop()


def wait_for(api: httpx.Client, session: str, *statuses: str, seconds: float = 20) -> dict[str, Any]:
    """The session once it has one of these statuses."""

    def look() -> dict[str, Any] | None:
        row: dict[str, Any] = api.get(f"/sessions/{session}").json()
        return row if row["status"] in statuses else None

    found = until(look, seconds=seconds)
    assert found is not None
    return found


def events(api: httpx.Client, session: str, kind: str = "") -> list[dict[str, Any]]:
    """The whole journal, or one kind of it."""
    found: list[dict[str, Any]] = []
    after = 0
    while True:
        page = api.get(f"/sessions/{session}/events", params={"after": after, "limit": 500}).json()
        found += page["items"]
        if page["next"] is None:
            return [e for e in found if not kind or e["kind"] == kind]
        after = page["next"]
