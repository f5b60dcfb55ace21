"""Taking changes back: plan first, then apply.

    rb = Rollback(history)                 # `history` as for a call: fence, store, rows, session, and who does it
    plan = rb.version(17)                  # one edit              rb.version(17, hunks={0})      one hunk of it
    plan = rb.call(session, call)          # what a call did       rb.session(session, after=12)  rewind to version 12
    plan = rb.versions([…])                # any versions, in any order
    plan = rb.restore("a.py", 17)          # one file as version 17 left it (`side="before"`: as it found it)
    plan.steps[0].action, .message, .mine, .data, .conflicts …    # show it, `diff(step.mine, step.data)`
    outcomes = apply(rb, plan)             # history/apply.py: one outcome a path, never one `ok` for all

Rules that hold:
* Only paths that the versions themselves name are ever touched.
* If a file is what the change left, the bytes from before come back as they were. If not, the inverse of the change is
  merged three-way into what is there. If that overlaps, nothing is written and the three texts are shown.
* What is written is itself a version (`undoes` names what it takes back), so it can be taken back too.
* A missing or damaged content is an error, never read as `there was no file`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workbench.files import Refused
from workbench.history.hunks import without_hunks
from workbench.history.inverse import Action, Answer, Edge, Image, reader, undo
from workbench.history.look import look, recorded
from workbench.history.merge import Conflict
from workbench.history.states import State
from workbench.history.store import Damaged
from workbench.history.versions import History, Version, Versions
from workbench.history.whereabouts import find_content

UNKNOWN = State("other")
"""what lies at a path that cannot be looked at"""


@dataclass(frozen=True)
class Step:
    """What a rollback does to one path."""

    path: str
    action: Action
    """restore: exact bytes come back; merge: the inverse merged into later changes; already: nothing to do;
    conflict: overlaps with later changes; refused: cannot be done; ask: needs a yes (`needs`)"""
    versions: tuple[Version, ...]
    """what is taken back, oldest first; empty for `Rollback.restore`"""
    now: State
    """what lies there, hashed"""
    result: State
    """what will lie there; equal to `now` when nothing is written"""
    data: bytes = b""
    """bytes of `result`"""
    mine: bytes = b""
    """bytes of `now`"""
    base: bytes | None = None
    """conflict: what the change left"""
    theirs: bytes | None = None
    """conflict: what was there before the change"""
    conflicts: tuple[Conflict, ...] = ()
    needs: Literal["", "recreate"] = ""
    """what a person has to say yes to: `Rollback(history, recreate=True)`"""
    message: str = ""
    """a sentence for the person"""
    depends: tuple[int, ...] = ()
    """later versions of this path that still stand; taking them back too may clear the way"""
    others: tuple[str, ...] = ()
    """who made the later changes: session ids, and `someone else` for what no version explains"""
    moved_to: str = ""
    """the file seems to lie here now"""
    hunks: frozenset[int] = frozenset()

    @property
    def undoes(self) -> tuple[int, ...]:
        return tuple(v.id for v in self.versions)

    @property
    def writes(self) -> bool:
        return self.action in ("restore", "merge")

    @property
    def stuck(self) -> bool:
        return self.action in ("conflict", "refused", "ask")


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    left_out: tuple[Version, ...] = ()
    """uncertain versions that nobody ticked (SPEC H7)"""

    @property
    def ready(self) -> bool:
        """Nothing is in the way, and something is to be done."""
        return any(s.writes for s in self.steps) and not any(s.stuck for s in self.steps)


@dataclass
class Rollback:
    history: History
    recreate: bool = False
    """a person said yes to bringing deleted files back"""
    uncertain: Collection[int] = ()
    """ids of uncertain versions that someone ticked for a rewind"""

    def version(self, number: int, *, hunks: Collection[int] = ()) -> Plan:
        """Take one version back, or only some of its hunks (numbered from 0 as `diff` gives them)."""
        version = self.closed(number)
        if is_undone(self.history.versions, version):
            return Plan((self._settled(version, f"Version {number} has already been rolled back."),))
        return Plan((self.path([version], frozenset(hunks)),))

    def call(self, session: str, call: str) -> Plan:
        """Take back what one call did."""
        return self.versions(self.history.versions.of_call(session, call))

    def session(self, session: str, *, after: int = 0) -> Plan:
        """Rewind a session's files to where they were after version `after` of it (0: before its first change)."""
        return self.versions([v for v in self.history.versions.of_session(session) if v.id > after])

    def versions(self, versions: Iterable[Version]) -> Plan:
        """Take several versions back, path by path; those already taken back are left out. Refused `noop` when there
        is none. Uncertain ones count only when ticked."""
        given = sorted({v.id: v for v in versions if v.status == "done"}.values(), key=lambda v: v.id)
        if not given:
            raise Refused("noop", "There is nothing to roll back: no change was recorded here.")
        certain = [v for v in given if not v.uncertain or v.id in self.uncertain]
        left_out = tuple(v for v in given if v not in certain)
        ids = {v.id for v in certain}
        paths: dict[str, list[Version]] = {}
        for v in certain:
            if not is_undone(self.history.versions, v) or v.undone_by in ids:
                paths.setdefault(v.path, []).append(v)
        steps = [self.path(group) for group in paths.values()]
        return Plan(tuple(sorted(steps, key=_order)), left_out)

    def restore(self, path: str, number: int, *, side: Literal["before", "after"] = "after") -> Plan:
        """Make one file what it was after (or before) a version of it; later changes go, as versions that stay."""
        version = self.closed(number)
        if version.path != path:
            raise Refused("bad_args", f"Version {number} is of {version.path}, not of {path}.", path=path)
        aim = version.after if side == "after" else version.before
        assert aim is not None
        try:
            now = self.now(path)
        except Refused as e:
            return Plan((Step(path, "refused", (), UNKNOWN, UNKNOWN, message=e.message),))
        if now.state.kind in ("folder", "other") or aim.kind in ("folder", "other"):
            return Plan((Step(path, "refused", (), now.state, now.state, message=f"A {now.state.kind} lies there."),))
        try:
            data = reader(self.history.store)(aim) if aim.kind in ("file", "link") else b""
        except Damaged as e:
            return Plan((Step(path, "refused", (), now.state, now.state, mine=now.data, message=e.message),))
        action: Action = "already" if aim.same_as(now.state) else "restore"
        return Plan((_guarded(Step(path, action, (), now.state, aim, data, now.data), ours=False),))

    def path(self, group: Sequence[Version], hunks: frozenset[int] = frozenset()) -> Step:
        """The step of one path, against what lies there now."""
        path = group[0].path
        try:
            now = self.now(path)
        except Refused as e:
            return Step(path, "refused", tuple(group), UNKNOWN, UNKNOWN, message=e.message)
        edges = [Edge(v.before, v.after) for v in group if v.after]
        if hunks:
            try:
                edges = [self._edge_of_hunks(group[0], hunks)]
            except Refused as e:
                return Step(path, "refused", tuple(group), now.state, now.state, mine=now.data, message=e.message)
        answer = undo(edges, now, reader(self.history.store), recreate=self.recreate)
        step = Step(
            path, answer.action, tuple(group), now.state, answer.image.state, answer.image.data, now.data,
            answer.base, answer.theirs, answer.conflicts, answer.needs, answer.message, hunks=hunks,
        )  # fmt: skip
        if step.stuck:
            step = self._explained(step, answer)
        ours = any(v.after and v.before.mode != v.after.mode == now.state.mode for v in group)
        return _guarded(step, ours=ours)

    def now(self, path: str) -> Image:
        """What lies at a path that a version names, without following a link that stands there now.

        Refused `too_large` when the history could not keep it, and what the fence refuses.
        """
        with look(self.history.fence, recorded(self.history.fence, path)) as found:
            if found.state.size > (most := self.history.store.max_size):
                why = f"{path} is {found.state.size:,} bytes long now; above {most:,} it is left as it is."
                raise Refused("too_large", why, path=path)
            return Image(found.hashed(), found.data())

    def closed(self, number: int) -> Version:
        version = self.history.versions.get(number)
        if version is None or version.status != "done" or version.workspace != self.history.workspace:
            raise Refused("not_found", f"There is no version {number} in this workspace.", version=number)
        return version

    def _settled(self, version: Version, message: str) -> Step:
        now = self.now(version.path)
        return Step(version.path, "already", (version,), now.state, now.state, now.data, now.data, message=message)

    def _edge_of_hunks(self, version: Version, hunks: frozenset[int]) -> Edge:
        assert version.after is not None
        read = reader(self.history.store)
        if version.before.kind != "file" or version.after.kind != "file":
            raise Refused("bad_args", "Single hunks can be taken back only of an edit; take the whole change back.")
        theirs = without_hunks(read(version.before), read(version.after), hunks)
        return Edge(version.before, version.after, theirs)

    def _explained(self, step: Step, answer: Answer) -> Step:
        """Who is in the way, and what would help."""
        ids = set(step.undoes)
        known = self.history.versions.of_path(self.history.workspace, step.path)
        later = [v for v in known if v.id > min(ids) and v.id not in ids and not v.undoes]
        later = [v for v in later if not is_undone(self.history.versions, v)]
        sessions = list(dict.fromkeys(v.session for v in later))
        last = known[-1].after if known else None
        if last is None or not last.same_content(step.now):
            sessions.append("someone else")
        step = replace(step, depends=tuple(v.id for v in later), others=tuple(sessions))
        if answer.needs == "recreate":
            state = step.versions[-1].after
            step = replace(step, moved_to=find_content(self.history.fence.root, state) if state else "")
            if step.moved_to:
                step = replace(step, message=f"{step.message} The same content lies at {step.moved_to} now.")
        elif later and step.versions[0].before.kind == "absent" and step.action == "conflict":
            named = ", ".join(map(str, step.depends))
            why = f"Version {named} of this file builds on the one that made it. Take them back together."
            step = replace(step, action="refused", message=why)
        return step


def is_undone(versions: Versions, version: Version) -> bool:
    """Whether a version is taken back at the moment: its rollback may have been taken back in turn."""
    undone = False
    while version.undone_by is not None:
        later = versions.get(version.undone_by)
        if later is None:
            break
        undone = not undone
        version = later
    return undone


def latest(versions: Versions, session: str) -> Version:
    """The last change of a session that still stands. Refused `noop` when there is none."""
    for version in reversed(versions.of_session(session)):
        if not version.undoes and not is_undone(versions, version):
            return version
    raise Refused("noop", "There is nothing to roll back: this session has no change that still stands.")


def _order(step: Step) -> tuple[bool, str]:
    """Removals first, so that a folder can come back where a file was."""
    return step.result.kind != "absent", step.path


def _guarded(step: Step, *, ours: bool) -> Step:
    """A file that is read-only now stays, unless the change itself made it so."""
    content = not step.now.same_content(step.result)
    if step.writes and content and step.now.kind == "file" and not step.now.mode & 0o222 and not ours:
        why = f"{step.path} is read-only (mode {step.now.mode:04o}), so it is left as it is. Make it writable first."
        return replace(step, action="refused", result=step.now, data=step.mine, message=why)
    return step
