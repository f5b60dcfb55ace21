"""Builds, tests, linters: the workspace's own code in the sandbox, unless code or settings come from elsewhere."""

import re

from workbench.shell.gate.apply import always, operands, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.programs.languages import module_named
from workbench.shell.gate.roles import config, task
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import may_be_option, shown

_REACHING = re.compile(
    r"^-[eE]$|exec|eval|command|cmd|shell|hook|launcher|wrapper|preload|inject|editor|opener|pager|publish|upload|deploy|"
    r"webhook|run_under|remote",
    re.IGNORECASE,
)
"""names of options that make a tool run or reach something else"""
_ALIASES = dict.fromkeys(("rails", "bin/rails"), frozenset(["c", "db", "r", "d", "destroy"]))
"""short names of such targets"""


def project(command: Command, spec: Spec, options: Options) -> None:
    """Code of the workspace runs; a path among the operands must be in it."""
    if spec.name in ("pytest", "py.test"):
        _pytest(command, options)
    _settings(command, spec, options)
    if spec.wraps:
        operands(command, spec, options.operands)
    else:
        for word in options.operands:
            if spec.name == "go run" and "@" in word:
                command.opaque(f"what {shown(word)} does, which it fetches first")
            _path(command, word)
    always(command, spec)
    command.project()


def _settings(command: Command, spec: Spec, options: Options) -> None:
    """The options of a tool that runs the workspace's code anyway: unlisted ones may not run or reach anything else."""
    for word in command.words[1:]:
        name = word.partition("=")[0]
        if word.startswith("-") and spec.any_option and name not in spec.options and _REACHING.search(name):
            command.opaque(f"what the option {shown(name)} of {spec.name} makes run")
    for used in options.used:
        if used.name not in spec.options and used.value is not None:
            used.role = ""
            _path(command, used.value)
    settings(command, spec, options)


def _pytest(command: Command, options: Options) -> None:
    """`-p no:name` takes a plugin away, `-p name` loads one; `-o` sets anything."""
    kept = []
    todo = list(command.words[1:])
    for at, word in enumerate(todo):
        value = todo[at + 1] if word in ("-p", "-o") and at + 1 < len(todo) else word[2:]
        if word.startswith("-p") and not value.startswith("no:"):
            command.opaque(f"what the plugin {shown(value)} does")
        elif word.startswith("-o"):
            command.opaque(f"what the setting {shown(value)} does")
        elif word.startswith("-p"):
            kept.append(value)
    options.unknown = [n for n in options.unknown if n not in ("-p", "-o")]
    options.operands = [w for w in options.operands if w not in kept]


def _path(command: Command, word: str) -> None:
    """An operand that looks like a path, or is one, must lie in the workspace."""
    if word == "-" or ("=" in word and "/" not in word):
        return
    if word.startswith("{"):
        command.opaque(f"what the setting {shown(word)} makes run")
        return
    if may_be_option(word):
        command.opaque("which files are taken for code")
        return
    if "/" in word or "." in word or word.startswith("~"):
        config(command, word.split("::")[0])


def targets(command: Command, spec: Spec, options: Options) -> None:
    """Task runners: their targets, and what they run the workspace's code with."""
    _settings(command, spec, options)
    for word in options.operands:
        if word in _ALIASES.get(spec.name, ()):
            command.opaque(f"what {shown(word)} starts")
        task(command, word)
    always(command, spec)
    command.project()


def after_dashes(command: Command, spec: Spec, options: Options) -> None:
    """cargo hands what follows `--` to the program that it runs."""
    words = command.words
    if "--" in words:
        count = len(words) - words.index("--") - 1
        options.operands = options.operands[: len(options.operands) - count] if count else options.operands
    settings(command, spec, options)
    command.project()


def module(command: Command, spec: Spec, options: Options) -> None:
    """`coverage run -m name`."""
    settings(command, spec, options)
    words = command.words[1:]
    if words[:1] == ["run"]:
        if "-m" in words:
            at = words.index("-m")
            module_named(command, words[at + 1] if at + 1 < len(words) else "", words[at + 2 :])
        else:
            for used in options.operands[1:2]:
                command.script(used)
    command.project()
