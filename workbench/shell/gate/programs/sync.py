"""rsync: local copies, copies to and from other hosts, and deletions on the receiving side."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import may_be_option, shown, word_set

_LETTERS = frozenset("aArlpogtDHvqzhPnuxcCWSmiNkKLIRbOJXEdy0468")
_FLAGS = word_set(
    """
    --archive --verbose --quiet --recursive --links --perms --times --group --owner --devices --specials --compress
    --human-readable --progress --partial --dry-run --update --one-file-system --checksum --cvs-exclude --whole-file
    --sparse --prune-empty-dirs --itemize-changes --stats --ignore-existing --existing --size-only --ignore-times
    --numeric-ids --inplace --append --relative --no-relative --copy-links --safe-links --hard-links --executability
    --acls --xattrs --list-only --no-motd --mkpath --no-perms --no-owner --no-group --no-times --ignore-errors
    --omit-dir-times --copy-dirlinks --keep-dirlinks --backup --delay-updates --fuzzy --no-inc-recursive
    --no-implied-dirs
    """
)
_VALUES = word_set(
    """
    --block-size --bwlimit --checksum-choice --chmod --compress-choice --compress-level --contimeout --debug --exclude
    --filter --include --info --log-file-format --max-delete --max-size --min-size --modify-window --out-format --port
    --skip-compress --suffix --timeout
    """
)
_FILES = {
    **dict.fromkeys(
        ["--exclude-from", "--include-from", "--files-from", "--compare-dest", "--copy-dest", "--link-dest"], "read"
    ),
    **dict.fromkeys(["--log-file", "--backup-dir", "--temp-dir", "--partial-dir"], "write"),
}
_DELETES = re.compile(r"--del(?:ete(?:-.*)?)?|--remove-source-files|--force")


def rsync(command: Command, spec: Spec, options: Options) -> None:
    del spec, options
    paths: list[str] = []
    deletes, todo = False, list(command.words[1:])
    while todo:
        word = todo.pop(0)
        name, given, value = word.partition("=")
        if _DELETES.fullmatch(name):
            deletes = True
        elif name in _VALUES or name in _FILES:
            value = value if given else todo.pop(0) if todo else ""
            if name in _FILES:
                getattr(command, _FILES[name])(value)
        elif word.startswith("-f") and not word.startswith("--"):
            todo = todo if len(word) > 2 else todo[1:]
        elif (word.startswith("-") and not word.startswith("--") and set(word[1:]) <= _LETTERS) or name in _FLAGS:
            continue
        elif word in ("-e", "--rsh", "--rsync-path"):
            todo = todo[1:]
            command.opaque(f"what the option {word} of rsync runs")
        elif word.startswith("-") or may_be_option(word):
            command.opaque(f"what the option {shown(word)} of rsync does")
        else:
            paths.append(word)
    _copy(command, paths, deletes=deletes)


def _copy(command: Command, paths: list[str], *, deletes: bool) -> None:
    sources, goal = (paths[:-1], paths[-1]) if len(paths) > 1 else (paths, None)
    if goal is not None and deletes:
        if _host(goal):
            command.effect(Verb.DELETE, goal, "what the source does not have")
        else:
            for target in command.targets(goal):
                command.effect(Verb.DELETE, target.path or ".", "what the source does not have")
    for source in sources:
        if host := _host(source):
            command.outward(Verb.NET_READ, host, "copies from another host")
        else:
            command.read(source)
    if goal is None:
        return
    if host := _host(goal):
        command.outward(Verb.EXTERNAL, host, "copies to another host")
    else:
        command.write(goal)


def _host(word: str) -> str:
    """The host of `host:path` or an address."""
    found = re.match(r"(?:rsync://)?(?:[^/:@]*@)?([^/:]+)::?|rsync://([^/]+)", word)
    return (found[1] or found[2] or "") if found and (":" in found[0]) else ""
