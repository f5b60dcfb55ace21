"""The workbench for tests: rows in a database file, a data folder, and whole processes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections

from tests.web.server import Workbench
from workbench.web import adapters, datadir, models, sockets
from workbench.web.actions import Who

ANN = Who("ann", "browser")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file: threads of the workbench have connections of their own, which a database in memory does not bear."""
    connections["default"].settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("db") / "test.sqlite3")


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
