"""What every test may use."""

import contextlib
import ctypes
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests last: their event loop stays on the main thread, where no other loop can run after it."""
    items.sort(key=lambda item: "e2e" in item.path.parts)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run all rounds of the long tests, not a twentieth")


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many rounds a long test runs: all under --long, else a twentieth."""
    everything = request.config.getoption("--long")
    return lambda n: n if everything else max(1, n // 20)


class Ground:
    """The ground of the rows in `tests/data/paths`: `ws/` is the workspace, `out/` and `home/` lie outside."""

    def __init__(self, base: Path) -> None:
        self.base, self.ws, self.out, self.home = base, base / "ws", base / "out", base / "home"
        for folder in (self.ws, self.out, self.home):
            folder.mkdir()

    def fill(self, text: Any) -> Any:
        """`text` with its placeholders filled in; anything else as it is."""
        if not isinstance(text, str):
            return text
        for mark, path in (("BASE", self.base), ("WS", self.ws), ("OUT", self.out), ("HOME", self.home)):
            text = text.replace(f"@{mark}@", str(path))
        return text

    def lay(self, steps: list[dict[str, Any]]) -> None:
        """Carry out the `setup` or `then` of a row."""
        for step in steps:
            path = self.base / step["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            if step.get("make"):
                self.lay([step["make"]])
            getattr(self, f"_{step['op']}")(path, step)

    @contextlib.contextmanager
    def swapping(self, one: Path, other: Path) -> Iterator[None]:
        """Another process swaps the two names without pause, as long as the block runs."""
        swapper = subprocess.Popen([sys.executable, __file__, str(one), str(other)])
        try:
            yield
        finally:
            swapper.kill()
            swapper.wait()

    def _file(self, path: Path, step: dict[str, Any]) -> None:
        path.write_text(step["content"])

    def _mkdir(self, path: Path, _step: dict[str, Any]) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def _symlink(self, path: Path, step: dict[str, Any]) -> None:
        path.symlink_to(self.fill(step["target"]))

    def _hardlink(self, path: Path, step: dict[str, Any]) -> None:
        path.hardlink_to(self.base / step["target"])

    def _fifo(self, path: Path, _step: dict[str, Any]) -> None:
        os.mkfifo(path)

    def _socket(self, path: Path, _step: dict[str, Any]) -> None:
        with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path.name)

    def _mknod(self, path: Path, step: dict[str, Any]) -> None:
        kind = stat.S_IFBLK if step.get("block") else stat.S_IFCHR
        os.mknod(path, 0o600 | kind, os.makedev(step["major"], step["minor"]))

    def _rename(self, path: Path, step: dict[str, Any]) -> None:
        path.rename(self.base / step["target"])

    def _unlink(self, path: Path, _step: dict[str, Any]) -> None:
        path.unlink()

    def _exchange(self, path: Path, step: dict[str, Any]) -> None:
        exchange(path, self.base / step["target"])


def exchange(one: Path, other: Path) -> None:
    """Swap two names at once, as an attacker would (RENAME_EXCHANGE)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, bytes(one), -100, bytes(other), 2):
        raise OSError(ctypes.get_errno(), "renameat2", str(one))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


if __name__ == "__main__":
    while True:
        exchange(Path(sys.argv[1]), Path(sys.argv[2]))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file: threads of the workbench have connections of their own, which a database in memory does not bear."""
    connections["default"].settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("db") / "test.sqlite3")
