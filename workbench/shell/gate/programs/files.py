"""Copying, linking, deleting and changing files: where the last operand may be a folder, and what is taken away."""

import os
import re
import stat

from workbench.policy.call import Verb
from workbench.shell.gate.apply import apply, operands, prints, settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.targets import Target
from workbench.shell.gate.values import ANY, BENEATH, MANY, SOME, shown, static, unknown


def copy(command: Command, spec: Spec, options: Options) -> None:
    """`cp`, `mv`, `install`: sources and a destination, which may be a folder."""
    settings(command, spec, options)
    folder = options.value("-t", "--target-directory")
    sources, goal = options.operands, folder
    if options.has("-d", "--directory") and spec.name == "install":
        for word in sources:
            command.write(word)
        return
    if goal is None:
        sources, goal = sources[:-1], (sources[-1] if sources else ANY)
    into = (
        folder is not None or len(sources) > 1 or any(MANY in s or SOME in s for s in sources) or _folder(command, goal)
    )
    moving = spec.name in ("mv", "gmv")
    for source in sources:
        command.read(source)
        if moving:
            _taken(command, source, goal)
        name = source.rstrip("/").rsplit("/", 1)[-1]
        command.write(
            f"{goal.rstrip('/')}/{name}" if into and not unknown(goal) and name not in ("", ".", "..") else goal
        )
        if command.scope.links:
            _unlinkable(command, goal)
    prints(command, spec)


def _taken(command: Command, source: str, goal: str) -> None:
    """`mv` takes the source away: that is an edit as long as it stays inside, and a deletion when it leaves."""
    leaves = any(not t.inside for t in command.targets(goal))
    for target in command.targets(source):
        command.write(source)
        if target.inside and leaves:
            command.effect(Verb.DELETE, target.path or ".", "moved out of the workspace")


def _unlinkable(command: Command, goal: str) -> None:
    """A copy or move of a link that the script itself made leads nobody knows where."""
    for path in _absolute(command, goal):
        command.scope.links.setdefault(path, ANY)


def _absolute(command: Command, word: str) -> list[str]:
    if unknown(word):
        return []
    root = command.runner.places.root
    return [t.path if not t.inside else f"{root}/{t.path}".rstrip("/") for t in command.targets(word) if t.known]


def _folder(command: Command, word: str) -> bool:
    """Whether a destination is a folder: by its form, or because one is there."""
    if word.endswith(("/", "/.", "/..")) or word in (".", ".."):
        return True
    for path in _absolute(command, word):
        try:
            if stat.S_ISDIR(os.lstat(path).st_mode):
                return True
        except (OSError, ValueError):
            continue
    return False


def link(command: Command, spec: Spec, options: Options) -> None:
    """`ln`: a link that leads out prepares a later read or write."""
    settings(command, spec, options)
    folder = options.value("-t", "--target-directory")
    words = options.operands
    if folder is None and len(words) < 2:
        folder = "."
    sources, goal = (words, folder) if folder is not None else (words[:-1], words[-1])
    into = folder is not None or len(sources) > 1 or _folder(command, goal)
    for source in sources:
        name = source.rstrip("/").rsplit("/", 1)[-1]
        place = f"{goal.rstrip('/')}/{name}" if into else goal
        command.write(place)
        beside = place.rpartition("/")[0]
        symbolic = options.has("-s", "--symbolic")
        leads = (
            f"{beside}/{source}"
            if symbolic and beside and not source.startswith("/") and not unknown(source)
            else source
        )
        _leads(command, leads)
        for path in _absolute(command, place):
            command.scope.links[path] = source if static(source) and symbolic else ANY


def _leads(command: Command, word: str) -> None:
    for target in command.targets(word):
        if not target.inside or not target.known:
            command.opaque(f"what is reached through a link to {shown(target.path)}")
        for effect in target.effects("read"):
            if effect.verb == Verb.SECRET:
                command.effect(Verb.SECRET, effect.target)


def remove(command: Command, spec: Spec, options: Options) -> None:
    """`rm`, `rmdir`, `unlink`, `git rm`."""
    settings(command, spec, options)
    if options.has("-n", "--dry-run"):
        return
    recursive = options.has("-r", "-R", "--recursive", "--no-preserve-root")
    for word in options.operands:
        if spec.name == "rmdir":
            _empty(command, word)
        else:
            command.delete(word, tree=recursive)
    prints(command, spec)


def _empty(command: Command, word: str) -> None:
    """`rmdir` takes only what is empty, so inside nothing is lost."""
    for target in command.targets(word):
        if target.inside and target.known:
            command.write(word)
        else:
            command.delete(word)


