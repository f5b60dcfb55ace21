"""The models that a session can pick: the demo, the endpoints a person saved, and what the environment offers.

ANTHROPIC_API_KEY  (ANTHROPIC_BASE_URL, ANTHROPIC_MODEL)  offers `anthropic:<model>`
OPENAI_API_KEY or OPENAI_BASE_URL  (OPENAI_MODEL)         offers `openai:<model>`
WORKBENCH_MODEL                                            is picked when nobody picks
"""

import importlib
import os
from dataclasses import dataclass

from workbench.agent import providers
from workbench.agent.providers import Endpoint, NoSuchModel, available
from workbench.files import Refused
from workbench.web import vault
from workbench.web.models import ModelEndpoint

DEMO = "demo"
LIKELY = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-6.2-sol"}


@dataclass(frozen=True)
class Choice:
    """One model that can be picked."""

    name: str
    provider: str
    model: str
    base_url: str = ""
    source: str = "built in"
    """built in, settings or environment"""


def choices() -> list[Choice]:
    """The demo first, then what people saved, then the environment's."""
    saved = [Choice(e.name, e.kind, e.model, e.base_url, "settings") for e in ModelEndpoint.objects.all()]
    offered = [
        Choice(f"{kind}:{model}", kind, model, os.environ.get(f"{kind.upper()}_BASE_URL", ""), "environment")
        for kind in LIKELY
        if _offered(kind)
        for model in [os.environ.get(f"{kind.upper()}_MODEL") or LIKELY[kind]]
    ]
    return [Choice(DEMO, DEMO, "", source="built in"), *saved, *offered]


def default() -> str:
    """WORKBENCH_MODEL, else a real model if there is one, else the demo."""
    if chosen := os.environ.get("WORKBENCH_MODEL"):
        return chosen
    real = [c.name for c in choices() if c.name != DEMO]
    return real[0] if real else DEMO


def check(name: str) -> None:
    """Refused when no such model can be asked; asks nothing and loads nothing."""
    if ModelEndpoint.objects.filter(name=name).exists():
        return
    if name.partition(":")[0] not in available():
        known = ", ".join(c.name for c in choices())
        raise Refused("bad_args", f"There is no model {name!r}. There are: {known}; or add one in the settings.")


def locate(name: str) -> tuple[str, Endpoint]:
    """What `providers.make` needs for the model, its module loaded. Blocks; the provider itself is made on the loop.

    Raises NoSuchModel or vault.Unreadable, each with what to do.
    """
    row = ModelEndpoint.objects.filter(name=name).first()
    if row is not None:
        located, endpoint = f"{row.kind}:{row.model}", Endpoint(row.base_url, vault.unseal(row.sealed_key))
    else:
        kind, _, model = name.partition(":")
        prefix = kind.upper()
        if not model and kind in LIKELY:
            name = f"{kind}:{os.environ.get(f'{prefix}_MODEL') or LIKELY[kind]}"
        base_url = os.environ.get(f"{prefix}_BASE_URL", "")
        located, endpoint = name, Endpoint(base_url, os.environ.get(f"{prefix}_API_KEY", ""))
    kind = located.partition(":")[0]
    if kind not in available():
        raise NoSuchModel(f"The model {name!r} is gone. Start a session with another one.")
    importlib.import_module(f"{providers.__name__}.{kind}")
    return located, endpoint


def _offered(kind: str) -> bool:
    return bool(os.environ.get(f"{kind.upper()}_API_KEY") or (kind == "openai" and os.environ.get("OPENAI_BASE_URL")))
