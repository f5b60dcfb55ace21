"""The roles of the tables that follow from the methods of a command. Each takes the command and one word."""

import re
from collections.abc import Callable

from workbench.policy.call import Verb
from workbench.shell.gate.command import Command
from workbench.shell.gate.telling import telling
from workbench.shell.gate.values import shown, static

Role = Callable[[Command, str], None]

_RISKY_PROPERTY = re.compile(
    r"exec|command|launcher|wrapper|argline|javaagent|jvm|shell|url|repo|class\.?path|agent|script|plugin",
    re.IGNORECASE,
)
_RISKY_VARIABLE = re.compile(
    r".*SHELL.*|CC|CXX|LD|AR|AS|CPP|RM|INSTALL|MAKE|MAKEFLAGS|PATH|PYTHON|NODE|.*FLAGS|.*CMD|.*COMMAND|.*PREFIX|DESTDIR|"
    r".*WRAPPER|.*_?PROGRAM|.*EXE|.*BIN"
)
_REACHING_TARGET = re.compile(
    r"(?:^|:)(?:publish|deploy|release|upload|install|exec|site-deploy|wrapper|push|promote)", re.IGNORECASE
)
_INTERACTIVE = re.compile(r"\b(?:runner|console|dbconsole|shell|tinker|exec|eval|cmd|repl)\b")


def config(command: Command, word: str) -> None:
    """A file or folder that decides what else is run; one of the workspace may."""
    if word in ("", "/dev/null"):
        return
    if word.startswith(("{", "[")):
        command.opaque(f"what the setting {shown(word)} makes run")
        return
    for target in command.targets(word):
        if target.inside:
            command.touch(target, "read")
        else:
            command.opaque(f"what {shown(word)} configures, which is not in the workspace")


def source(command: Command, word: str) -> None:
    """A file that is compiled; `@file` holds further options."""
    if word.startswith("@"):
        command.opaque(f"what the options in {shown(word[1:])} do")
    else:
        command.read(word)


def upload(command: Command, word: str) -> None:
    """A text or, after `@`, a file is sent."""
    command.outward(Verb.EXTERNAL, "", "sends data")
    if word.startswith("@"):
        before = len(command.effects)
        command.read(word[1:])
        if any(e.verb == Verb.SECRET for e in command.effects[before:]):
            command.effect(Verb.EXTERNAL, shown(word[1:]), "a credential", "exfiltrate")


def assign(command: Command, word: str) -> None:
    """`NAME=VALUE` for the program that follows."""
    name, _, value = word.partition("=")
    command.runner.assign(name, value, command.scope.fork(), exported=True)


def variable(command: Command, word: str) -> None:
    """`NAME=VALUE` for a build: it may choose the shell or the compiler."""
    name, _, value = word.partition("=")
    if _RISKY_VARIABLE.fullmatch(name.rstrip(":+?")) or not static(word) or re.search(r"[$`]", value):
        command.opaque(f"what {shown(word)} makes run")


def prop(command: Command, word: str) -> None:
    """`name=value` for a build: it may choose a program, or a place outside."""
    name, _, value = word.partition("=")
    if _RISKY_PROPERTY.search(name) or not static(word):
        command.opaque(f"what the property {shown(word)} makes run")
    elif value.startswith(("/", "~", "..")):
        config(command, value)


def task(command: Command, word: str) -> None:
    """A target of a build: what it is called tells whether it reaches out or takes away."""
    if re.match(r"[A-Za-z_]\w*[:+?]?=", word):
        variable(command, word)
    elif telling(word) or not static(word) or _INTERACTIVE.search(word) or _REACHING_TARGET.search(word):
        command.opaque(f"what {shown(word)} does, going by its name")


def warning(command: Command, word: str) -> None:
    """A filter of Python's warnings imports the module of its category."""
    if "." in "".join(word.split(":")[2:3]) or not static(word):
        command.opaque(f"what the warning filter {shown(word)} imports")


def processes(command: Command, word: str) -> None:
    """A word of `ps` without a dash: the letter `e` shows environments."""
    if re.fullmatch(r"[a-zA-Z]*e[a-zA-Z]*", word):
        command.effect(Verb.SECRET, "", "the environment of other processes")


def pager(command: Command, word: str) -> None:
    """A program that shows output: only those that do nothing else."""
    if word not in ("", "cat", "never", "false", "less", "more"):
        command.opaque(f"what {shown(word)} does")


def plus(command: Command, word: str) -> None:
    """An operand that must start with `+`."""
    if not word.startswith("+"):
        none(command, word)


def none(command: Command, word: str) -> None:
    """No such operand is expected."""
    command.opaque(f"what the operand {shown(word)} does")


def text(command: Command, word: str) -> None:
    """A word that means nothing to the gate."""


ROLES: dict[str, Role] = {
    "assign": assign,
    "config": config,
    "none": none,
    "number": text,
    "pager": pager,
    "plus": plus,
    "processes": processes,
    "property": prop,
    "source": source,
    "task": task,
    "text": text,
    "upload": upload,
    "variable": variable,
    "warning": warning,
}
