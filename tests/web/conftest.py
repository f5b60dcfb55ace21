"""The workbench for tests: rows in a database file, a data folder, and whole processes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from django.db import connections

from tests.web.scripted import Scripted, Turn, call, scripted
from tests.web.server import Workbench
from workbench.web import adapters, datadir, models, sockets
from workbench.web.actions import Who

ANN = Who("ann", "browser")


@pytest.fixture(scope="session", autouse=True)
def threads_let_go(django_db_blocker: object) -> Iterator[None]:
    """Close what the long-lived threads opened, before the interpreter warns of it."""
    yield
    for pool in (adapters._threads, sockets._threads):
        for _ in range(4):
            pool.submit(connections.close_all).result()


@pytest.fixture
def data(tmp_path: Path, settings: object) -> Path:
    folder = tmp_path / "data"
    datadir.prepare(folder)
    settings.DATA = folder  # type: ignore[attr-defined]
    settings.SAMPLES = tmp_path / "samples"  # type: ignore[attr-defined]
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def session_row(transactional_db: None, data: Path, workspace: Path) -> models.Session:
    """A session without events."""
    home = models.Workspace.objects.create(path=str(workspace), name="ws")
    return models.Session.objects.create(workspace=home, model="demo")


@pytest.fixture
def workbench_up(tmp_path: Path, workspace: Path) -> Iterator[Callable[..., Workbench]]:
    """Starts `manage.py up`; what still runs at the end is stopped."""
    running: list[Workbench] = []

    def start(*words: str, **more: object) -> Workbench:
        bench = Workbench(tmp_path / "data", workspace, *words, **more)  # type: ignore[arg-type]
        running.append(bench)
        return bench.start()

    yield start
    for bench in running:
        if bench.process and bench.process.poll() is None:
            bench.stop()


PUSH = "echo ran >> ran.txt && git push"
SCRIPTS: dict[str, list[Turn]] = {
    "hello": [Turn("Hello there.")],
    "slow": [Turn("one two three four five six seven eight nine ten", pace_s=0.3)],
    "ask": [call("ask_user", question="Which one?", options=["the first", "the second"]), Turn("Thanks.")],
    "push": [call("bash", command=PUSH), Turn("Pushed.")],
    "sleep": [call("bash", command="echo begun; sleep 40; echo ended", timeout=60), Turn("Slept.")],
    "write": [call("write_file", path="made.txt", content="one\ntwo\n"), Turn("Written.")],
    "burst": [
        *(Turn(calls=[("read_file", {"path": f"none-{turn}-{n}"}) for n in range(40)]) for turn in range(17)),
        Turn("Enough."),
    ],
    "refuses": [Turn(status=401)],
    "breaks": [Turn("cut off in the middle", breaks=True)],
}


@pytest.fixture(scope="session")
def model() -> Iterator[Scripted]:
    with scripted(**SCRIPTS) as server:
        yield server


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory, model: Scripted) -> Iterator[Workbench]:
    """One running workbench for all tests that leave it as they found it; its model is `openai:scripted`."""
    home = tmp_path_factory.mktemp("live")
    (home / "ws").mkdir()
    with Workbench(home / "data", home / "ws", env=model.env) as bench:
        yield bench


@pytest.fixture
def api(live: Workbench) -> Iterator[httpx.Client]:
    with live.api() as client:
        yield client
