"""Lists that judges look things up in. They are data: `lists.toml`."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from workbench.shell.gate.values import word_set


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("lists.toml").read_text("utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """A list of words."""
    return word_set(_lists()[name])


@cache
def table(name: str) -> dict[str, frozenset[str]]:
    """Lists of words by key."""
    return {key: word_set(words) for key, words in _lists()[name].items()}
