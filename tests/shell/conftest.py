"""Commands run for real, in whatever sandbox this machine allows."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.shell.jail.levels import Sandbox
from workbench.shell.run import Finished, run
from workbench.shell.sandbox import probe

Do = Callable[..., Finished]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """What this machine allows."""
    return probe()


@pytest.fixture
def level(sandbox: Sandbox) -> Callable[[str], Sandbox]:
    """The sandbox of a level, where this machine reaches it. `B-net` is B without a network namespace."""

    def at(name: str) -> Sandbox:
        if name[0] in "AB" and sandbox.level != "A":
            pytest.skip(f"this machine has level {sandbox.level}: {sandbox.reason}")
        lacks = sandbox.lacks | ({name[2:]} if name[0] == "B" else set())
        return replace(sandbox, level=name[0], lacks=lacks)  # type: ignore[arg-type]

    return at


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that nothing of whoever runs the tests takes part."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def do(tmp_path: Path, workspace: Path, sandbox: Sandbox) -> Iterator[Do]:
    """Run a command in the workspace; `do.live` collects what the page would get."""

    def run_it(command: str, **more: Any) -> Finished:
        live: list[bytes] = more.pop("live", [])
        settings: dict[str, Any] = {
            "cwd": workspace,
            "sandbox": sandbox,
            "timeout": 20,
            "stop": threading.Event(),
            "on_output": live.append,
            "spool": tmp_path / "spool" / "c1",
        }
        return run(command, **{**settings, **more})

    yield run_it
