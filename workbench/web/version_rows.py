"""The promises of `history.versions.Versions`, kept with the database. Called from worker threads."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from workbench.history.states import State
from workbench.history.versions import Change, Version
from workbench.web import models


def as_version(row: models.Version) -> Version:
    return Version(
        id=row.pk,
        workspace=row.workspace.path,
        path=row.path,
        before=State(**row.before),
        after=State(**row.after) if row.after is not None else None,
        session=row.session_id,
        call=row.call_id,
        by=row.by,
        at=row.at,
        status=row.status,  # type: ignore[arg-type]  # only `begin`, `finish`, `drop` and `record` set it
        undoes=tuple(row.undoes),
        partial=row.partial,
        undone_by=row.undone_by,
        uncertain=row.uncertain,
        intended=row.intended,
        folders=tuple(row.folders),
    )


def _all() -> QuerySet[models.Version]:
    return models.Version.objects.select_related("workspace").order_by("pk")


def _workspace(path: str) -> models.Workspace:
    return models.Workspace.objects.get_or_create(path=path, defaults={"name": path.rsplit("/", 1)[-1] or path})[0]


class DatabaseVersions:
    """See the protocol. Every method is one transaction."""

    def begin(
        self,
        *,
        workspace: str,
        path: str,
        before: State,
        session: str,
        call: str,
        by: str,
        undoes: tuple[int, ...] = (),
        partial: bool = False,
        intended: str = "",
        folders: tuple[str, ...] = (),
    ) -> int:
        row = models.Version.objects.create(
            workspace=_workspace(workspace),
            path=path,
            before=asdict(before),
            session_id=session,
            call_id=call,
            by=by[:150],
            undoes=list(undoes),
            partial=partial,
            intended=intended,
            folders=list(folders),
        )
        return row.pk

    @transaction.atomic
    def finish(self, version: int, after: State, *, uncertain: bool = False, folders: tuple[str, ...] = ()) -> Version:
        row = _all().select_for_update().get(pk=version)
        row.after, row.uncertain, row.folders, row.status = asdict(after), uncertain, list(folders), "done"
        row.save()
        if row.undoes and not row.partial:
            models.Version.objects.filter(pk__in=row.undoes).update(undone_by=row.pk)
        return as_version(row)

    def drop(self, version: int) -> None:
        models.Version.objects.filter(pk=version, status="pending").update(status="dropped")

    @transaction.atomic
    def record(self, changes: Sequence[Change], *, workspace: str, session: str, call: str, by: str) -> list[Version]:
        home = _workspace(workspace)
        return [
            as_version(
                models.Version.objects.create(
                    workspace=home,
                    path=change.path,
                    before=asdict(change.before),
                    after=asdict(change.after),
                    session_id=session,
                    call_id=call,
                    by=by[:150],
                    status="done",
                    uncertain=change.uncertain,
                    folders=list(change.folders),
                )
            )
            for change in changes
        ]

    def get(self, version: int) -> Version | None:
        row = _all().filter(pk=version).first()
        return as_version(row) if row else None

    def of_path(self, workspace: str, path: str) -> list[Version]:
        return self._done(workspace__path=workspace, path=path)

    def of_session(self, session: str) -> list[Version]:
        return self._done(session=session)

    def of_call(self, session: str, call: str) -> list[Version]:
        return self._done(session=session, call_id=call)

    def pending(self, workspace: str) -> list[Version]:
        return [as_version(row) for row in _all().filter(workspace__path=workspace, status="pending")]

    def kept(self) -> list[Version]:
        stored = Q(before__stored=True, before__sha256__gt="") | Q(after__stored=True, after__sha256__gt="")
        return [as_version(row) for row in _all().exclude(status="dropped").filter(stored)]

    @transaction.atomic
    def forget(self, sha256s: Collection[str]) -> int:
        gone = set(sha256s)
        touched = 0
        for row in _all().filter(Q(before__sha256__in=gone) | Q(after__sha256__in=gone)):
            before, after = _without(row.before, gone), _without(row.after, gone)
            if (before, after) != (row.before, row.after):
                models.Version.objects.filter(pk=row.pk).update(before=before, after=after)
                touched += 1
        return touched

    @staticmethod
    def _done(**where: Any) -> list[Version]:
        return [as_version(row) for row in _all().filter(status="done", **where)]


def _without(state: dict[str, Any] | None, gone: set[str]) -> dict[str, Any] | None:
    return {**state, "stored": False} if state and state["sha256"] in gone else state
