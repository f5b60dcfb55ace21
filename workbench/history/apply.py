"""Carrying out a rollback plan: every path under its lock, every write a version of its own.

Each path is settled for itself: a kill between two paths leaves each of them old or new, and `recover` closes the row
that was open. If what lies there is no longer what the plan was made for, the step is planned anew.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from workbench.files import Refused, atomic
from workbench.files.fence import Fence, Place
from workbench.history.look import recorded
from workbench.history.rollback import Plan, Rollback, Step, is_undone
from workbench.history.states import ABSENT, State
from workbench.history.versions import Version

TRIES = 4


@dataclass(frozen=True)
class Outcome:
    """What became of one path."""

    path: str
    status: Literal["done", "already", "conflict", "refused", "ask", "stale", "held"]
    """stale: changed again while it was applied, and an exact plan was asked for; held: could be done, but others of
    the same plan could not"""
    message: str
    step: Step
    version: Version | None = None


def apply(rb: Rollback, plan: Plan, *, some: bool = False, exact: bool = False) -> list[Outcome]:
    """Do it. When a step is stuck nothing is done at all, unless `some` says to do what can be done.

    `exact`: only if every file is still what the plan was made for; else a changed file is planned anew, and a step
    that is then stuck says so.
    """
    if any(step.stuck for step in plan.steps) and not some:
        return [_held(step) for step in plan.steps]
    return [_one(rb, step, exact=exact) for step in plan.steps]


def _held(step: Step) -> Outcome:
    if step.writes:
        return Outcome(step.path, "held", "Not done, because other files of this rollback are in the way.", step)
    return _told(step)


def _told(step: Step) -> Outcome:
    assert step.action not in ("restore", "merge")
    return Outcome(step.path, step.action, step.message, step)  # type: ignore[arg-type]


def _one(rb: Rollback, step: Step, *, exact: bool) -> Outcome:
    for _ in range(TRIES):
        if not step.writes:
            return _told(step)
        try:
            version = _write(rb, step)
        except Refused as e:
            if e.code != "stale":
                return Outcome(step.path, "refused", e.message, step)
            version = None
        if version:
            return Outcome(step.path, "done", _said(step), step, version)
        if exact:
            break
        step = _again(rb, step)
    return Outcome(step.path, "stale", "The file was changed again; look at the new preview.", step)


def _said(step: Step) -> str:
    done = "removed" if step.result.kind == "absent" else "restored" if step.action == "restore" else "merged"
    return step.message or f"{step.path} was {done}."


def _again(rb: Rollback, step: Step) -> Step:
    """The same step against what lies there now."""
    if not step.versions:
        now = rb.now(step.path)
        return Step(step.path, step.action, (), now.state, step.result, step.data, now.data)
    rows = rb.history.versions
    fresh = [v for v in (rows.get(i) for i in step.undoes) if v]
    if len(fresh) == 1 and not step.hunks and is_undone(rows, fresh[0]):
        now = rb.now(step.path)
        message = f"Version {fresh[0].id} has already been rolled back."
        return Step(step.path, "already", tuple(fresh), now.state, now.state, now.data, now.data, message=message)
    return rb.path(fresh, step.hunks)


def _write(rb: Rollback, step: Step) -> Version | None:
    """The version written; None when something else lies there than the step was made for."""
    history = rb.history
    place = recorded(history.fence, step.path)
    becomes = step.data if step.result.kind in ("file", "link") else None
    partial = bool(step.hunks)
    with history.before(place, becomes=becomes, undoes=step.undoes, partial=partial) as pending:
        taken = len(step.versions) == 1 and not partial and is_undone(history.versions, _fresh(rb, step.versions[0]))
        if taken or not pending.before.same_as(step.now):
            pending.dropped()
            return None
        put(history.fence, place, step.now, step.result, step.data)
        version = pending.done(becomes if step.result.kind == "file" else None)
        if step.result.kind == "absent":
            _clear_folders(history.fence, step)
        return version


def _fresh(rb: Rollback, version: Version) -> Version:
    return rb.history.versions.get(version.id) or version


def put(fence: Fence, place: Place, now: State, result: State, data: bytes) -> None:
    """Make `place`, where `now` lies, what `result` says. Refused `stale` when something else lies there."""
    parent, name = fence.open_parent(place, create=result.kind != "absent")
    try:
        if now.kind == "folder" != result.kind:
            os.rmdir(name, dir_fd=parent)
            now = ABSENT
        if now.kind == result.kind == "file" and now.sha256 == result.sha256:
            os.chmod(name, result.mode, dir_fd=parent)
        elif result.kind == "file":
            if now.kind == "link":
                atomic.delete(parent, name, rel=place.rel, expect=now.sha256)
            elif now.kind == "file" and not now.mode & 0o222:
                os.chmod(name, result.mode | 0o200, dir_fd=parent)
            expect = now.sha256 if now.kind == "file" else None
            atomic.write(parent, name, data, rel=place.rel, expect=expect, mode=result.mode)
        elif result.kind == "link":
            _link(parent, name, data, over=now.kind != "absent")
        elif result.kind in ("absent", "folder"):
            if now.kind != "absent":
                atomic.delete(parent, name, rel=place.rel, expect=now.sha256)
            if result.kind == "folder":
                os.mkdir(name, result.mode or 0o777, dir_fd=parent)
        os.fsync(parent)
    except OSError as e:
        raise Refused("io", f"{place.rel} could not be changed: {e.strerror}.", path=place.rel) from e
    finally:
        os.close(parent)


def _link(parent: int, name: str, target: bytes, *, over: bool) -> None:
    temp = atomic.PREFIX + secrets.token_hex(8)
    os.symlink(target, os.fsencode(temp), dir_fd=parent)
    try:
        if over:
            os.replace(temp, name, src_dir_fd=parent, dst_dir_fd=parent)
        else:
            os.link(temp, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp, dir_fd=parent)


def _clear_folders(fence: Fence, step: Step) -> None:
    """Remove the folders that the change itself made on the way, innermost first, as long as they are empty."""
    made = [f for v in step.versions for f in v.folders if step.path.startswith(f + "/")]
    for folder in sorted(set(made), key=len, reverse=True):
        with suppress(Refused, OSError):
            parent, name = fence.open_parent(recorded(fence, folder))
            for fd in _closing(parent):
                os.rmdir(name, dir_fd=fd)


def _closing(fd: int) -> Iterator[int]:
    try:
        yield fd
    finally:
        os.close(fd)
