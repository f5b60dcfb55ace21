"""Package managers: scripts of the project run, tools from the registry are fetched first."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate import tables
from workbench.shell.gate.apply import always, lookup, operands, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options, sort
from workbench.shell.gate.roles import config
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.telling import telling
from workbench.shell.gate.values import shown, static

_SCRIPTS = frozenset(["run", "run-script", "rum", "urn", "test", "t", "tst", "start", "stop", "restart", "exec-script"])
_RISKY = re.compile(
    r"--(?:script-shell|node-options|shell|prefix|userconfig|globalconfig|registry|init-module|onload-script|cwd|pnpmfile|global-pnpmfile)\b|--nodeOptions"
)


def scripts(command: Command, spec: Spec, options: Options) -> None:
    """`npm run name` and the short forms of it; what is no known subcommand may be a script of the project."""
    settings(command, spec, Options(used=options.used, unknown=[]))
    words = command.words[1:]
    own = words[: words.index("--")] if "--" in words else words
    for word in own:
        if _RISKY.match(word):
            command.opaque(f"what the option {shown(word.partition('=')[0])} makes run")
    plain = _plain(words, spec)
    if not plain:
        if not options.has("-v", "--version", "-h", "--help"):
            command.opaque(f"what {spec.name} does without a subcommand")
        return
    first = plain[0]
    found, used = lookup(spec.name, plain)
    if found is not None and used:
        _other(command, found, plain[used:])
    elif first in _SCRIPTS:
        name = plain[1] if first.startswith(("run", "rum", "urn")) and len(plain) > 1 else first
        _script(command, name)
    elif spec.name in ("yarn", "pnpm", "bun") and not first.startswith("-") and re.fullmatch(r"[\w:.-]+", first):
        if first in tables.load() and not telling(first):
            command.out = command.runner.run_words(plain, command.scope, command.stdin)
        else:
            _script(command, first)
    else:
        command.opaque(f"what {spec.name} {shown(first)} does")


def _plain(words: list[str], spec: Spec) -> list[str]:
    """The words from the subcommand on."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        takes = words[at] in spec.options and spec.options[words[at]][0] == "values"
        at += 2 if takes else 1
    return words[at:]


def _other(command: Command, found: Spec, rest: list[str]) -> None:
    """A subcommand that the tables know, behind options."""
    options = sort(rest, found)
    if found.by == "packages.runners":
        runners(command, found, options)
        return
    settings(command, found, options)
    always(command, found)
    operands(command, found, options.operands)


def _script(command: Command, name: str) -> None:
    """A script of `package.json`: its name tells whether it reaches out or takes away."""
    if telling(name) or not static(name):
        command.opaque(f"what the script {shown(name)} does, going by its name")
    command.project()


def runners(command: Command, spec: Spec, options: Options) -> None:
    """`npx tool`: one that the tables know is taken to be the project's own, others are fetched and run."""
    offline = options.has("--no-install", "--no", "--offline")
    options.unknown = [n for n in options.unknown if n not in ("--no-install",)]
    settings(command, spec, options)
    if any(u.name in ("-c", "--call") for u in options.used):
        return
    words = options.operands
    if not words:
        command.opaque(f"what {spec.name} runs")
        return
    name = re.sub(r"(?<=.)@[^/]*$", "", words[0])
    fetched = spec.name.split(" ")[-1] == "dlx" or spec.name.startswith(("uvx", "pipx", "uv tool"))
    known, _ = lookup(name, words[1:])
    if known is None or fetched or name != words[0] or options.has("-y", "--yes"):
        if not (offline and known is None and static(name)):
            command.outward(Verb.NET_READ, "", "fetches a tool")
        command.opaque(f"what {shown(words[0])} does, which it may fetch first")
        return
    command.out = command.runner.run_words([name, *words[1:]], command.scope, command.stdin)


def pip(command: Command, spec: Spec, options: Options) -> None:
    """Without the network only the project's own code is set up."""
    settings(command, spec, options)
    for word in options.operands:
        if "/" in word or word.startswith("."):
            config(command, word)
    if not (options.has("--no-index") and (options.has("-e", "--editable") or options.operands)):
        command.outward(Verb.NET_READ, "", "fetches packages")
        command.project("installs packages")
        command.opaque("what the packages do that it installs")
    else:
        command.project("sets up the project")
