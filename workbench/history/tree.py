"""The watched files of one workspace: what they are, that their content is kept, and what changed since last time.

Looking again costs one `lstat` a known file and folder: an unchanged ctime means unchanged content and mode, an
unchanged folder has the same names. An entry that is about as young as the look that made it could change again within
the same tick of the clock, so it is not trusted and looked at once more.
"""

import os
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.files import Refused, atomic
from workbench.history.entries import Entry, TreeFile
from workbench.history.ignore import NEVER, OUTPUT, Ignore, of_root
from workbench.history.look import look_at
from workbench.history.store import Store
from workbench.history.versions import Keeps, keeps_all

YOUNG = 50_000_000
"""nanoseconds within which a change might not show in the time stamp"""
COARSE = 2_000_000_000
"""the same where time stamps are whole seconds"""
_UNTRUSTED = -1


@dataclass(frozen=True)
class Limits:
    """What is left out of a workspace, and then said."""

    file: int = 16 << 20
    """largest file whose content is kept beforehand"""
    total: int = 2 << 30
    """bytes kept beforehand in all"""
    files: int = 300_000


Seen = dict[str, tuple[Entry | None, Entry | None]]
"""path -> what it was, what it is"""


@dataclass
class Tree:
    """Not safe between threads: whoever uses it holds `lock`."""

    root: str
    store: Store
    keeps: Keeps = keeps_all
    limits: Limits = field(default_factory=Limits)
    lock: threading.RLock = field(default_factory=threading.RLock)
    entries: dict[str, Entry] = field(default_factory=dict)
    """by relative path"""
    skipped: dict[str, str] = field(default_factory=dict)
    """folders and files that are not looked at, and why"""
    new_folders: list[str] = field(default_factory=list)
    """that the last `refresh` found, relative"""
    complete: bool = False

    def __post_init__(self) -> None:
        self._clock: dict[str, int] = {}
        """ctime by absolute path: the one thing the fast look compares"""
        self._folders: dict[str, int] = {}
        """ctime of each folder by absolute path"""
        self._rules: dict[str, Ignore] = {}
        self._unsynced: set[str] = set()
        self._total = 0
        self.file = TreeFile(self.store.root / "trees", self.root)

    def load(self) -> list[dict[str, str]]:
        """Take over what was known when the workbench last ran; the commands that were under way then."""
        entries, begun = self.file.load()
        self.entries = entries
        for path, entry in entries.items():
            self._clock[f"{self.root}/{path}"] = entry.changed_ns
            self._total += entry.size
        return begun

    def refresh(self) -> Seen:
        """What changed since the last look; afterwards it is known, and the contents are in the store, durably."""
        seen: Seen = {}
        self.new_folders = []
        for path in self._suspects():
            self._look(path, seen)
        for folder in self._changed_folders():
            self._list(folder, seen)
        found = {path: pair for path, pair in seen.items() if not _same(*pair)}
        self._sync()
        self.file.add({path: now for path, (_, now) in seen.items()})
        return found

    def _suspects(self) -> list[str]:
        """Known files that are gone or whose ctime differs. The one loop that runs over everything."""
        lstat, found = os.lstat, []
        for path, changed in self._clock.items():
            try:
                if lstat(path).st_ctime_ns != changed:
                    found.append(path)
            except OSError:
                found.append(path)
        return found

    def _changed_folders(self) -> Iterator[str]:
        if not self._folders:
            yield self.root
        for folder, changed in list(self._folders.items()):
            try:
                info = os.lstat(folder)
            except OSError:
                info = None
            if info is None or not stat.S_ISDIR(info.st_mode):
                del self._folders[folder]
            elif info.st_ctime_ns != changed:
                yield folder

    def _list(self, folder: str, seen: Seen) -> None:
        """Look at the names of a folder and of those newly found below it."""
        todo = [folder]
        while todo:
            here = todo.pop()
            rules = self._rules_of(here)
            begun = time.time_ns()
            try:
                changed = os.lstat(here).st_ctime_ns
                with os.scandir(here) as listed:
                    items = list(listed)
            except OSError:
                self.skipped[self._rel(here)] = "it cannot be read"
                continue
            self._folders[here] = _trusted(changed, begun)
            todo += [path for item in items if (path := self._item(item, rules, seen))]

    def _item(self, item: os.DirEntry[str], rules: Ignore, seen: Seen) -> str | None:
        """Look at one name; a folder not known yet is given back."""
        path = item.path
        rel = self._rel(path)
        if item.is_dir(follow_symlinks=False):
            if path in self._folders or item.name in NEVER:
                return None
            if item.name in OUTPUT or rules.skips(path, folder=True):
                self.skipped[rel] = "output of tools" if item.name in OUTPUT else "ignored by .gitignore"
                return None
            self.new_folders.append(rel)
            return path
        known = self.entries.get(rel)
        if known is not None:
            if known.inode != item.inode() and rel not in seen:
                self._look(path, seen)
            return None
        if rel in seen or item.name.startswith(atomic.PREFIX):
            return None
        if rules.skips(path, folder=False):
            self.skipped[rel] = "ignored by .gitignore"
        elif len(self.entries) >= self.limits.files:
            self.skipped["…"] = f"more than {self.limits.files:,} files"
        else:
            self._look(path, seen)
        return None

    def _look(self, path: str, seen: Seen) -> None:
        """Read one file anew."""
        rel = self._rel(path)
        old = self.entries.get(rel)
        begun = time.time_ns()
        new = self._read(path, rel, old)
        if new is None:
            self.entries.pop(rel, None)
            self._clock.pop(path, None)
        else:
            self.entries[rel] = new
            self._clock[path] = _trusted(new.changed_ns, begun)
        if old is not None or new is not None:
            seen[rel] = (old, new)

    def _read(self, path: str, rel: str, old: Entry | None) -> Entry | None:
        try:
            info = os.lstat(path)
        except OSError:
            return None
        kind = "link" if stat.S_ISLNK(info.st_mode) else "file"
        if kind == "file" and not stat.S_ISREG(info.st_mode):
            return None
        mode = stat.S_IMODE(info.st_mode)
        entry = Entry(kind, "", info.st_size, mode, info.st_ctime_ns, info.st_ino, self._unkept(rel, info.st_size, old))
        if entry.why:
            return entry
        folder, _, name = path.rpartition("/")
        try:
            parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return self._kept(parent, name, rel, entry)
        except Refused:
            return Entry(kind, "", info.st_size, mode, info.st_ctime_ns, info.st_ino, "it cannot be read")
        finally:
            os.close(parent)

    def _kept(self, parent: int, name: str, rel: str, entry: Entry) -> Entry | None:
        found = look_at(parent, name, rel)
        try:
            if found.state.kind not in ("file", "link"):
                return None
            state = found.kept(self.store, durable=False)
        finally:
            found.close()
        self._unsynced.add(state.sha256)
        self._total += state.size
        mode = state.mode if state.kind == "file" else entry.mode
        return Entry(state.kind, state.sha256, state.size, mode, entry.changed_ns, entry.inode)

    def _unkept(self, rel: str, size: int, old: Entry | None) -> str:
        if why := self.keeps(rel, size):
            return why
        if size > self.limits.file:
            return f"it is larger than {self.limits.file >> 20} MiB"
        if self._total + size > self.limits.total and old is None:
            return f"the workspace holds more than {self.limits.total >> 20:,} MiB"
        return ""

    def _sync(self) -> None:
        self.store.sync(self._unsynced)
        self._unsynced = set()

    def _rules_of(self, folder: str) -> Ignore:
        """The ignore rules in a folder, read again each time it is listed."""
        if folder == self.root:
            rules = of_root(folder)
        else:
            above = folder.rpartition("/")[0]
            rules = (self._rules.get(above) or self._rules_of(above)).enter(folder)
        self._rules[folder] = rules
        return rules

    def _rel(self, path: str) -> str:
        return path[len(self.root) + 1 :]


def _trusted(changed: int, now: int) -> int:
    """`changed` as the ctime to compare with, unless a further change might get the same."""
    young = COARSE if changed % 1_000_000_000 == 0 else YOUNG
    return changed if changed < now - young else _UNTRUSTED


def _same(old: Entry | None, new: Entry | None) -> bool:
    return old is None and new is None if old is None or new is None else old.same(new)


def of(store: Store, root: Path, keeps: Keeps = keeps_all, limits: Limits | None = None) -> Tree:
    return Tree(str(root.resolve()), store, keeps, limits or Limits())
