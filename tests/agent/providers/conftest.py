"""A model endpoint on loopback for the providers, and a desk with the real tools for the demo."""

import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbench.agent.prompt import system
from workbench.agent.providers import Endpoint, make
from workbench.agent.sample import Sample, lay_out
from workbench.agent.toolbox import Stream, Toolbox
from workbench.files.fence import Fence
from workbench.files.seen import Seen
from workbench.history.store import Store
from workbench.history.versions import History
from workbench.journal.kinds import SessionStarted, ToolResult
from workbench.policy.decision import decide
from workbench.policy.rules import built_in
from workbench.shell.sandbox import Sandbox, probe
from workbench.tools import Context, all_tools

TESTS = Path(__file__).parents[2]


def load(path: Path, name: str) -> ModuleType:
    """A helper by its path, whatever the import mode."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec and spec.loader
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def model_server() -> ModuleType:
    return load(TESTS / "agent" / "providers" / "model_server.py", "model_server")


@pytest.fixture
def server() -> Iterator[Any]:
    """A `ModelServer`; set its `script`."""
    with model_server().ModelServer() as running:
        yield running


@pytest.fixture
def say() -> Any:
    """`Say`, what the server answers."""
    return model_server().Say


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return probe()


@pytest.fixture
def real(desk: Any, tmp_path: Path, sandbox: Sandbox) -> Callable[..., Any]:
    """The desk with the real tools, gate and history over a workspace, and any model by its name."""
    versions = load(TESTS / "tools" / "conftest.py", "tools_bench").KeptVersions()
    data = tmp_path / "data"
    data.mkdir()
    store = Store(data / "store")

    def sit_down(root: Path, model: str = "demo", endpoint: Endpoint | None = None, mode: str = "ask") -> Any:
        wall = Fence(root)

        def box() -> Toolbox:
            seen = Seen()
            for event in desk.journal.events:
                if isinstance(event, ToolResult):
                    seen.apply(event.view.get("seen", []))

            def context(call: str, stream: Stream, stop: threading.Event) -> Context:
                history = History(store, versions, wall, "s1", call, "tool")
                return Context("s1", call, wall, seen, history, sandbox, data, stream, stop)

            return Toolbox(
                all_tools(), context, lambda call, m: decide(call, built_in(), m, contained=sandbox.level != "D"),
                b"key", lambda m: system(m, fence=wall), store.put, store.get, desk.pool,
            )  # fmt: skip

        desk.root, desk.box = root, box
        desk.model = make(model, endpoint or Endpoint(pace_s=0))
        desk.journal.put(SessionStarted(task="Mend the tests.", workspace=str(root), model=model, mode=mode))
        return desk

    return sit_down


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return lay_out(tmp_path / "samples" / "one")
