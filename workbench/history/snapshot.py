"""What a command changed: a look at the whole workspace before and after it (SPEC B6).

    open_workspace(history)              # baseline in the background, when a workspace is opened; cheap to call again
    scan = before(history)               # `history` of the call: what lies there now is in the store
    scan.notes                           # for the card: what this command could change without a way back
    … the command …
    changes = scan.after()               # call it once, whatever became of the command
    changes.versions, changes.notes      # rows, and sentences on what changed and is not kept
    settle(history)                      # after a crash: what the cut-off command of this call had changed by then

Each change is recorded once. Where commands overlap, the first to end records what was found so far, and everything
that any of them records is `uncertain` (SPEC H7). What a tool's own version explains is left to that version.
A person's edit while a command runs cannot be told from the command's; before and after it is never taken for it.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.files import Refused
from workbench.history import tree as trees
from workbench.history.entries import Entry
from workbench.history.states import ABSENT, State
from workbench.history.tree import Seen, Tree
from workbench.history.versions import Change, History, Version

NAMED = 8
"""paths that a sentence names"""
EXPLAINED = 300
"""changed paths up to which the versions of each are asked for an explanation"""
_SKEW = timedelta(seconds=2)

_registry: dict[tuple[Path, str], "Watch"] = {}
_registry_lock = threading.Lock()


@dataclass(frozen=True)
class Changes:
    versions: tuple[Version, ...]
    notes: tuple[str, ...]
    """sentences: what changed and cannot be taken back, what was not looked at"""


@dataclass
class Watch:
    """The tree of one workspace in this process, the commands that run in it, and those a crash cut off."""

    tree: Tree
    running: list["Scan"] = field(default_factory=list)
    cut_off: dict[tuple[str, str], Seen] = field(default_factory=dict)
    ready: threading.Event = field(default_factory=threading.Event)
    failed: str = ""

    def baseline(self) -> None:
        """The first look. What differs from what an earlier run knew belongs to the commands that were cut off."""
        try:
            with self.tree.lock:
                begun = self.tree.load()
                known = bool(self.tree.entries)
                seen = self.tree.refresh()
                for who in begun:
                    self.cut_off[(who["session"], who["call"])] = dict(seen) if known else {}
        except (OSError, Refused) as e:
            self.failed = str(e)
        finally:
            self.ready.set()

    def look(self) -> None:
        """Look again, and let every running command know. The tree's lock is held."""
        seen = self.tree.refresh()
        for scan in self.running:
            scan.learn(seen, self.tree.new_folders)


def open_workspace(history: History) -> Watch:
    """The watch of a workspace; the first call in a process starts the baseline in a thread."""
    key = (history.store.root, history.workspace)
    with _registry_lock:
        watch = _registry.get(key)
        if watch is None or (watch.failed and not watch.running):
            watch = Watch(trees.of(history.store, history.fence.root, history.keeps))
            _registry[key] = watch
            threading.Thread(target=watch.baseline, name="baseline", daemon=True).start()
    return watch


def close_workspace(history: History) -> None:
    """Forget the watch; the next call reads it back from disk."""
    with _registry_lock:
        watch = _registry.pop((history.store.root, history.workspace), None)
    if watch:
        watch.ready.wait()


def before(history: History, *, wait: float = 5.0) -> "Scan":
    """Look at everything, so that what the command changes can be told and taken back.

    `wait`: seconds to wait for the baseline; where that is not complete in time the notes say so, and what the command
    changes is only named afterwards. Refused `io` when the history cannot be written, `no_file` without a workspace.
    """
    watch = open_workspace(history)
    scan = Scan(watch, history)
    if not watch.ready.wait(wait):
        scan.notes = ("The first look at this workspace is not complete yet, so changes of this command may not be "
                      "recorded.",)  # fmt: skip
        return scan
    if watch.failed:
        raise Refused("io", f"The workspace cannot be looked at: {watch.failed}. Nothing was run.")
    if not history.fence.root.is_dir():
        raise Refused("no_file", "The workspace folder is gone, so nothing was run. A person has to bring it back.")
    with watch.tree.lock:
        watch.look()
        watch.tree.file.begin(scan.who)
        scan.overlapped = bool(watch.running)
        for other in watch.running:
            other.overlapped = True
        watch.running.append(scan)
        scan.notes = _left_out(watch.tree)
        scan.watching = True
    return scan


