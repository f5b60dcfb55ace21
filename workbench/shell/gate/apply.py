"""Judging a command by its table: options and operands in their roles, effects in any case, what it prints."""

from workbench.policy.call import Verb
from workbench.shell.gate import tables
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.roles import ROLES
from workbench.shell.gate.stream import NOTHING, Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import BENEATH, MANY, SOME, shown

MAX_SUBCOMMANDS = 3
"""words of a name in the tables, besides the program"""


def lookup(name: str, words: list[str]) -> tuple[Spec | None, int]:
    """The entry of the longest known command, and how many of `words` belong to its name."""
    known = tables.load()
    found, used = known.get(name), 0
    key = name
    for count, word in enumerate(words[:MAX_SUBCOMMANDS], 1):
        key = f"{key} {word}"
        if key in known:
            found, used = known[key], count
        elif word.startswith("-"):
            break
    return found, used


def apply(command: Command, spec: Spec, options: Options) -> None:
    """Judge by the table alone."""
    settings(command, spec, options)
    always(command, spec)
    operands(command, spec, options.operands)
    prints(command, spec)


def settings(command: Command, spec: Spec, options: Options) -> None:
    """Judge the options."""
    for used in options.used:
        if used.role == "cwd" and used.value:
            command.cwd(used.value)
    for name in options.unknown:
        command.opaque(f"what the option {shown(name)} of {spec.name} does")
    if options.unsure and not spec.any_option:
        command.opaque(f"whether a word of {spec.name} is an option")
    for used in options.used:
        play(command, used.role, used.value, used.name)


def always(command: Command, spec: Spec) -> None:
    """The effects that the program has in any case."""
    for verb in spec.effects:
        if verb in (Verb.EXTERNAL, Verb.NET_READ):
            command.outward(verb, "", spec.why)
        elif verb == Verb.WRITE_WS:
            command.here(spec.why)
        else:
            command.effect(verb, "", spec.why)


def play(command: Command, role: str, value: str | None, option: str = "") -> None:
    """One word in its role; a verb as a role is an effect."""
    if not role or role == "cwd":
        return
    if role == "opaque":
        command.opaque(f"what {shown(value)} does" if value else f"what the option {option} does")
        return
    simple = ROLES.get(role)
    if simple is not None:
        if value is not None:
            simple(command, value)
        return
    judge = getattr(command, role, None)
    if judge is not None and value is not None:
        judge(value)
    elif role in tables.VERBS:
        command.effect(tables.VERBS[role], shown(value or ""), f"the option {option}" if option else "")


def operands(command: Command, spec: Spec, words: list[str]) -> None:
    """Give each operand its role."""
    roles = spec.operands
    star = next((i for i, role in enumerate(roles) if role.endswith("*")), None)
    head = roles if star is None else roles[:star]
    tail = () if star is None else roles[star + 1 :]
    if any(MANY in word for word in words) and len(set(roles)) > 1:
        for role in {r.rstrip("*") for r in roles} - {"program"}:
            for word in words:
                play(command, role, word)
        head, tail, words = (), (), []
    for role, word in zip(head, words, strict=False):
        if role == "program":
            _program(command, words[head.index(role) :])
            return
        play(command, role, word)
    rest = words[len(head) :]
    if rest and star is None:
        command.opaque(f"what the operand {shown(rest[0])} of {spec.name} does")
        return
    ends = rest[len(rest) - len(tail) :] if len(rest) >= len(tail) else rest
    if star is not None:
        role = roles[star].rstrip("*")
        middle = rest[: len(rest) - len(ends)]
        if tail[:1] == ("program",):
            lead = next((i for i, w in enumerate(rest) if "=" not in w), len(rest)) if role == "assign" else 0
            middle, ends = rest[:lead], rest[lead:]
        for word in middle:
            play(command, role, word)
    if tail[:1] == ("program",):
        _program(command, ends)
        return
    for role, word in zip(tail, ends, strict=False):
        play(command, role, word)


def _program(command: Command, words: list[str]) -> None:
    """The command that a wrapper runs."""
    if words:
        command.out = command.runner.run_words(words, command.scope, command.stdin)


def prints(command: Command, spec: Spec) -> None:
    """What a command prints, as far as its table knows."""
    if command.out is not None:
        return
    match spec.prints:
        case "token":
            command.out = Stream(None, SOME)
        case "paths":
            command.out = Stream(None, BENEATH)
        case "input":
            command.out = Stream(None, command.stdin.lines)
        case "nothing":
            command.out = NOTHING
