"""One simple command while it is judged: its words, where it stands, and the effects that it is found to have.

Methods that are called like roles of the tables (`read`, `write`, `script` …) take one word and note what it means; the
roles that need no more than these stand in `roles`.
"""

import re
from dataclasses import dataclass, field
from typing import Protocol

from workbench.policy.call import Effect, Kind, Verb
from workbench.policy.match import PathAccess
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.stream import NOTHING, Stream
from workbench.shell.gate.targets import DEVICES, Places, Target
from workbench.shell.gate.telling import telling
from workbench.shell.gate.values import ANY, BENEATH, FETCHED, SECRET, SOME, shown, static, taint, unknown

_OUTWARD = frozenset([Verb.NET_READ, Verb.EXTERNAL])
_SYSTEM = re.compile(r"/(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System)?")
_DISK = re.compile(r"/dev/(?:[shv]d[a-z]|nvme|mmcblk|disk|mapper|loop|md|ram|mem|kmem|port|dm-)")
_PIPE = re.compile(r"/dev/(?:fd/|std(?:in|out|err)$)|/proc/self/fd/")


_KEEPING = frozenset(["/etc", "/proc", "/run", "/root", "/var", "/home", "/Users"])
"""folders that hold everybody's credentials"""


class Runner(Protocol):
    """What a command needs of the walk."""

    places: Places
    written: dict[str, bool]
    """absolute or relative path (as in `Target.path`) -> whether what the script writes there came from the network"""
    pipes: dict[str, Stream]
    """`/dev/fd/N` of process substitutions -> what they give"""
    executed: dict[str, None]
    """files of the workspace that are run"""

    def mentions_secret(self) -> bool:
        """Whether any word of the script looks like the path of a credential."""
        raise NotImplementedError

    def run_words(
        self, words: list[str], scope: Scope, stdin: Stream, *, here: bool = False, functions: bool = False
    ) -> Stream:
        """Judge another command that this one runs. `here`: in this shell, so that builtins change its scope."""
        raise NotImplementedError

    def run_text(self, text: str, scope: Scope, stdin: Stream) -> Stream:
        """Judge a script that this command runs; what is not known is opaque."""
        raise NotImplementedError

    def assign(self, name: str, value: str, scope: Scope, *, exported: bool = False) -> None:
        """A variable gets a value, which may be one that programs act on."""
        raise NotImplementedError


