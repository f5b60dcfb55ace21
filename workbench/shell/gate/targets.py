"""Where a path in a command leads: links followed by component, the working folder and links of the script included."""

import os
import stat
from dataclasses import dataclass
from functools import cache, lru_cache

from workbench.policy.call import Effect, Verb
from workbench.policy.match import PathAccess
from workbench.policy.rules import built_in, path_effects
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.values import BENEATH, MARKS, SOME, shown, unknown

MAX_LINKS = 40
_ABSENT = "\0"
DEVICES = frozenset(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full"])
"""reading and writing these touches no file"""


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved path."""

    path: str
    """relative to the workspace (empty: its root), or absolute when outside; marks stand for what is unknown"""
    inside: bool
    known: bool
    """False: it may lead anywhere"""

    @property
    def exact(self) -> bool:
        """One literal path."""
        return self.known and not MARKS.search(self.path)

    def effects(self, access: PathAccess) -> tuple[Effect, ...]:
        """The effects of reading or writing it, for every protected path that its pattern may match."""
        path = shown(self.path)
        effects = path_effects(path, access)
        if SOME in self.path:
            hidden = {e.verb for p in matched(self.path) for e in path_effects(p, access)} - {e.verb for e in effects}
            effects += tuple(Effect(verb, path) for verb in (Verb.SECRET, Verb.PERSIST) if verb in hidden)
        return effects


class Places:
    """Resolves the paths of one command. Asks the disk for links only, and remembers the answers."""

    def __init__(self, root: str) -> None:
        self.root = _real(root)
        self._beneath = self.root.rstrip("/") + "/"
        self._seen: dict[str, str | None] = {}

    def resolve(self, word: str, scope: Scope) -> list[Target]:
        """Where `word` may lead, one target for each folder that may be the working one."""
        if unknown(word):
            return [Target(word, inside=False, known=False)]
        if word.startswith("/"):
            return [self._target(word, scope)]
        if scope.folders is None:
            return [Target(word, inside=False, known=False)]
        return list(dict.fromkeys(self._target(f"{folder}/{word}", scope) for folder in scope.folders))

    def repository(self, scope: Scope) -> str | None:
        """The top of the repository that the working folder is in, if it is the same for all that it may be."""
        tops = {self._top(folder) for folder in scope.folders or ()}
        return tops.pop() if len(tops) == 1 else None

    def _top(self, folder: str) -> str:
        """The nearest folder upwards that holds `.git`; without one git fails and `cd` stays."""
        while folder not in ("", "/") and not MARKS.search(folder):
            try:
                os.lstat(f"{folder}/.git")
            except (OSError, ValueError):
                folder = folder.rpartition("/")[0]
            else:
                return folder
        return self.root

    def there(self, word: str, scope: Scope) -> bool:
        """Whether a file of the workspace has this path."""
        for target in self.resolve(word, scope):
            try:
                os.lstat(f"{self.root}/{target.path}")
            except (OSError, ValueError):
                continue
            if target.inside and target.exact:
                return True
        return False

    def _target(self, path: str, scope: Scope) -> Target:
        found = self.follow(path, scope.links)
        if found is None:
            return Target(path, inside=False, known=False)
        if found == self.root:
            return Target("", inside=True, known=True)
        if found.startswith(self._beneath):
            return Target(found[len(self._beneath) :], inside=True, known=True)
        return Target(found, inside=False, known=True)

    def follow(self, path: str, links: dict[str, str]) -> str | None:
        """An absolute path without links and dots; None when that cannot be told."""
        if path.startswith(self._beneath) and not links:
            done, todo = self.root, path[len(self._beneath) :].split("/")
        else:
            done, todo = "", path.split("/")
        todo.reverse()
        count, sure, there = 0, True, True
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if BENEATH in done.rpartition("/")[2]:
                    return None
                done, there = done.rpartition("/")[0], True
                continue
            done = f"{done}/{part}"
            sure = sure and not MARKS.search(part)
            link = links.get(done)
            if link is None and sure and there:
                link = self._link(done)
                there = link != _ABSENT
            if link is not None and link != _ABSENT:
                count += 1
                if count > MAX_LINKS or unknown(link):
                    return None
                todo += reversed(link.split("/"))
                done = "" if link.startswith("/") else done.rpartition("/")[0]
        return done or "/"

    def _link(self, path: str) -> str | None:
        """What the link at `path` points to; None when it is no link, `_ABSENT` when there is nothing."""
        if path not in self._seen:
            try:
                self._seen[path] = os.readlink(path) if stat.S_ISLNK(os.lstat(path).st_mode) else None  # noqa: PTH115 - texts, fast
            except (OSError, ValueError):
                self._seen[path] = _ABSENT
        return self._seen[path]


@lru_cache(maxsize=64)
def _real(root: str) -> str:
    """The workspace without links. Should it be led elsewhere later, what lies there counts as outside, and asks."""
    return os.path.realpath(root)


@lru_cache(maxsize=512)
def matched(path: str) -> tuple[str, ...]:
    """Protected paths that a path with patterns may stand for: `.e*v` is `.env`. A bare `*` stands for none of them."""
    parts = path.strip("/").split("/")
    return tuple(e for e in examples() if all(_may_be(p, q) for p, q in _ends(parts, e.strip("/").split("/"))))


@cache
def examples() -> tuple[str, ...]:
    """One path of each protected kind, from the built-in rules."""
    return tuple(e for rule in built_in().rules for e in rule.examples if e)


def _ends(parts: list[str], example: list[str]) -> list[tuple[str, str]]:
    """The last parts of both, side by side; nothing fits when the path is shorter than what is protected in it."""
    kept = [p for p in example if p not in ("home", "dev")]
    if len(parts) < len(kept):
        return [("", "-")]
    return list(zip(parts[-len(kept) :], kept, strict=True))


def _may_be(pattern: str, name: str) -> bool:
    """Whether a part with patterns may match `name`, judged by its literal start or end."""
    if SOME not in pattern:
        return pattern == name
    start, end = pattern.split(SOME)[0], pattern.split(SOME)[-1]
    if not (name.startswith(start) and name.endswith(end) and len(start) + len(end) <= len(name)):
        return False
    return bool(start) or (bool(end) and not end.startswith("."))
