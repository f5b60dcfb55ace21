"""git: settings given on the way, subcommands that read or write by their operands, what reaches other repositories."""

import re
from fnmatch import fnmatchcase

from workbench.policy.call import Verb
from workbench.policy.rules import path_effects
from workbench.shell.gate.apply import always, apply, lookup, prints, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.lists import listed
from workbench.shell.gate.options import Options, sort
from workbench.shell.gate.programs.files import remove
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import ANY, BENEATH, FETCHED, SOME, shown, static, unknown

_TOKENS = re.compile(r"--short|--abbrev-ref|--verify|--symbolic|--is-|--git-|HEAD")


def git(command: Command, spec: Spec, options: Options) -> None:
    """`git` and whatever subcommand follows its own options."""
    if spec.name == "git":
        options = _own(command, spec)
        if not options.operands:
            return
        found, used = lookup("git", options.operands)
        if found is None or used == 0:
            command.opaque(f"what git {shown(options.operands[0])} does")
            return
        rest = options.operands[used:]
        command.words = ["git", *options.operands]
        spec, options = found, sort(rest, found)
        if rest in (["--help"], ["-h"], ["--version"]):
            return
    _subcommand(command, spec, options)


def _own(command: Command, spec: Spec) -> Options:
    """The options before the subcommand."""
    words = command.words[1:]
    cut = 0
    while cut < len(words) and words[cut].startswith("-"):
        takes = words[cut] in spec.options and spec.options[words[cut]][0] == "values"
        cut += 2 if takes else 1
    options = sort(words[:cut], spec)
    options.operands = words[cut:]
    settings(command, spec, options)
    for used in options.used:
        if used.name == "-c" and not any(fnmatchcase(used.value or "", s) for s in listed("git_settings")):
            command.opaque(f"what git does with the setting {shown(used.value or '')}")
    return options


def _subcommand(command: Command, spec: Spec, options: Options) -> None:
    if spec.by == "git.remote":
        remote(command, spec, options)
        return
    if spec.by == "files.remove":
        remove(command, spec, options)
        return
    judge = _SPECIAL.get(spec.name)
    if judge is not None:
        judge(command, spec, options)
    else:
        apply(command, spec, options)
        if spec.name in ("git add", "git stage"):
            _secrets(command, options)
        if not spec.effects and not any(role not in ("text", "text*") for role in spec.operands):
            _reads(command, options)
    if spec.name == "git ls-files" or (options.has("--name-only") and command.out is None):
        command.out = Stream(None, BENEATH)


def _reads(command: Command, options: Options) -> None:
    """Looking at the repository; an operand may be a credential in it, or a path outside."""
    command.names(".")
    for word in options.operands:
        if re.match(r"[/~]|\.\.(?:/|$)", word):
            command.read(word)
    _secrets(command, options)


def _secrets(command: Command, options: Options) -> None:
    """An operand names a credential: what is shown or kept of it goes further than it should."""
    for word in options.operands:
        path = word.rpartition(":")[2] if ":" in word and not word.startswith(":") else word
        if path and static(path) and any(e.verb == Verb.SECRET for e in path_effects(path, "read")):
            for target in command.targets(path):
                command.effect(Verb.SECRET, target.path)


def _rev_parse(command: Command, spec: Spec, options: Options) -> None:
    command.names(".")
    if "--show-toplevel" in command.words:
        top = command.runner.places.repository(command.scope)
        command.out = Stream(None, top or ANY)
    elif any(_TOKENS.search(word) for word in command.words[2:]):
        command.out = Stream(None, SOME if "--abbrev-ref" not in command.words else BENEATH)


def _branch(command: Command, spec: Spec, options: Options) -> None:
    """Without a name it lists; with one it makes a branch."""
    settings(command, spec, options)
    lists = options.has(
        "-l",
        "--list",
        "--show-current",
        "-a",
        "--all",
        "-r",
        "--remotes",
        "--contains",
        "--merged",
        "--no-merged",
        "--points-at",
    )
    changes = any(u.role for u in options.used)
    if not changes and (lists or not options.operands or (spec.name == "git tag" and options.has("-n"))):
        command.names(".")
        if options.has("--show-current"):
            command.out = Stream(None, BENEATH)
    else:
        command.here("makes a branch or tag")


def _commit(command: Command, spec: Spec, options: Options) -> None:
    if options.has("--dry-run", "--short", "--porcelain", "--long"):
        settings(command, spec, options)
        command.names(".")
        return
    apply(command, spec, options)
    messages = options.has(
        "-m", "--message", "-F", "--file", "--no-edit", "--fixup", "-C", "--reuse-message", "--squash"
    )
    if not messages and not options.has("-e", "--edit"):
        command.opaque("what the editor does that git opens")


