"""Shells and languages: a script in the command, a file, or what flows in."""

import re

from workbench.shell.gate.apply import lookup, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.lists import table
from workbench.shell.gate.options import Options
from workbench.shell.gate.roles import config
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.telling import telling
from workbench.shell.gate.values import FETCHED, shown, static

_MANAGE = re.compile(
    r"flush|sqlflush|reset_db|dropdb|migrate|loaddata|dumpdata|shell|shell_plus|dbshell|createsuperuser|changepassword|sendtestemail|runserver|clearsessions|remove_\w+|"
    r"delete_\w+|clean\w*|sync\w*|send\w*|deploy\w*|publish\w*|collectstatic|compress|import_\w+|reset\w*"
)
"""management commands that do more than check, test or show"""


def shell(command: Command, spec: Spec, options: Options) -> None:
    """`bash -c text`, `bash file`, or what flows in."""
    words = command.words[1:]
    if spec.name == "script":
        settings(command, spec, options)
        if not options.has("-c", "--command"):
            command.opaque("what is typed into the shell it starts")
        for word in options.operands:
            command.write(word)
        return
    text = _inline(words)
    if text is not None:
        command.opaque(f"what the option {shown(words[0])} of {spec.name} does") if words[0].startswith("--") else None
        _run(command, text[0], text[1:])
        return
    settings(command, spec, options)
    if options.has("-i"):
        command.opaque("what an interactive shell reads first")
    if options.operands and not options.has("-s"):
        if options.has("-n"):
            command.read(options.operands[0])
            return
        command.script(options.operands[0])
        for word in options.operands[1:]:
            command.look(word)
    elif not options.has("--version", "--help"):
        known = command.stdin.known
        if known is not None and not options.has("-i"):
            _run(command, known, options.operands)
        else:
            command.piped(command.stdin)


def _inline(words: list[str]) -> list[str] | None:
    """The script after `-c` and the arguments that follow it."""
    at = 0
    while at < len(words) and re.fullmatch(r"[-+][a-zA-Z]+|--(?:login|norc|noprofile|posix)", words[at]):
        if words[at] in ("-o", "+o", "-O", "+O"):
            at += 2
            continue
        at += 1
        if words[at - 1][0] == "-" and not words[at - 1].startswith("--") and "c" in words[at - 1]:
            while at < len(words) and re.fullmatch(r"[-+][a-zA-Z]+", words[at]):
                at += 2 if words[at] in ("-o", "+o", "-O", "+O") else 1
            return words[at:] or None
    return None


def _run(command: Command, text: str, arguments: list[str]) -> None:
    """A script in a shell of its own: of this one's variables it may know any or none."""
    if not static(text):
        command.opaque("a script that is put together when it runs", "download_run" if FETCHED in text else "")
        return
    inner = command.scope.fork()
    inner.variables, inner.arrays, inner.functions = {}, {}, {}
    inner.arguments = tuple(arguments[1:])
    command.out = command.runner.run_text(text, inner, command.stdin)


def python(command: Command, spec: Spec, options: Options) -> None:
    """`-c` code, `-m` module, a file, or what flows in."""
    words = command.words[1:]
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        found = re.match(r"-[bBdEhiIOPqsSuvVx3]*([cm])(.*)", word, re.DOTALL) if not word.startswith("--") else None
        if found:
            rest = [found[2]] if found[2] else words[at + 1 : at + 2]
            after = words[at + 1 :] if found[2] else words[at + 2 :]
            if found[1] == "c":
                command.code("".join(rest))
            else:
                module_named(command, rest[0] if rest else "", after)
            return
        at += 2 if word in ("-W", "-X", "--check-hash-based-pycs") else 1
    settings(command, spec, options)
    if options.has("-i"):
        command.opaque("what an interactive interpreter is told")
    rest = options.operands
    if not rest:
        if not options.has("-V", "--version", "-h", "--help", "-VV"):
            command.piped(command.stdin)
        return
    if rest[0].rsplit("/", 1)[-1] == "setup.py":
        _setup(command, rest)
        return
    command.script(rest[0])
    if (
        rest[0].rsplit("/", 1)[-1] == "manage.py"
        and len(rest) > 1
        and (_MANAGE.fullmatch(rest[1]) or not static(rest[1]))
    ):
        command.opaque(f"what the management command {shown(rest[1])} changes")
    for word in rest[1:]:
        command.look(word)


def _setup(command: Command, rest: list[str]) -> None:
    """The commands of a `setup.py`; what installs or uploads is called so."""
    for word in rest[1:]:
        if telling(word) or word == "develop" or not static(word):
            command.opaque(f"what setup.py {shown(word)} changes")
    command.project()


def module_named(command: Command, name: str, words: list[str]) -> None:
    """`python -m name`: a known module, or the program of that name."""
    role = next((role for role, names in table("python_modules").items() if name in names), None)
    plain = [w for w in words if not w.startswith("-")]
    match role:
        case "read":
            for word in plain:
                command.read(word)
        case "run":
            command.project()
            for word in plain:
                if "/" in word:
                    config(command, word)
        case "script" if plain:
            command.script(plain[0])
        case "write":
            command.project("makes an environment")
            for word in plain:
                command.write(word)
        case "external":
            command.send(f"python -m {name}")
        case "nothing":
            return
        case None if (found := _module_file(command, name)) is not None:
            command.script(found)
        case None if static(name) and lookup(name, words)[0] is not None:
            command.out = command.runner.run_words([name, *words], command.scope, command.stdin)
        case _:
            command.opaque(f"what the module {shown(name)} does")


def _module_file(command: Command, name: str) -> str | None:
    """The file of the workspace that `python -m name` would run, if there is one."""
    path = name.replace(".", "/")
    for folder in ("", "src/"):
        for ending in (".py", "/__main__.py", "/__init__.py"):
            if re.fullmatch(r"[\w/]+", path) and command.runner.places.there(f"{folder}{path}{ending}", command.scope):
                return f"{folder}{path}{ending}"
    return None


def interpreter(command: Command, spec: Spec, options: Options) -> None:
    """Other languages: the first operand is the script."""
    settings(command, spec, options)
    inline = any(u.role == "code" for u in options.used)
    if inline or options.has(
        "--version",
        "-v",
        "-V",
        "--help",
        "-h",
        "-version",
        "--ini",
        "-i",
        "-m",
        "-help",
        "--showversion",
        "-showversion",
    ):
        return
    words = options.operands
    if options.has("--test"):
        command.project()
        return
    if options.has("--check") or (spec.name == "node" and options.has("-c")):
        return
    if not words or words[0] == "-":
        command.piped(command.stdin)
        return
    if "://" in words[0]:
        command.opaque("what it downloads", "download_run")
        return
    if telling(" ".join(words[1:2])) and words[0].rsplit("/", 1)[-1] in ("artisan", "console", "cli.js", "manage.js"):
        command.opaque(f"what {shown(words[1])} changes")
    command.script(words[0])
    for word in words[1:]:
        command.look(word)
