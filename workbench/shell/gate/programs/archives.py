"""Archives: packing reads, listing reads, unpacking writes files whose names nobody has seen."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import may_be_option, shown, word_set

_FLAGS = frozenset("vzjJkpmwWlLShBnioUOauZ")
"""letters of tar that need no look"""
_VALUES = frozenset("bHKLNVX")
_LONG = word_set(
    """
    --create --extract --get --list --update --append --diff --compare --concatenate --verbose --gzip --gunzip --bzip2
    --xz --lzma --zstd --lzip --auto-compress --no-auto-compress --keep-old-files --skip-old-files --overwrite
    --same-permissions --preserve-permissions --no-same-owner --no-same-permissions --same-owner --numeric-owner
    --sparse --one-file-system --dereference --hard-dereference --totals --wildcards --no-wildcards --anchored
    --no-anchored --recursion --no-recursion --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches
    --ignore-case --no-ignore-case --null --verbatim-files-from --xattrs --acls --selinux --touch --atime-preserve
    --delay-directory-restore --full-time --utc --block-number --interactive --seek --no-seek --format --posix
    --old-archive --warning --owner --group --mode --mtime --sort --exclude --strip-components --strip --transform
    --xform --label --occurrence --to-stdout --unlink-first --ignore-zeros --ignore-failed-read --no-overwrite-dir
    --blocking-factor --newer --newer-mtime --after-date --checkpoint --level --show-defaults --version --help
    """
)
_WITH_VALUE = word_set(
    """
    --owner --group --mode --mtime --sort --exclude --strip-components --strip --label --format --warning --newer
    --newer-mtime --after-date --level
    """
)
_READS = frozenset(["--files-from", "--exclude-from"])


def tar(command: Command, spec: Spec, options: Options) -> None:
    """`tar` and the other packers."""
    del options
    match spec.name:
        case "tar" | "gtar" | "bsdtar":
            _Tar(command).judge(command.words[1:])
        case "unzip":
            _unzip(command, command.words[1:])
        case _ if command.words[1:2] in (["l"], ["lb"], ["lt"], ["t"], ["v"], ["vb"]):
            for word in command.words[2:]:
                _plain(command, word)
        case _:
            command.opaque("which files the archive holds")
            for word in command.words[2:]:
                _plain(command, word)


def _plain(command: Command, word: str) -> None:
    if word.startswith("-"):
        command.opaque(f"what the option {shown(word)} does")
    else:
        command.read(word)


def unpack(command: Command, folder: str) -> None:
    """Files with unknown names appear in a folder; at the workspace's root they may be ones that act later."""
    command.write(folder)
    if any(t.path == "" or not t.known for t in command.targets(folder)):
        command.opaque("which files the archive puts at the top of the workspace")


def _unzip(command: Command, words: list[str]) -> None:
    folder, looks, files, todo = ".", False, [], list(words)
    while todo:
        word = todo.pop(0)
        if word == "-d" and todo:
            folder = todo.pop(0)
        elif word in ("-x", "-P") and todo:
            todo.pop(0)
        elif word.startswith("-d") and len(word) > 2:
            folder = word[2:]
        elif re.fullmatch(r"-[lvtZzpcqonujCaLbXK1]+", word):
            looks = looks or re.search(r"[lvtZzpc]", word) is not None
            if "K" in word or "X" in word:
                command.effect(Verb.PRIV, "", "restores owners and rights")
        elif word.startswith("-") or may_be_option(word):
            command.opaque(f"what the option {shown(word)} does")
        else:
            files.append(word)
    for word in files[:1]:
        command.read(word)
    if not looks:
        unpack(command, folder)


class _Tar:
    """The old and the new style of options, mixed."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.mode = ""
        self.archive: str | None = None
        self.folder = "."
        self.files: list[str] = []

    def judge(self, words: list[str]) -> None:
        todo = list(words)
        if todo and re.fullmatch(r"[A-Za-z]+", todo[0]):
            self.cluster(todo.pop(0), todo, joined=False)
        while todo:
            word = todo.pop(0)
            if word == "--":
                self.files += todo
                break
            if word.startswith("--"):
                self.long(word, todo)
            elif word.startswith("-") and word != "-":
                self.cluster(word[1:], todo, joined=True)
            else:
                if may_be_option(word):
                    self.command.opaque("whether a word of tar is an option")
                self.files.append(word)
        self.settle()

    def cluster(self, letters: str, todo: list[str], *, joined: bool) -> None:
        """Letters; values follow at once (new style) or in the order of the letters (old style)."""
        for at, letter in enumerate(letters):
            if letter in "cxtruAd":
                self.mode = letter
            elif letter in "fCTg" or letter in _VALUES or letter in "IF":
                value = letters[at + 1 :] if joined and letters[at + 1 :] else todo.pop(0) if todo else ""
                self.value(letter, value)
                if joined and letters[at + 1 :]:
                    return
            elif letter == "P":
                self.command.opaque("where members with absolute names land")
            elif letter not in _FLAGS:
                self.command.opaque(f"what the option -{shown(letter)} of tar does")

    def value(self, letter: str, value: str) -> None:
        match letter:
            case "f":
                self.archive = value
            case "C":
                self.folder = value
            case "T" | "X":
                self.command.read(value)
            case "I" | "F" | "g":
                self.command.opaque(f"what {shown(value)} does", "")

    def long(self, word: str, todo: list[str]) -> None:
        name, given, value = word.partition("=")
        if name in ("--file", "--directory") or name in _READS or name in _WITH_VALUE:
            value = value if given else todo.pop(0) if todo else ""
        match name:
            case "--file":
                self.archive = value
            case "--directory":
                self.folder = value
            case _ if name in _READS:
                self.command.read(value)
            case _ if name not in _LONG or "=" in value:
                self.command.opaque(f"what the option {shown(name)} of tar does")
        modes = {
            "--create": "c",
            "--extract": "x",
            "--get": "x",
            "--list": "t",
            "--append": "r",
            "--update": "u",
            "--diff": "d",
            "--compare": "d",
        }
        self.mode = modes.get(name, self.mode)

    def settle(self) -> None:
        archive = self.archive
        if archive and re.match(r"[^/]+:", archive):
            self.command.outward(Verb.NET_READ, archive.partition(":")[0], "an archive on another host")
            return
        if self.mode in ("c", "r", "u", "A"):
            if archive is not None:
                self.command.write(archive)
            self.command.cwd(self.folder)
            for word in self.files:
                self.command.read(word)
            return
        if archive is not None:
            self.command.read(archive)
        if self.mode == "x":
            unpack(self.command, self.folder)
        elif self.mode not in ("t", "d"):
            self.command.opaque("what tar does without a mode")