@dataclass(slots=True)
class Command:
    """A simple command. `words[0]` is the program; words may hold marks (`values`)."""

    words: list[str]
    scope: Scope
    stdin: Stream
    runner: Runner
    effects: list[Effect] = field(default_factory=list)
    out: Stream | None = None
    """what it prints, when a judge knows better than the default"""
    origin: str = ""
    """marks of what it read"""
    wrote: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""

    # -- effects ---------------------------------------------------------------------------------------------------

    def effect(self, verb: Verb, target: str = "", detail: str = "", kind: Kind = "") -> None:
        """Note one effect, once."""
        found = Effect(verb, shown(target), detail, kind=kind)
        if found not in self.effects:
            self.effects.append(found)

    def opaque(self, why: str, kind: Kind = "") -> None:
        """Something cannot be known; `why` completes `… cannot be known before it runs: `."""
        self.effect(Verb.OPAQUE, "", why, kind)

    def outward(self, verb: Verb, target: str = "", detail: str = "") -> None:
        """It reaches the network. What it sends may be a secret that it was given."""
        given = taint(self.stdin.origin, *self.words)
        self.effect(verb, target, detail, "exfiltrate" if SECRET in given else "")

    # -- paths -----------------------------------------------------------------------------------------------------

    def targets(self, word: str) -> list[Target]:
        return self.runner.places.resolve(word, self.scope)

    def read(self, word: str) -> None:
        """The content of a file is read."""
        if word == "-" or word in DEVICES:
            return
        if word in self.runner.pipes:
            self.origin += self.runner.pipes[word].origin
            return
        for target in self.targets(word):
            self.touch(target, "read")
            if self._holds_secrets(target):
                self.effect(Verb.SECRET, target.path, "everything beneath")
                self.origin += SECRET
            if self.runner.written.get(target.path):
                self.origin += FETCHED

    def _holds_secrets(self, target: Target) -> bool:
        """Whether reading all beneath reads credentials too: it is a folder above them, or the command names some."""
        path = target.path.rstrip(f"/{SOME}{BENEATH}") or "/"
        if not target.exact and self.runner.mentions_secret():
            return True
        if target.inside or not target.known:
            return False
        return path in _KEEPING or f"{self.scope.home or '/root'}/".startswith(f"{path.rstrip('/')}/")

    def look(self, word: str) -> None:
        """An operand whose meaning is not known: if it looks like a path, it may be read."""
        if re.search(r"[/.~]", word) and not re.search(r"[@:]", word):
            self.read(word)

    def names(self, word: str) -> None:
        """Names, sizes and times are looked at, no content."""
        for target in self.targets(word):
            self.effect(Verb.READ, target.path or ".", "", "names")

    def write(self, word: str) -> None:
        """A file is created or changed."""
        if word == "-" or word in DEVICES or word in self.runner.pipes or _PIPE.match(word):
            return
        for target in self.targets(word):
            if target.known and target.path == "":
                target = Target(SOME, inside=True, known=True)
            if _DISK.match(target.path):
                self.effect(Verb.PRIV, target.path, "writes to a device", "wipe")
            elif not target.known:
                self.effect(Verb.WRITE_OUT, target.path, "where it writes is known only when it runs")
            self.touch(target, "write")
            self.wrote.append(target.path)

    dir = write

    def delete(self, word: str, *, tree: bool = False) -> None:
        """A path is deleted; `tree`: with all beneath."""
        for target in self.targets(word):
            if not target.known:
                self.effect(Verb.DELETE, target.path, "what it deletes is known only when it runs")
                continue
            wiped = tree and not target.inside and self._ruinous(target.path.rstrip(f"/{SOME}") or "/")
            detail = "with all beneath" if tree else "" if target.exact else "every match"
            kind: Kind = "wipe" if wiped else "one_path" if target.exact and target.inside and not tree else ""
            self.effect(Verb.DELETE, target.path or ".", detail, kind)
            if target.path.split("/")[0] == ".git" or "/.git" in f"/{target.path}/":
                self.effect(Verb.HISTORY, target.path)
            self._marks(target)

    def tree(self, word: str) -> None:
        """A path is deleted with all beneath."""
        self.delete(word, tree=True)

    def _ruinous(self, path: str) -> bool:
        """Whether this folder is a home or one that the system stands on."""
        return path == self.scope.home or _SYSTEM.fullmatch(path) is not None

    def touch(self, target: Target, access: PathAccess) -> None:
        """The effects of reading or writing a resolved path."""
        if not target.known and access == "write":
            return
        for effect in target.effects(access):
            if effect.verb == Verb.SECRET and access == "read":
                self.origin += SECRET
            self.effect(effect.verb, effect.target or ".")

    def _marks(self, target: Target) -> None:
        """What changing or deleting a path means beyond that it is changed."""
        for effect in target.effects("write"):
            if effect.verb != Verb.WRITE_WS:
                self.effect(effect.verb, effect.target)

    # -- code ------------------------------------------------------------------------------------------------------

    def run(self, word: str, stdin: Stream | None = None) -> None:
        """A text is run by a shell, which reads what this command does, or `stdin`."""
        self.out = self.runner.run_text(word, self.scope.fork(), self.stdin if stdin is None else stdin)
        if FETCHED in word:
            self.opaque("what it downloads", "download_run")

    def code(self, word: str) -> None:
        """Code in another language stands in the command."""
        kind: Kind = "download_run" if FETCHED in word else ""
        self.opaque("what the code in the command does", kind)

    def script(self, word: str) -> None:
        """A file is run: one of the workspace may, unless its name says that it reaches out."""
        if word in self.runner.pipes:
            self.piped(self.runner.pipes[word])
            return
        if word in ("-", "/dev/stdin"):
            self.piped(self.stdin)
            return
        for target in self.targets(word):
            fetched = self._fetched(target.path)
            if fetched is not None:
                self.opaque("a file that this command itself writes", "download_run" if fetched else "")
            elif not target.inside or not target.exact:
                self.opaque(f"what {shown(word) or 'the file'} does, which is not in the workspace")
            elif telling(target.path) and not target.path.endswith("setup.py"):
                self.opaque(f"what {target.path} reaches, going by its name")
            else:
                self.effect(Verb.WRITE_WS, target.path, "runs code of the workspace", "run")
            self._secret_script(target)
            if target.inside and target.exact:
                self.runner.executed[target.path] = None

    def _secret_script(self, target: Target) -> None:
        if any(e.verb == Verb.SECRET for e in target.effects("read")):
            self.effect(Verb.SECRET, target.path)

    def _fetched(self, path: str) -> bool | None:
        """Whether a path that the script writes comes from the network; None when it does not write it."""
        for written, fetched in self.runner.written.items():
            if path == written or path.startswith(f"{written}/") or (SOME in written and not written.strip(SOME)):
                return fetched
        return None

    def piped(self, stream: Stream) -> None:
        """What flows in is run as code of another language."""
        self.opaque("the code it is given", "download_run" if FETCHED in stream.origin else "")

    def here(self, detail: str, kind: Kind = "") -> None:
        """Files appear or change where the command works."""
        for target in self.targets("."):
            if target.inside:
                self.effect(Verb.WRITE_WS, ".", detail, kind)
            else:
                self.effect(Verb.WRITE_OUT, target.path, detail)

    def project(self, detail: str = "runs code of the workspace") -> None:
        """Tests, builds and linters run the workspace's own code."""
        self.here(detail, "run")

    # -- the rest --------------------------------------------------------------------------------------------------

    def cwd(self, word: str) -> None:
        """The command works in another folder."""
        self.scope = self.scope.fork()
        self.scope.folders = folders(self.scope, word)

    def net(self, word: str) -> None:
        """A host or address is read from."""
        self.outward(Verb.NET_READ, _host(word))

    def send(self, word: str) -> None:
        """Something goes to a host, an address or a person."""
        self.outward(Verb.EXTERNAL, _host(word))

    # -- afterwards ------------------------------------------------------------------------------------------------

    def finish(self) -> Stream:
        """Settle what depends on all effects; what it prints."""
        verbs = {effect.verb for effect in self.effects}
        given = self.stdin.origin + self.origin
        fetches = FETCHED in given or not verbs.isdisjoint(_OUTWARD)
        for path in self.wrote:
            self.runner.written[path] = fetches or self.runner.written.get(path, False)
        marks = taint(given, *self.words) + (FETCHED if fetches else "") + (SECRET if Verb.SECRET in verbs else "")
        if self.out is None:
            return Stream(None, ANY + marks)
        if self.out == NOTHING or not marks:
            return self.out
        return Stream(None if self.out.text is None else self.out.text + marks, self.out.lines + marks)


def folders(scope: Scope, word: str) -> tuple[str, ...] | None:
    """Where `cd word` leads from here."""
    if unknown(word):
        return None
    if word.startswith("/"):
        return (tidy(word),)
    if scope.folders is None:
        return None
    return tuple(dict.fromkeys(tidy(f"{folder}/{word}") for folder in scope.folders))


def tidy(path: str) -> str:
    """An absolute path without dots, the way `cd` keeps it."""
    done: list[str] = []
    for part in path.split("/"):
        if part == "..":
            done = done[:-1]
        elif part not in ("", "."):
            done.append(part)
    return "/" + "/".join(done)


def _host(word: str) -> str:
    """The host of an address, or the word itself."""
    if not static(word):
        return shown(word)
    found = re.match(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/@]*@)?([^/:?#]+)", word)
    return found[1] if found and "://" in word else word