@dataclass(eq=False)
class Scan:
    """One command under watch."""

    watch: Watch
    history: History
    notes: tuple[str, ...] = ()
    """before: what is not watched"""
    overlapped: bool = False
    watching: bool = False
    seen: Seen = field(default_factory=dict)
    new_folders: set[str] = field(default_factory=set)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def who(self) -> dict[str, str]:
        return {"session": self.history.session, "call": self.history.call, "by": self.history.by}

    def learn(self, seen: Seen, new_folders: Iterable[str]) -> None:
        for path, (old, new) in seen.items():
            first = self.seen[path][0] if path in self.seen else old
            self.seen[path] = (first, new)
        self.new_folders.update(new_folders)

    def after(self, *, uncertain: bool = False) -> Changes:
        """Look again and record what changed. A second call gives nothing."""
        if not self.watching:
            return self._too_late()
        self.watching = False
        with self.watch.tree.lock:
            try:
                self.watch.look()
                return self._record(uncertain=uncertain)
            finally:
                self.watch.running.remove(self)
                self.watch.tree.file.end(self.who)

    def _too_late(self) -> Changes:
        """The baseline came after the start, if at all: say what seems to have changed, with no way back."""
        started, self.started = self.started, datetime.max.replace(tzinfo=UTC)
        if not self.watch.ready.is_set() or self.watch.failed:
            return Changes((), self.notes)
        with self.watch.tree.lock:
            self.watch.look()
            since = started.timestamp() * 1e9
            found = sorted(path for path, e in self.watch.tree.entries.items() if e.changed_ns >= since)
        late = f"Changed before the first look was complete, so it cannot be taken back: {_named(found)}."
        return Changes((), (*self.notes, late) if found else self.notes)

    def _record(self, *, uncertain: bool) -> Changes:
        found = _record(self.history, self.seen, self.new_folders, self.started, uncertain=uncertain or self.overlapped)
        for other in self.watch.running:
            if other is not self:
                other.forget(self.seen)
        return found

    def forget(self, recorded: Seen) -> None:
        """Another command recorded these; this one answers only for what comes after."""
        for path, (_, new) in recorded.items():
            if path in self.seen:
                if _state(self.seen[path][1]).same_as(_state(new)):
                    del self.seen[path]
                else:
                    self.seen[path] = (new, self.seen[path][1])


def settle(history: History) -> Changes:
    """After a crash: record what the command of this call had changed, as uncertain. Waits for the baseline."""
    watch = open_workspace(history)
    watch.ready.wait()
    with watch.tree.lock:
        seen = watch.cut_off.pop((history.session, history.call), None)
        if seen is None:
            return Changes((), ())
        found = _record(history, seen, set(), datetime.min.replace(tzinfo=UTC) + _SKEW, uncertain=True)
        watch.tree.file.end({"session": history.session, "call": history.call, "by": history.by})
        return found


def _record(history: History, seen: Seen, folders: set[str], since: datetime, *, uncertain: bool) -> Changes:
    changes: list[Change] = []
    unkept: list[str] = []
    for path, (old, new) in sorted(seen.items()):
        start, end = _state(old), State("folder") if new is None and path in folders else _state(new)
        if len(seen) <= EXPLAINED:
            start, explained = _explained(history, path, start, since)
            uncertain_here = uncertain or explained
        else:
            uncertain_here = uncertain
        if start.same_as(end):
            continue
        if not (start.stored and end.stored):
            why = (new.why if new else "") or (old.why if old else "")
            unkept.append(f"{path} ({why})")
        made = tuple(sorted(f for f in folders if path.startswith(f + "/")))
        changes.append(Change(path, start, end, uncertain_here, made))
    versions = history.versions.record(
        changes, workspace=history.workspace, session=history.session, call=history.call, by=history.by
    ) if changes else []  # fmt: skip
    notes = (f"Changed and cannot be taken back: {_named(unkept)}.",) if unkept else ()
    return Changes(tuple(versions), notes)


def _explained(history: History, path: str, start: State, since: datetime) -> tuple[State, bool]:
    """Where the path stood after what other calls recorded meanwhile; whether there was any such record."""
    found = False
    for version in history.versions.of_path(history.workspace, path):
        mine = (version.session, version.call) == (history.session, history.call) and history.call
        if version.at >= since - _SKEW and not mine and version.after and version.before.same_as(start):
            start, found = version.after, True
    return start, found


def _state(entry: Entry | None) -> State:
    return entry.state if entry else ABSENT


def _left_out(tree: Tree) -> tuple[str, ...]:
    notes = []
    if skipped := tree.skipped():
        notes.append(f"Not watched, so changes there cannot be taken back: {_named(sorted(skipped))}.")
    if tree.unkept:
        large = [f"{path} ({why})" for path, why in sorted(tree.unkept.items())]
        notes.append(f"Watched, but without a way back: {_named(large)}.")
    return tuple(notes)


def _named(paths: list[str]) -> str:
    more = len(paths) - NAMED
    return ", ".join(paths[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
