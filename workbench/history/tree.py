"""The watched files of one workspace: what they are, that their content is kept, and what changed since last time.

Looking again costs one `lstat` a known file and folder: an unchanged ctime means unchanged content and mode, an
unchanged folder has the same names. An entry that is about as young as the look that made it could change again within
the same tick of the clock, so it is not trusted and looked at once more. Whatever is read is opened by descriptor
beneath the root and through no link. A file that was there but not watched is never taken for a new one.
"""

import errno
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from workbench.files import Refused, atomic
from workbench.files.beneath import kernel_has_openat2, open_beneath
from workbench.history.disk import settled
from workbench.history.entries import Entry, TreeFile
from workbench.history.ignore import NEVER, OUTPUT, Ignore, of_root
from workbench.history.look import look_at
from workbench.history.store import Keeper, Store
from workbench.history.versions import Keeps, keeps_all

_UNTRUSTED = -1
_GONE, _UNREADABLE = -1, -2
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True)
class Limits:
    """What is left out of a workspace, and then said."""

    file: int = 16 << 20
    """largest file whose content is kept beforehand"""
    total: int = 2 << 30
    """bytes kept beforehand in all"""
    files: int = 300_000


Seen = dict[str, tuple[Entry | None, Entry | None]]
"""relative path -> what it was, what it is"""


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
    unkept: dict[str, str] = field(default_factory=dict)
    """watched files whose content is not kept, and why"""
    new_folders: list[str] = field(default_factory=list)
    """that the last `refresh` found, relative"""

    def __post_init__(self) -> None:
        self._clock: dict[str, int] = {}
        """ctime by absolute path: the one thing the fast look compares"""
        self._folders: dict[str, int] = {}
        """ctime of each folder by absolute path"""
        self._skipped: dict[str, dict[str, str]] = {}
        """by folder: names that are not watched, and why"""
        self._rules: dict[str, Ignore] = {}
        self._unsynced: set[str] = set()
        self._keeper: Keeper = self.store
        self._total = 0
        self._openat2 = kernel_has_openat2()
        self.file = TreeFile(self.store.root / "trees", self.root)

    def load(self) -> list[dict[str, str]]:
        """Take over what was known when the workbench last ran; the commands that were under way then."""
        entries, begun = self.file.load()
        for path, entry in entries.items():
            self._know(path, entry, entry.changed_ns)
        return begun

    def skipped(self) -> dict[str, str]:
        """What is not watched, by relative path, and why."""
        return {
            self._rel(f"{folder}/{name}"): why for folder, names in self._skipped.items() for name, why in names.items()
        }

    def refresh(self) -> Seen:
        """What changed since the last look; afterwards it is known, and the contents are in the store, durably.

        When the root itself is gone, so is every file. Refused when the store cannot be written.
        """
        seen: Seen = {}
        self.new_folders = []
        self._rules = {}
        try:
            root = os.open(self.root, _FOLDER)
        except FileNotFoundError:
            return self._all_gone()
        try:
            with self.store.batch() if not self.entries else nullcontext(self.store) as self._keeper:
                self._look_again(root, seen)
                for folder in self._changed_folders():
                    self._list(root, folder, seen)
        finally:
            os.close(root)
            self._keeper = self.store
            self.store.sync(self._unsynced)
            self._unsynced = set()
        self.file.add({path: now for path, (old, now) in seen.items() if old is not now})
        return {path: pair for path, pair in seen.items() if not _same(*pair)}

    def _all_gone(self) -> Seen:
        seen: Seen = {path: (entry, None) for path, entry in self.entries.items()}
        for known in (self.entries, self._clock, self._folders, self._skipped, self.unkept):
            known.clear()
        self._total = 0
        self.file.add(dict.fromkeys(seen))
        return seen

    def _look_again(self, root: int, seen: Seen) -> None:
        folder, parent = "", -1
        try:
            for path in self._suspects():
                above, _, name = path.rpartition("/")
                if above != folder or parent < 0:
                    _close(parent)
                    folder, parent = above, self._open(root, above)
                self._look(parent, name, self._rel(path), seen)
        finally:
            _close(parent)

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
                if os.lstat(folder).st_ctime_ns != changed:
                    yield folder
            except OSError:
                self._drop(folder)

    def _list(self, root: int, folder: str, seen: Seen) -> None:
        """Look at the names of a folder and of those newly found below it."""
        todo = [(folder, False)]
        while todo:
            here, known = todo.pop()
            parent = self._open(root, here)
            if parent < 0:
                self._drop(here, unreadable=parent == _UNREADABLE)
                continue
            try:
                begun = time.time_ns()
                changed = os.fstat(parent).st_ctime_ns
                with os.scandir(parent) as listed:
                    items = list(listed)
                skipped, self._skipped[here] = self._skipped.get(here, {}), {}
                for item in items:
                    was_there = known or item.name in skipped
                    if self._item(parent, here, item, seen, known=was_there):
                        todo.append((f"{here}/{item.name}", was_there))
                self._folders[here] = _trusted(changed, begun)
            except OSError:
                self._drop(here, unreadable=True)
            finally:
                os.close(parent)

    def _item(self, parent: int, folder: str, item: os.DirEntry[str], seen: Seen, *, known: bool) -> bool:
        """Look at one name; True for a folder that is to be listed. `known`: it was there before, unwatched."""
        path = f"{folder}/{item.name}"
        rel = self._rel(path)
        is_folder = item.is_dir(follow_symlinks=False)
        if is_folder and (path in self._folders or item.name in NEVER):
            return False
        entry = None if is_folder else self.entries.get(rel)
        if entry is not None:
            if entry.inode != item.inode() and rel not in seen:
                self._look(parent, item.name, rel, seen)
            return False
        if item.name.startswith(atomic.PREFIX):
            return False
        if why := self._why_not(path, item.name, is_folder=is_folder):
            self._skipped[folder][item.name] = why
            return False
        if is_folder:
            self.new_folders += [] if known else [rel]
            return True
        self._look(parent, item.name, rel, seen)
        if known and rel in seen:
            seen[rel] = (seen[rel][1], seen[rel][1])
            self.file.add({rel: seen[rel][1]})
        return False

    def _why_not(self, path: str, name: str, *, is_folder: bool) -> str:
        """Why something that is not known yet is not watched, "" when it is."""
        if is_folder and name in OUTPUT:
            return "output of tools"
        if self._rules_of(path.rpartition("/")[0]).skips(path, folder=is_folder):
            return "ignored by .gitignore"
        return f"more than {self.limits.files:,} files" if len(self.entries) >= self.limits.files else ""

    def _look(self, parent: int, name: str, rel: str, seen: Seen) -> None:
        """Read one file anew. What is in a folder that cannot be entered now is taken to be as it was."""
        old = self.entries.get(rel)
        begun = time.time_ns()
        new = self._read(parent, name, rel, old) if parent >= 0 else old if parent == _UNREADABLE else None
        if new is None:
            self.entries.pop(rel, None)
            self.unkept.pop(rel, None)
            self._clock.pop(f"{self.root}/{rel}", None)
        else:
            self._know(rel, new, _trusted(new.changed_ns, begun))
        if old is not None or new is not None:
            seen[rel] = (seen[rel][0] if rel in seen else old, new)

    def _know(self, rel: str, entry: Entry, changed: int) -> None:
        old = self.entries.get(rel)
        self._total += entry.size - (old.size if old else 0)
        self.entries[rel] = entry
        self._clock[f"{self.root}/{rel}"] = changed
        if entry.why:
            self.unkept[rel] = entry.why
        else:
            self.unkept.pop(rel, None)

    def _read(self, parent: int, name: str, rel: str, old: Entry | None) -> Entry | None:
        try:
            info = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError:
            return old
        kind = "link" if stat.S_ISLNK(info.st_mode) else "file"
        if kind == "file" and not stat.S_ISREG(info.st_mode):
            return None
        mode = stat.S_IMODE(info.st_mode)
        entry = Entry(kind, "", info.st_size, mode, info.st_ctime_ns, info.st_ino, self._unkept(rel, info.st_size, old))
        if entry.why:
            return entry
        try:
            found = look_at(parent, name, rel)
        except Refused:
            return Entry(kind, "", info.st_size, mode, info.st_ctime_ns, info.st_ino, "it cannot be read")
        try:
            if found.state.kind not in ("file", "link"):
                return None
            state = found.kept(self._keeper, durable=False)
        finally:
            found.close()
        if self._keeper is self.store:
            self._unsynced.add(state.sha256)
        mode = state.mode if state.kind == "file" else mode
        return Entry(state.kind, state.sha256, state.size, mode, info.st_ctime_ns, info.st_ino)

    def _unkept(self, rel: str, size: int, old: Entry | None) -> str:
        if why := self.keeps(rel, size):
            return why
        if size > self.limits.file:
            return f"it is larger than {self.limits.file >> 20} MiB"
        if self._total + size > self.limits.total and old is None:
            return f"the workspace holds more than {self.limits.total >> 20:,} MiB"
        return ""

    def _rules_of(self, folder: str) -> Ignore:
        """The ignore rules in a folder, read once a refresh."""
        rules = self._rules.get(folder)
        if rules is None:
            above = folder.rpartition("/")[0]
            rules = of_root(folder) if folder == self.root else self._rules_of(above).enter(folder)
            self._rules[folder] = rules
        return rules

    def _open(self, root: int, folder: str) -> int:
        """A descriptor of a folder; _GONE when it is gone or a link leads to it, else _UNREADABLE."""
        try:
            return open_beneath(root, self._rel(folder), _FOLDER, openat2=self._openat2)
        except OSError as e:
            return _GONE if e.errno in _NOT_THERE else _UNREADABLE

    def _drop(self, folder: str, *, unreadable: bool = False) -> None:
        self._folders.pop(folder, None)
        self._skipped.pop(folder, None)
        if unreadable:
            above, _, name = folder.rpartition("/")
            self._skipped.setdefault(above, {})[name] = "it cannot be read"

    def _rel(self, path: str) -> str:
        return path[len(self.root) + 1 :]


def _close(fd: int) -> None:
    if fd >= 0:
        os.close(fd)


def _trusted(changed: int, now: int) -> int:
    """`changed` as the ctime to compare with, unless a further change might get the same."""
    return changed if settled(changed, now) else _UNTRUSTED


def _same(old: Entry | None, new: Entry | None) -> bool:
    return old is None and new is None if old is None or new is None else old.same(new)


def of(store: Store, root: Path, keeps: Keeps = keeps_all, limits: Limits | None = None) -> Tree:
    return Tree(str(root.resolve()), store, keeps, limits or Limits())
