"""After a crash: pending versions are closed by what the disk shows, leftovers are swept."""

from workbench.files import Refused
from workbench.history.locks import hold
from workbench.history.look import look, recorded
from workbench.history.versions import History, Version


def recover(history: History) -> list[Version]:
    """Settle every pending version of the workspace; those that turned out to have happened.

    The file is as before: the change never happened, the row is dropped. The file is what the change was going to
    leave: it happened. Anything else: it happened or someone else wrote since, which the version says (`uncertain`).
    A row whose path is locked belongs to a living process and is left alone, as is one whose path cannot be looked at.
    """
    closed = []
    for version in history.versions.pending(history.workspace):
        try:
            lock = hold(history.store.root / "locks", f"{history.workspace}\0{version.path}", wait=0)
        except Refused:
            continue
        try:
            settled = _settle(history, version)
        except Refused:
            continue
        finally:
            lock.release()
        if settled:
            closed.append(settled)
    return closed


def _settle(history: History, version: Version) -> Version | None:
    fresh = history.versions.get(version.id)
    if fresh is None or fresh.status != "pending":
        return None
    place = recorded(history.fence, version.path)
    with look(history.fence, place) as found:
        now = found.hashed()
        if now.same_as(version.before):
            history.versions.drop(version.id)
            return None
        after = found.kept(None if history.unkept(place) else history.store, durable=True)
    sure = version.intended == after.sha256 if version.intended else after.kind == "absent"
    return history.versions.finish(version.id, after, uncertain=not sure, folders=version.folders)
