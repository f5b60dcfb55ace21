"""Judging one command: by its table, and by a module of this folder where the program has a language of its own.

The `by` of a table names a function of a module here: `files.copy` is `copy(command, spec, options)` in `files.py`.
"""

import importlib
import re
from collections.abc import Callable
from functools import cache

from workbench.shell.gate import tables
from workbench.shell.gate.apply import apply, lookup
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options, sort
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import shown, static
from workbench.shell.parse import char_name
from workbench.shell.tokens import RESERVED

Judge = Callable[[Command, Spec, Options], None]

_FOLDERS = re.compile(r"(?:/usr(?:/local)?)?/s?bin/[^/]+|/opt/homebrew/bin/[^/]+")
_INSTALLED = re.compile(r"(?:.*/)?(?:node_modules/\.bin|\.?venv/bin|\.?env/bin|vendor/bin|\.tox/[^/]+/bin)/([^/]+)")
"""programs that the workspace's package manager installed: judged by name, and run as code of the workspace"""
_WRAPPERS = {"gradlew": "gradle", "mvnw": "mvn", "gradlew.bat": "gradle"}


@cache
def judge_named(by: str) -> Judge:
    """The function that a table names."""
    module, _, name = by.partition(".")
    found: Judge = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    return found


def judge(command: Command) -> None:
    """Find out what a command does."""
    name = command.words[0]
    if not static(name):
        command.opaque("which program it runs")
        return
    if "/" in name:
        located = _located(command, name)
        if located is None:
            return
        name = located
    elif name in RESERVED:
        command.opaque(f"what {name} does here")
        return
    spec, used = lookup(name, command.words[1:])
    if spec is None:
        command.opaque(_unknown(name))
        return
    if command.words[used + 1 :] in (["--help"], ["--version"]) and not spec.wraps:
        command.out = None
        return
    options = sort(command.words[used + 1 :], spec)
    if spec.by:
        judge_named(spec.by)(command, spec, options)
    else:
        apply(command, spec, options)


def _located(command: Command, name: str) -> str | None:
    """The name of a program given by path, or None after judging the file as one to run."""
    targets = command.targets(name)
    path = targets[0].path if len(targets) == 1 and targets[0].exact else ""
    if not targets[0].inside and _FOLDERS.fullmatch(path):
        return path.rsplit("/", 1)[-1]
    if targets[0].inside and path:
        base = path.rsplit("/", 1)[-1]
        if base in _WRAPPERS:
            command.runner.executed[path] = None
            return _WRAPPERS[base]
        installed = _INSTALLED.fullmatch(path)
        if installed and installed[1] in tables.load():
            command.runner.executed[path] = None
            command.project()
            return installed[1]
    command.script(name)
    for word in command.words[1:]:
        command.look(word)
    return None


def _unknown(name: str) -> str:
    odd = [char_name(c) for c in dict.fromkeys(name) if not c.isascii()]
    if odd:
        return f"what the program {shown(name)} does; its name holds {', '.join(odd)}"
    return f"what the program {name} does"
