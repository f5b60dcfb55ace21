"""Programs that run others, where the table's roles are not enough."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate import variables
from workbench.shell.gate.apply import apply, operands, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import UNKNOWN, Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import ANY, MANY, shown, static, unknown, word_set

_FLAGS = re.compile(r"-[0rtxpo]+|--(?:null|no-run-if-empty|verbose|exit|interactive|open-tty|show-limits|help|version)")
_VALUES = word_set(
    """
    -n -P -L -s -d -E -J -R -S --max-args --max-procs --max-lines --max-chars --delimiter --eof --process-slot-var
    """
)
_REPLACE = re.compile(r"-I|--replace|-i")


def environment(command: Command, spec: Spec, options: Options) -> None:
    """`env` and `printenv`: without a program they show the environment."""
    settings(command, spec, options)
    if spec.name == "printenv":
        if not options.operands or any(variables.secret(w) or not static(w) for w in options.operands):
            command.effect(Verb.SECRET, "", "the environment")
        return
    words = options.operands
    lead = next((i for i, w in enumerate(words) if "=" not in w), len(words))
    if lead == len(words):
        command.effect(Verb.SECRET, "", "the environment")
    operands(command, spec, words)


def xargs(command: Command, spec: Spec, options: Options) -> None:
    """The program gets words that it reads, one of which may be anything."""
    del spec, options
    todo = list(command.words[1:])
    mark: str | None = None
    while todo and todo[0].startswith("-"):
        word = todo.pop(0)
        name, given, value = word.partition("=")
        if name in _VALUES or (re.fullmatch(r"-[nPLsdE].+", word) and not unknown(word)):
            todo = todo if given or name not in _VALUES else todo[1:]
        elif _REPLACE.match(word):
            mark, todo = _mark(word, name, value, todo)
        elif word.startswith("-a") or name == "--arg-file":
            path = value if given else word[2:] or (todo.pop(0) if todo else "")
            command.read(path)
            command.stdin = Stream(None, ANY)
        elif not _FLAGS.fullmatch(word):
            command.opaque(f"what the option {shown(word)} of xargs does")
    _run_with(command, todo, mark)


def _mark(word: str, name: str, value: str, todo: list[str]) -> tuple[str, list[str]]:
    """The text that xargs replaces, and the words that remain."""
    if word == "-I" and todo:
        return todo[0], todo[1:]
    if name == "--replace" or word == "-i":
        return value or "{}", todo
    return word[2:], todo


def _run_with(command: Command, todo: list[str], mark: str | None) -> None:
    """Run the program with one line of what flows in; alone it is echo."""
    if not todo:
        command.out = command.stdin
        return
    known = command.stdin.known
    if mark is not None:
        given = known.strip() if known is not None and "\n" not in known.strip() else command.stdin.lines
        given = given.replace(MANY, ANY)
        words = [word.replace(mark, given) for word in todo]
    elif known is not None and not re.search(r"[\\'\"]", known):
        words = [*todo, *known.split()[:50]]
    else:
        given = command.stdin.lines
        words = [*todo, given.replace(ANY, MANY) if unknown(given) else given]
    command.out = command.runner.run_words(words, command.scope, Stream("", ""))


def parallel(command: Command, spec: Spec, options: Options) -> None:
    """GNU parallel runs a template through a shell, once for each input."""
    del spec, options
    words = command.words[1:]
    cut = next((i for i, w in enumerate(words) if w in (":::", "::::", ":::+", "::::+")), len(words))
    template = words[:cut]
    while template and re.fullmatch(r"-j\d*|-[kqu0]|--jobs=\d+|--keep-order|--halt=.*|--bar|--will-cite", template[0]):
        template = template[2:] if template[0] == "-j" else template[1:]
    if not template or template[0].startswith("-"):
        command.opaque("what parallel runs")
        return
    text, count = re.subn(r"\{[^{}]*\}", "$PARALLEL", " ".join(template))
    command.runner.run_text(text if count else f"{text} $PARALLEL", command.scope.fork(), UNKNOWN)
    command.opaque("what parallel adds to its template")


def join(command: Command, spec: Spec, options: Options) -> None:
    """`watch` gives its words, joined, to a shell."""
    settings(command, spec, options)
    if options.operands:
        command.run(" ".join(options.operands))


def flock(command: Command, spec: Spec, options: Options) -> None:
    """A lock, then a program or, after `-c`, a script."""
    words = options.operands
    for at, word in enumerate(words):
        if word in ("-c", "--command"):
            settings(command, spec, options)
            for place in words[:at]:
                command.write(place)
            for text in words[at + 1 :]:
                command.run(text)
            return
    apply(command, spec, options)


def multicall(command: Command, spec: Spec, options: Options) -> None:
    """`busybox rm` is `rm`."""
    del spec, options
    if command.words[1:]:
        command.out = command.runner.run_words(command.words[1:], command.scope, command.stdin)


def screen(command: Command, spec: Spec, options: Options) -> None:
    """A pager can start a shell, but not without a terminal; its options can do more."""
    settings(command, spec, options)
    for word in options.operands:
        if word.startswith("+"):
            command.opaque(f"what the pager does at {shown(word)}")
        command.read(word)
    command.out = Stream(None, command.stdin.lines)
