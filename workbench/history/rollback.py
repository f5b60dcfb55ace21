"""Taking changes back: plan first, then apply.

    rb = Rollback(history)                 # `history` as for a call: fence, store, rows, session, and who does it
    plan = rb.version(17)                  # one edit              rb.version(17, hunks={0})      one hunk of it
    plan = rb.versions([…])                # a call's, a session's from a point on (newest may be given in any order)
    plan = rb.restore("a.py", 17)          # one file to what it was after version 17 (`side="before"`: before it)
    plan.steps[0].action, .diff, .conflicts, .message …           # show it
    outcomes = apply(rb, plan)             # history/apply.py: one outcome a path, never one `ok` for all

Rules that hold:
* Only paths that the versions themselves name are ever touched.
* If a file is what the change left, the bytes from before come back as they were. If not, the inverse of the change is
  merged three-way into what is there. If that overlaps, nothing is written and the three texts are shown.
* What is written is itself a version (`undoes` names what it takes back), so it can be taken back too.
* A missing or damaged content is an error, never read as `there was no file`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.history.merge import Conflict
from workbench.history.states import State
from workbench.history.versions import History, Version

Action = Literal["restore", "merge", "already", "conflict", "refused", "ask"]


@dataclass(frozen=True)
class Step:
    """What a rollback does to one path."""

    path: str
    action: Action
    """restore: exact bytes come back; merge: the inverse merged into later changes; already: nothing to do;
    conflict: overlaps with later changes; refused: cannot be done; ask: needs a yes (`needs`)"""
    undoes: tuple[int, ...]
    now: State
    """what lies there, hashed"""
    result: State | None = None
    """what will lie there; None when nothing is written"""
    data: bytes | None = None
    """its bytes"""
    mine: bytes | None = None
    """the bytes that lie there now, None when no text"""
    base: bytes | None = None
    """conflict: what the change left"""
    theirs: bytes | None = None
    """conflict: what was there before the change"""
    conflicts: tuple[Conflict, ...] = ()
    needs: Literal["", "recreate", "through_link", "uncertain"] = ""
    message: str = ""
    """a sentence for the person"""
    depends: tuple[int, ...] = ()
    """later versions in the way: taking them back too would do"""
    others: tuple[str, ...] = ()
    """who made the later changes: session ids, or `someone else`"""
    moved_to: str = ""
    """the file seems to lie here now"""


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    kind: Literal["version", "hunks", "versions", "restore"] = "version"

    @property
    def ready(self) -> bool:
        """Every step can be done, and at least one changes something."""
        raise NotImplementedError


@dataclass
class Rollback:
    history: History
    recreate: bool = False
    """a person said yes to bringing a deleted file back"""
    uncertain: Collection[int] = ()
    """ids of uncertain versions that someone ticked"""

    def version(self, number: int, *, hunks: Collection[int] = ()) -> Plan:
        raise NotImplementedError

    def versions(self, versions: Sequence[Version]) -> Plan:
        raise NotImplementedError

    def restore(self, path: str, version: int, *, side: Literal["before", "after"] = "after") -> Plan:
        raise NotImplementedError
