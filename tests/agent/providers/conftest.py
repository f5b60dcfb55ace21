"""A model endpoint on loopback for the providers."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load(name: str) -> ModuleType:
    """A helper beside this file, whatever the import mode."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
        assert spec and spec.loader
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def server() -> Iterator[Any]:
    """A `ModelServer`; set its `script`."""
    with load("model_server").ModelServer() as running:
        yield running


@pytest.fixture
def say() -> Any:
    """`Say`, what the server answers."""
    return load("model_server").Say
