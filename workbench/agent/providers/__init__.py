"""The models a session can use: one file a provider, found by name and loaded only when one is made.

A model is named `<provider>:<model>` (`anthropic:claude-sonnet-5-5`, `openai:qwen3:8b`) or `<provider>` alone where
there is nothing to choose (`demo`). The file `providers/<provider>.py` has `def make(model: str, endpoint: Endpoint)
-> Provider`. The SDKs are large: importing this package loads none of them.
"""

import importlib
import pkgutil
from dataclasses import dataclass, field

from workbench.agent.messages import Provider


@dataclass(frozen=True)
class Endpoint:
    """Where a provider's models are, and how to get in."""

    base_url: str = ""
    """empty: the vendor's own"""
    key: str = field(default="", repr=False)
    connect_s: float = 10
    silence_s: float = 120
    """the longest wait for the next piece of a stream"""
    images: bool | None = None
    """whether the model takes images; None: what is known about its name"""
    pace_s: float = 0.02
    """demo: pause between two pieces of text"""


class NoSuchModel(ValueError):
    """The name leads to no provider; the message says which there are."""


def available() -> list[str]:
    """Names of the providers."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__))


def make(name: str, endpoint: Endpoint | None = None) -> Provider:
    """The provider of a model. NoSuchModel; ProviderError when it lacks what it needs (key, model name)."""
    provider, _, model = name.partition(":")
    if provider not in available():
        raise NoSuchModel(f"There is no model provider {provider!r}. There are: {', '.join(available())}.")
    module = importlib.import_module(f"{__name__}.{provider}")
    made: Provider = module.make(model, endpoint or Endpoint())
    return made
