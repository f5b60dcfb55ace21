"""What bash does itself: builtins that change the scope, run text, or evaluate subscripts."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.apply import prints, settings
from workbench.shell.gate.command import Command, folders
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import NOTHING, UNKNOWN, of_text
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import ANY, SOME, static, unknown

_NAME = re.compile(r"[A-Za-z_]\w*")
_SAFE_SHOPT = frozenset(
    ["nullglob", "globstar", "failglob", "inherit_errexit", "nocaseglob", "nocasematch", "checkwinsize", "huponexit"]
)
_CALCULATED = re.compile(r"[\[`$]")


def control(command: Command, spec: Spec, options: Options) -> None:
    """`exit` ends the script, `wait -p` sets a variable, the others do nothing here."""
    del options
    words = command.words[1:]
    for at, word in enumerate(words):
        if spec.name == "wait" and re.match(r"-[fn]*p", word):
            _variable(command, word.partition("p")[2] or "".join(words[at + 1 : at + 2]), ANY)
    if spec.name == "exit":
        command.scope.ended = True
    prints(command, spec)


def echo(command: Command, spec: Spec, options: Options) -> None:
    """`echo` and `printf` print their words; `printf -v` gives them to a variable, whose subscript is evaluated."""
    words = command.words[1:]
    if spec.name == "printf":
        if words[:1] == ["--"]:
            words = words[1:]
        if words[:1] and words[0].startswith("-v"):
            joined = words[0][2:]
            name = joined or (words[1] if len(words) > 1 else "")
            _variable(command, name, ANY)
            command.out = NOTHING
            return
        text = (
            words[1]
            if len(words) == 2 and words[0] in ("%s", "%s\\n", "%s\n")
            else words[0]
            if len(words) == 1
            else ANY
        )
        command.out = of_text(_escapes(text) if "%" not in text or len(words) == 2 else ANY)
        return
    del options
    flags = [w for w in words[:1] if re.fullmatch(r"-[neE]+", w)]
    text = " ".join(words[len(flags) :])
    command.out = of_text((_escapes(text) if any("e" in f for f in flags) else text) + "\n")


def _escapes(text: str) -> str:
    """Escapes that `printf` and `echo -e` replace: what they become is unknown, but for line ends."""
    text = text.replace("\\n", "\n")
    return ANY if "\\" in text else text


def _variable(command: Command, name: str, value: str) -> None:
    """A builtin gives a variable a value; a subscript in its name is arithmetic."""
    base = name.partition("[")[0]
    if not _NAME.fullmatch(base) or (base != name and _CALCULATED.search(name[len(base) + 1 :])):
        command.opaque("what a computed variable name evaluates")
        return
    command.runner.assign(base, value, command.scope)


def folder(command: Command, spec: Spec, options: Options) -> None:
    """`cd`, `pushd`, `popd`."""
    settings(command, spec, options)
    scope = command.scope
    words = options.operands
    if "CDPATH" in scope.variables or len(words) > 1:
        scope.enter(None)
    elif spec.name == "popd" or (words and re.fullmatch(r"[+-]\d+", words[0])):
        scope.enter(scope.before)
    elif not words:
        scope.enter(scope.before if spec.name == "pushd" else (scope.home,) if scope.home else None)
    elif words[0] == "-":
        scope.enter(scope.before)
    elif words[0] != "":
        scope.enter(folders(scope, words[0]))
    prints(command, spec)


def declare(command: Command, spec: Spec, options: Options) -> None:
    """`export`, `declare`, `local` …: what is exported reaches programs."""
    exports = spec.name == "export"
    arithmetic = shows = False
    names = []
    for word in command.words[1:]:
        if re.fullmatch(r"[-+][a-zA-Z]+", word):
            exports = exports or (word[0] == "-" and "x" in word)
            arithmetic = arithmetic or "i" in word
            shows = shows or "p" in word
            if (
                word[0] == "-"
                and re.search(r"[nf]", word)
                and not (spec.name in ("declare", "typeset") and set(word) <= set("-fFp"))
            ):
                command.opaque(f"what {spec.name} {word} makes of a name")
        else:
            names.append(word)
    if shows or not names:
        command.effect(Verb.SECRET, "", "the environment")
    for word in names:
        name, given, value = word.partition("=")
        if name.endswith("+"):
            name, value = name[:-1], command.scope.value(name[:-1]) + value
        if arithmetic and _CALCULATED.search(value):
            command.opaque("what arithmetic runs")
        _declare(command, spec, name, value if given else None, exported=exports)
    prints(command, spec)


def _declare(command: Command, spec: Spec, name: str, value: str | None, *, exported: bool) -> None:
    scope = command.scope
    if spec.name == "local":
        scope.local.add(name)
    if value is not None:
        command.runner.assign(name, value, scope, exported=exported)
    elif not _NAME.fullmatch(name):
        command.opaque("what a computed variable name evaluates")
    elif exported and name in scope.variables:
        command.runner.assign(name, scope.value(name), scope, exported=True)
    elif spec.name == "local":
        scope.variables[name] = ""


def unset(command: Command, spec: Spec, options: Options) -> None:
    """A variable or function is gone, so its name means something else again."""
    for word in options.operands:
        if not _NAME.fullmatch(word) or options.has("-f", "-n") or word in command.scope.functions:
            command.opaque("what a name means after unset")
        command.scope.variables[word] = ANY
        command.scope.arrays.pop(word, None)
    prints(command, spec)


def options(command: Command, spec: Spec, options: Options) -> None:
    """`set`: options of the shell, or its arguments."""
    del options
    words = command.words[1:]
    if not words:
        command.effect(Verb.SECRET, "", "the environment")
    for at, word in enumerate(words):
        if word == "--" or not word.startswith(("-", "+")):
            rest = words[at + 1 :] if word == "--" else words[at:]
            command.scope.arguments = None if any(unknown(w) for w in rest) else tuple(rest)
            break
        if word in ("-o", "+o"):
            continue
        if word.lstrip("-+").strip("euxvonfCEhmbBtkHTpP") or re.search(r"^-.*[ak]", word):
            command.opaque(f"what set {word} changes")
    named = {words[i + 1] for i, w in enumerate(words[:-1]) if w.endswith("o") and w[0] in "-+"}
    if named - {
        "pipefail",
        "errexit",
        "nounset",
        "xtrace",
        "verbose",
        "noclobber",
        "noglob",
        "errtrace",
        "functrace",
        "noexec",
        "monitor",
    }:
        command.opaque("what set -o changes")
    prints(command, spec)


def shift(command: Command, spec: Spec, options: Options) -> None:
    """`shift`, `getopts`: the arguments move, a variable is set."""
    command.scope.arguments = None
    if spec.name == "getopts":
        for word in [*options.operands[1:2], "OPTARG"]:
            _variable(command, word, ANY)
    prints(command, spec)


def reading(command: Command, spec: Spec, options: Options) -> None:
    """`read` and `mapfile`: variables get what flows in."""
    del options
    todo = list(command.words[1:])
    names: list[str] = []
    while todo:
        word = todo.pop(0)
        if word.startswith("-") and len(word) > 1 and not names:
            _reading_option(command, spec, word, todo, names)
        else:
            names.append(word)
    one = len(names) == 1 and spec.name == "read"
    line = command.stdin.lines if one and not unknown(command.stdin.lines) else ANY
    if command.stdin.known is not None and "\n" in command.stdin.known.rstrip("\n"):
        line = ANY
    for name in names or (["REPLY"] if spec.name == "read" else ["MAPFILE"]):
        _variable(command, name, line)
        command.scope.arrays.pop(name, None)
    prints(command, spec)


def _reading_option(command: Command, spec: Spec, word: str, todo: list[str], names: list[str]) -> None:
    for at, letter in enumerate(word[1:], 1):
        if letter in "rsetE" and spec.name == "read" and letter != "t":
            continue
        if letter == "t" and spec.name != "read":
            continue
        value = word[at + 1 :] or (todo.pop(0) if todo else "")
        if letter == "a" and spec.name == "read":
            names.append(value)
        elif letter not in "dnNptucCOsi" or letter in "C":
            command.opaque(f"what the option -{letter} of {spec.name} runs")
        return


def evaluate(command: Command, spec: Spec, options: Options) -> None:
    """`eval` runs its words as a script; `let` calculates with them."""
    del options
    words = command.words[1:]
    if spec.name == "let":
        for word in words:
            name = re.match(r"[A-Za-z_]\w*(?=\s*[-+*/%&|^]?=)|[A-Za-z_]\w*(?=\+\+|--)", word)
            if _CALCULATED.search(word) or not static(word):
                command.opaque("what arithmetic runs")
            elif name:
                command.runner.assign(name[0], SOME, command.scope)
        return
    text = " ".join(words[1:] if words[:1] == ["--"] else words)
    if static(text):
        command.out = command.runner.run_text(text, command.scope, command.stdin)
    else:
        command.code(text)


def source(command: Command, spec: Spec, options: Options) -> None:
    """A file is run in this shell: an environment's `activate` may, others change what every later word means."""
    words = options.operands or command.words[1:]
    if not words:
        return
    if words[0] in command.runner.pipes and command.runner.pipes[words[0]].known is not None:
        command.out = command.runner.run_text(command.runner.pipes[words[0]].known or "", command.scope, command.stdin)
        return
    command.script(words[0])
    if not re.search(r"(?:^|/)bin/activate$", words[0]):
        command.opaque("what later words mean after it")
    del spec


def trap(command: Command, spec: Spec, options: Options) -> None:
    """What is to run later is looked at now."""
    settings(command, spec, options)
    words = options.operands
    if len(words) > 1 and words[0] not in ("-", ""):
        if static(words[0]):
            command.runner.run_text(words[0], command.scope.fork(), UNKNOWN)
        else:
            command.code(words[0])


def naming(command: Command, spec: Spec, options: Options) -> None:
    """Builtins that change what names mean; without a name they only list."""
    del options
    words = command.words[1:]
    if not words or words in (["-p"], ["-r"], ["-l"], ["-a"]):
        return
    if spec.name in ("caller", "history") and all(w.isdigit() for w in words):
        return
    if spec.name == "unalias":
        return
    command.opaque(f"what names mean after {spec.name}")


def shopt(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    if options.has("-s", "-u") and not set(options.operands) <= _SAFE_SHOPT:
        command.opaque("what shopt changes")


def builtin(command: Command, spec: Spec, options: Options) -> None:
    """`command` and `builtin` skip functions, `time` does not; all run in this shell."""
    settings(command, spec, options)
    if options.operands:
        command.out = command.runner.run_words(
            options.operands, command.scope, command.stdin, here=True, functions=spec.name == "time"
        )
