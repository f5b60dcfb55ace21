"""sed, awk and jq: small languages that can write files, run programs and read the environment."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.apply import settings
from workbench.shell.gate.awk import Awk
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options, sort
from workbench.shell.gate.sed import script_of
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import SOME, static

_ENVIRONMENT = re.compile(r"(?<![\w.$])(?:env\b|\$ENV\b|\$__prog_args)|\$ENV\b|\b(?:import|include)\b")
_PAIRS = ("--arg", "--argjson", "--slurpfile", "--rawfile")


def _known(program: str) -> str | None:
    """A program text in which only names and numbers are unknown, with those made one; None when more is unknown."""
    known = program.replace(SOME, "1")
    return known if static(known) else None


def sed(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    scripts = [u.value or "" for u in options.used if u.name in ("-e", "--expression")]
    files = options.operands
    if not scripts and not options.has("-f", "--file"):
        scripts, files = files[:1], files[1:]
    program = _known("\n".join(scripts))
    if program is None:
        command.opaque("what the sed script does, which is put together when it runs")
    else:
        script_of(command, program)
    suffix = options.value("-i", "--in-place")
    if suffix and ("/" in suffix or not static(suffix)):
        command.opaque("where sed keeps its copies")
    for word in files:
        if options.has("-i", "--in-place"):
            command.write(word)
        else:
            command.read(word)
    if not files and not options.has("-i", "--in-place"):
        command.out = Stream(None, command.stdin.lines) if program is not None and "s" not in program else None


def awk(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    words = options.operands
    if not options.has("-f", "--file", "-E", "--exec", "-e", "--source"):
        program = _known(words[0]) if words else ""
        words = words[1:]
        if program is None:
            command.opaque("what the awk program does, which is put together when it runs")
        else:
            Awk(command, program).judge()
    for word in words:
        if not re.match(r"[A-Za-z_]\w*=", word):
            command.read(word)


def jq(command: Command, spec: Spec, options: Options) -> None:
    """Pairs of a name and a value or file come before the options are sorted."""
    words: list[str] = []
    todo = list(command.words[1:])
    while todo:
        word = todo.pop(0)
        if word in _PAIRS:
            pair, todo = todo[:2], todo[2:]
            if word.endswith("file"):
                for path in pair[1:]:
                    command.read(path)
        elif word in ("--args", "--jsonargs"):
            todo = todo[:1]
        else:
            words.append(word)
    options = sort(words, spec)
    settings(command, spec, options)
    files = options.operands
    if not options.has("-f", "--from-file"):
        program, files = "".join(files[:1]), files[1:]
        if not static(program.replace(SOME, "1")) or _ENVIRONMENT.search(program):
            command.effect(Verb.SECRET, "", "the environment or another file")
    for word in files:
        command.read(word)
