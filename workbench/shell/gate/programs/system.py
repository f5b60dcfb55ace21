"""The machine and its processes: looking is free, changing is not."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.apply import always, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.lists import table
from workbench.shell.gate.options import Options
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import shown, static

_CHANGES = re.compile(
    r"add|append|attach|change|del|delete|down|edit|exec|flush|link-to|monitor|replace|restore|save|set\S*|up"
)
"""words by which `ip` changes something"""


_HELP = frozenset(["--version", "--help"])


def service(command: Command, spec: Spec, options: Options) -> None:
    """Services, networks, schedules: only what plainly looks is let through."""
    words = command.words[1:]
    if spec.name == "crontab":
        settings(command, spec, options)
        if not options.has("-l") and not options.has("-e", "-r", "-i"):
            command.effect(Verb.PERSIST, shown(" ".join(options.operands)), "replaces the scheduled jobs")
        return
    plain = [w for w in words if not w.startswith("-")]
    if words in (["--version"], ["--help"]):
        return
    if (
        spec.name == "ip"
        and plain
        and not any(_CHANGES.fullmatch(w) for w in plain)
        and re.fullmatch(r"a(?:ddr\w*)?|l(?:ink)?|r(?:oute)?|n(?:eigh\w*)?|rule|maddr", plain[0])
    ):
        return
    if spec.name != "ip" and plain and _looks(plain, spec):
        return
    command.effect(Verb.PRIV, "", "changes services of the machine")


def _looks(plain: list[str], spec: Spec) -> bool:
    verb = plain[1] if spec.name in ("service", "rc-service") and len(plain) > 1 else plain[0]
    return (
        re.fullmatch(
            r"status|show\S*|list\S*|is-\w+|cat|get-\w+|print|timesync-status|jlist|prettylist|describe|info|logs", verb
        )
        is not None
    )


def wiping(command: Command, spec: Spec, options: Options) -> None:
    """Making a file system or clearing a disk takes all that was there."""
    del options
    device = next((w for w in command.words[1:] if w.startswith("/dev/")), "")
    command.effect(Verb.PRIV, device, f"{spec.name} clears what it is given", "wipe")


def keys(command: Command, spec: Spec, options: Options) -> None:
    """Programs that handle keys: a few of their subcommands touch none."""
    del options
    words = command.words[1:]
    if words and words[0] in table("keyless_subcommands").get(spec.name, _HELP):
        return
    always(command, spec)
    for word in words:
        if not word.startswith("-"):
            for target in command.targets(word):
                for effect in target.effects("read"):
                    if effect.verb == Verb.SECRET:
                        command.effect(Verb.SECRET, effect.target)


def kill(command: Command, spec: Spec, options: Options) -> None:
    """Jobs of this shell may be ended; other processes ask, all of them at once are denied."""
    del options
    words = command.words[1:]
    if spec.name == "xkill":
        command.effect(Verb.KILL, "", "the window that is clicked")
    if not words or words[0] in ("-l", "-L", "--list", "--table") or words in (["--version"], ["--help"]):
        return
    if spec.name != "kill":
        for word in [w for w in words if not w.startswith("-")] or [""]:
            command.effect(Verb.KILL, word, "processes by name")
        return
    targets = _after_signal(words)
    for word in targets:
        if word.startswith("%"):
            continue
        command.effect(Verb.KILL, word, "", "kill_all" if word in ("-1", "0", "1") and word != "0" else "")
    if not targets:
        command.opaque("which processes are ended")


def _after_signal(words: list[str]) -> list[str]:
    """The processes: a first word with a dash is the signal."""
    if words[0] in ("-s", "-n", "--signal"):
        return words[2:]
    if words[0] == "--":
        return words[1:]
    if words[0].startswith("-") and len(words) > 1:
        return words[2:] if words[1] == "--" else words[1:]
    return words


def sysctl(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    for word in options.operands:
        if "=" in word or not static(word):
            command.effect(Verb.PRIV, word, "changes the kernel")


def inspect(command: Command, spec: Spec, options: Options) -> None:
    """Programs that look into files; a value that names an output is one."""
    del spec
    for used in options.used:
        if used.name in ("-o", "--output", "--out") and used.value:
            command.write(used.value)
        elif used.value:
            command.read(used.value)
    for word in options.operands:
        command.read(word)