def chmod(command: Command, spec: Spec, options: Options) -> None:
    """Set-user-id bits raise rights; anything else is an edit."""
    modes = [w for w in command.words[1:] if re.fullmatch(r"-[rwxXstugoa,=+-]+|[0-7]{1,5}|[ugoa]*[-+=].*", w)]
    flags = [u.name for u in options.used] + ["-R", "-v", "-c", "-f"]
    options.unknown = [name for name in options.unknown if not re.fullmatch(r"-[rwxXst]", name)]
    settings(command, spec, options)
    mode = next((m for m in modes if m not in flags), "")
    files = [w for w in options.operands if w != mode]
    for word in files:
        if re.fullmatch(r"0*[1-7][0-7]{3}", mode) or re.search(r"[+=][rwxX]*s", mode) or not static(mode):
            for target in command.targets(word):
                command.effect(Verb.PRIV, target.path, "sets a bit that lends rights")
        command.write(word)


def mktemp(command: Command, spec: Spec, options: Options) -> None:
    """A fresh file in the private /tmp, or where a template or `-p` says."""
    where = None
    words = list(command.words[1:])
    for flag in ("-p", "--tmpdir"):
        for at, word in enumerate(words):
            if word == flag and flag == "-p" and at + 1 < len(words):
                where = words[at + 1]
            elif word.startswith((f"{flag}=", flag)) and word != flag:
                where = word[len(flag) :].lstrip("=")
    options.unknown = [n for n in options.unknown if n not in ("-p", "--tmpdir")]
    settings(command, spec, options)
    if where:
        command.write(f"{where}/{SOME}")
    elif options.operands and not options.has("-u", "--dry-run", "-t"):
        for word in options.operands:
            command.write(word)
    command.out = Stream(None, f"{where or '/tmp'}/{SOME}")  # noqa: S108 - what mktemp prints


def dd(command: Command, spec: Spec, options: Options) -> None:
    """`dd` writes `name=value` operands."""
    del spec, options
    for word in command.words[1:]:
        name, sign, given = word.partition("=")
        if name == "if" and sign:
            command.read(given)
        elif name == "of" and sign:
            command.write(given)
        elif not sign or unknown(name):
            command.opaque(f"what the operand {shown(word)} of dd does")


def split(command: Command, spec: Spec, options: Options) -> None:
    """The pieces are called after the second operand."""
    settings(command, spec, options)
    words = options.operands
    prefix = (
        words[1] if len(words) > 1 and not spec.name.startswith("csplit") else options.value("-f", "--prefix") or "x"
    )
    command.write(f"{prefix}aa")
    if words:
        command.read(words[0])


def truncate(command: Command, spec: Spec, options: Options) -> None:
    """Emptying one file can be taken back; many at once is a deletion."""
    apply(command, spec, options)
    for word in options.operands:
        for target in command.targets(word):
            if not target.exact:
                command.effect(Verb.DELETE, target.path, "empties every match")


def patch(command: Command, spec: Spec, options: Options) -> None:
    if options.has("--dry-run"):
        settings(command, spec, options)
        return
    apply(command, spec, options)


def compress(command: Command, spec: Spec, options: Options) -> None:
    """To a file beside it, unless it goes to the output or is only looked at."""
    settings(command, spec, options)
    looks = options.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test", "-o", "--output")
    for word in options.operands:
        command.read(word)
        if not looks:
            command.write(word)


def names(command: Command, spec: Spec, options: Options) -> None:
    """Looks at names, and prints names."""
    settings(command, spec, options)
    words = options.operands
    match spec.name:
        case "pwd":
            here = command.scope.folders
            command.out = Stream(here[0] + "\n", here[0]) if here and len(here) == 1 else Stream(None, ANY)
        case "basename":
            command.out = Stream(None, _base(words[0]) if words else SOME)
        case "dirname":
            command.out = Stream(None, _parent(words[0]) if words else ANY)
        case "which" | "whereis" | "pathchk" | "lsblk" | "lscpu" | "lsusb" | "lspci" | "lsmod":
            command.out = Stream(None, ANY)
        case _:
            operands(command, spec, words)
            if spec.name in ("readlink", "realpath", "greadlink", "grealpath") and len(words) == 1 and static(words[0]):
                found = command.targets(words[0])
                if len(found) == 1 and found[0].exact:
                    command.out = Stream(None, _whole(command, found[0]))


def _base(word: str) -> str:
    return word.rstrip("/").rsplit("/", 1)[-1] if static(word) else SOME


def _parent(word: str) -> str:
    if static(word):
        head = word.rstrip("/").rpartition("/")
        return head[0] or ("/" if head[1] else ".")
    return BENEATH if not unknown(word) and word[:1] not in ("/", "-") and ".." not in word else ANY


def _whole(command: Command, target: Target) -> str:
    return f"{command.runner.places.root}/{target.path}".rstrip("/") if target.inside else target.path