def _checkout(command: Command, spec: Spec, options: Options) -> None:
    """A new branch takes nothing away; anything else may throw changes away."""
    settings(command, spec, options)
    words = options.operands
    if not options.has("-b", "--orphan"):
        paths = command.words[command.words.index("--") + 1 :] if "--" in command.words else words
        for word in paths or ["."]:
            command.effect(Verb.HISTORY, word, "changes there that are not committed")
    command.here("changes the working tree")


def _restore(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    if not options.has("-S", "--staged"):
        for word in options.operands or ["."]:
            command.effect(Verb.HISTORY, word, "changes there that are not committed")
    command.here("changes the index or the working tree")


def _reset(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    words = [w for w in options.operands if w not in ("HEAD", "@")]
    if words and not _are_paths(command, options):
        command.effect(Verb.HISTORY, words[0], "moves the branch")
    command.here("changes the index")


def _are_paths(command: Command, options: Options) -> bool:
    """Whether `git reset` was given paths only, which it unstages."""
    return "--" in command.words or options.operands[:1] in (["HEAD"], ["@"])


def _clean(command: Command, spec: Spec, options: Options) -> None:
    if options.has("-n", "--dry-run") and not options.has("-f", "--force", "-i", "--interactive"):
        options.operands = []
        settings(command, spec, options)
        command.names(".")
        return
    settings(command, spec, options)
    for target in command.targets("."):
        detail = "untracked files"
        command.effect(Verb.DELETE, target.path if not target.inside else "", detail)
        if not target.inside:
            command.effect(Verb.WRITE_OUT, target.path)


def _apply(command: Command, spec: Spec, options: Options) -> None:
    apply(command, spec, options)
    if not options.has("--check", "--stat", "--numstat", "--summary") or options.has("--apply"):
        command.here("applies a patch; git refuses names outside and in .git")


def _config(command: Command, spec: Spec, options: Options) -> None:
    """Reading one value is harmless, all of them may hold passwords, and any writing may plant a program."""
    words = options.operands
    settings(command, spec, options)
    gets = options.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool")
    if options.has("-l", "--list", "--get-regexp"):
        command.effect(Verb.SECRET, "", "all settings, passwords in addresses among them")
    elif len(words) > 1 and not gets:
        command.effect(Verb.PERSIST, words[0], "the configuration can run programs")
    elif not words and not gets and not any(u.role for u in options.used):
        command.opaque("what git config does without a name")
    elif words and re.search(r"token|password|secret|extraheader|credential", words[0], re.IGNORECASE):
        command.effect(Verb.SECRET, words[0])


def _init(command: Command, spec: Spec, options: Options) -> None:
    settings(command, spec, options)
    for word in options.operands:
        command.write(word)
    always(command, spec)


_SPECIAL = {
    "git apply": _apply,
    "git branch": _branch,
    "git checkout": _checkout,
    "git clean": _clean,
    "git commit": _commit,
    "git config": _config,
    "git init": _init,
    "git reset": _reset,
    "git restore": _restore,
    "git rev-parse": _rev_parse,
    "git tag": _branch,
}


def remote(command: Command, spec: Spec, options: Options) -> None:
    """What talks to another repository."""
    settings(command, spec, options)
    words = options.operands
    if spec.name == "git push":
        _push(command, words)
        return
    if spec.name == "git remote show" and options.has("-n"):
        command.names(".")
        return
    always(command, spec)
    for word in words:
        if re.match(r"ext::|fd::|-", word) or "::" in word:
            command.opaque(f"what the address {shown(word)} runs")
        if word.startswith("+") or (":" in word and word.startswith("refs/")):
            command.effect(Verb.HISTORY, word, "overwrites local references")
    if spec.name in ("git clone", "git submodule add"):
        _clone(command, words)
    elif spec.name in (
        "git fetch",
        "git pull",
        "git submodule update",
        "git lfs pull",
        "git lfs fetch",
        "git remote update",
    ):
        command.here("brings in what others committed")
        if any(re.search(r"[^+]:", w) for w in words[1:]):
            command.effect(Verb.HISTORY, words[1], "overwrites local references")
    prints(command, spec)
    command.origin += FETCHED


def _push(command: Command, words: list[str]) -> None:
    command.outward(Verb.EXTERNAL, shown(words[0]) if words else "", "publishes commits")
    for word in words[1:]:
        if word.startswith(("+", ":")):
            command.effect(Verb.HISTORY, word, "overwrites or deletes what is published")
    if any(unknown(word) for word in words):
        command.opaque("what is pushed where")


def _clone(command: Command, words: list[str]) -> None:
    if words:
        command.net(words[0])
    if len(words) > 1:
        command.write(words[1])
    elif words and static(words[0]):
        name = words[0].rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1].removesuffix(".git")
        command.write(name or ".")
