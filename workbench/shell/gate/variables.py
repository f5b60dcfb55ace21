"""Which variables change what programs do, and which ones hold secrets. The lists are data: `variables.toml`."""

import re
import tomllib
from fnmatch import translate
from functools import cache
from importlib.resources import files

from workbench.shell.gate.values import shown, static

_LISTS = ("always", "exported", "harmless", "secret")


@cache
def _tables() -> tuple[dict[str, re.Pattern[str]], dict[str, frozenset[str]]]:
    """The lists as patterns, and the harmless values by pattern of a name."""
    data = tomllib.loads(files(__package__).joinpath("variables.toml").read_text("utf-8"))
    patterns = {key: re.compile("|".join(translate(name) for name in data[key].split())) for key in _LISTS}
    return patterns, {translate(name): frozenset(values) for name, values in data["values"].items()}


def secret(name: str) -> bool:
    """Whether a variable of the environment looks like a credential by its name."""
    return _tables()[0]["secret"].match(name.upper()) is not None


def assigning(name: str, value: str, *, exported: bool) -> str | None:
    """Why giving a variable this value makes what follows unknown, or None when it does not."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return f"what the variable {shown(name)} does"
    patterns, values = _tables()
    acts = patterns["always"].match(name) or (exported and patterns["exported"].match(name))
    if not acts or patterns["harmless"].match(name):
        return None
    if static(value) and any(value in allowed and re.match(named, name) for named, allowed in values.items()):
        return None
    return f"what programs do when {name} is {shown(value) or 'empty'}"
