"""find, fd and grep: what they look at, what they run on it, what they delete."""

import re

from workbench.shell.gate.apply import settings
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import ANY, BENEATH, may_be_option, shown, unknown, word_set

_GLOBAL = re.compile(r"-(?:[HLP]|O\d?)")
_FLAGS = word_set(
    """
    -print -print0 -ls -prune -quit -depth -d -mount -xdev -noleaf -daystart -follow -warn -nowarn
    -ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -true -false -nouser -nogroup
    -help --help -version --version -not -a -and -o -or ! ( ) , -X -E -s -x -nogroup -acl
    """
)
_VALUES = word_set(
    """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime
    -ctime -mmin -amin -cmin -maxdepth -mindepth -user -group -uid -gid -perm -links -inum -fstype -used -printf
    -regextype -context -newermt -Bmin -Btime -flags -mnewer
    """
)
_FILES = re.compile(r"-(?:newer[aBcmt]{2}|newer|anewer|cnewer|samefile)")
_RUNS = frozenset(["-exec", "-execdir", "-ok", "-okdir"])
_WRITES = frozenset(["-fprint", "-fprint0", "-fls", "-fprintf"])


def find(command: Command, spec: Spec, options: Options) -> None:
    del spec, options
    todo = list(reversed(command.words[1:]))
    starts: list[str] = []
    while todo and _GLOBAL.fullmatch(todo[-1]):
        todo.pop()
    while todo and not todo[-1].startswith("-") and todo[-1] not in ("(", "!", ","):
        word = todo.pop()
        if may_be_option(word):
            command.opaque("whether a word of find is an option")
        starts.append(word)
    starts = starts or ["."]
    for start in starts:
        command.names(start)
    found = [_beneath(start) for start in starts]
    while todo:
        _test(command, todo.pop(), todo, starts, found)
    command.out = Stream(None, found[0] if len(found) == 1 else ANY)


def _beneath(start: str) -> str:
    """What `find start` prints: never an option, never beside it."""
    return (
        f"{start.rstrip('/')}/{BENEATH}"
        if not unknown(start) and start != "/"
        else ANY
        if unknown(start)
        else f"/{BENEATH}"
    )


def _test(command: Command, word: str, todo: list[str], starts: list[str], found: list[str]) -> None:
    """One test or action with its arguments."""
    if word in _FLAGS:
        return
    if word in _VALUES:
        if todo:
            todo.pop()
    elif word == "-delete":
        for start in starts:
            command.delete(start, tree=True)
    elif word in _RUNS:
        inner = []
        while todo and todo[-1] not in (";", "+"):
            inner.append(todo.pop())
        if todo:
            todo.pop()
        _run(command, inner, found, inside=word in ("-execdir", "-okdir"))
    elif word in _WRITES:
        if todo:
            command.write(todo.pop())
        if word == "-fprintf" and todo:
            todo.pop()
    elif _FILES.fullmatch(word):
        if todo:
            command.names(todo.pop())
    elif word in ("-files0-from", "-files"):
        command.opaque("where find looks")
    else:
        command.opaque(f"what {shown(word)} does in find")


def _run(command: Command, inner: list[str], found: list[str], *, inside: bool) -> None:
    """A command on every match, once for each start."""
    for path in dict.fromkeys(found):
        given = f"./{BENEATH}" if inside else path
        words = [word.replace("{}", given) for word in inner]
        scope = command.scope
        if inside:
            scope = scope.fork()
            scope.folders = None
        if words:
            command.runner.run_words(words, scope, command.stdin)


def fd(command: Command, spec: Spec, options: Options) -> None:
    del spec, options
    todo, plain = list(command.words[1:]), []
    inner: list[str] | None = None
    while todo:
        word = todo.pop(0)
        name, given, _ = word.partition("=")
        if word in ("-x", "--exec", "-X", "--exec-batch"):
            inner, todo = todo, []
        elif name in _FD_VALUES:
            todo = todo if given else todo[1:]
        elif name in _FD_FLAGS or re.fullmatch(r"-[HIusigFalLp0v]+|-[dejtESgc][\w.,+*-]+", word):
            continue
        elif word.startswith("-") or may_be_option(word):
            command.opaque(f"what the option {shown(word)} of fd does")
        else:
            plain.append(word)
    starts = plain[1:] or ["."]
    for start in starts:
        command.names(start)
    found = [_beneath(start).removeprefix("./") for start in starts]
    if inner is not None:
        inner = [w for w in inner if w != ";"]
        if not any("{" in w for w in inner):
            inner.append("{}")
        inner = [re.sub(r"\{[./]*\}", "{}", w) for w in inner]
        _run(command, inner, found, inside=False)
    command.out = Stream(None, found[0] if len(found) == 1 else ANY)


_FD_VALUES = word_set(
    """
    -e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -j --threads -S --size -c --color
    --changed-within --changed-before -o --owner --format --max-results --path-separator --and --ignore-file
    --batch-size --newer --older
    """
)
_FD_FLAGS = word_set(
    """
    --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings
    --absolute-path --list-details --follow --full-path --print0 --prune --quiet -q -1 --show-errors --no-require-git
    --strip-cwd-prefix --one-file-system --version -V --help -h --relative-path --no-follow
    """
)


def grep(command: Command, spec: Spec, options: Options) -> None:
    """The first operand is the pattern, unless `-e` or `-f` gave one; without files rg and `-r` search the folder."""
    given = options.has("-e", "--regexp", "-f", "--file") or (
        spec.name == "rg" and options.has("--files", "--type-list")
    )
    options.unknown = [n for n in options.unknown if n not in ("-e", "--regexp", "--files")]
    settings(command, spec, options)
    words = options.operands if given else options.operands[1:]
    for word in words:
        command.read(word)
    recursive = spec.name in ("rg", "ag", "ack") or options.has("-r", "-R", "--recursive", "--dereference-recursive")
    if not words and recursive and command.words[1:]:
        command.names(".")
    lists = options.has("-l", "-L", "--files-with-matches", "--files-without-match", "--files")
    if lists and all(not unknown(w) and not w.startswith(("/", "~")) and ".." not in w for w in words):
        command.out = Stream(None, BENEATH)
    elif not words and not recursive:
        command.out = Stream(None, command.stdin.lines)
