"""Rows: ids that a person can read out, paths that need not be UTF-8."""

import pytest
from django.db import IntegrityError, connection, transaction

from workbench.web import models

pytestmark = pytest.mark.django_db(transaction=True)


def test_ids_are_short_unlike_and_easy_to_read() -> None:
    made = {models.short_id() for _ in range(2000)}
    assert len(made) == 2000
    assert all(len(i) == 12 and not set(i) & set("il1o0IO") for i in made)


@pytest.mark.parametrize("path", ["/plain", "/back\\slash", "/\\x41", "/bad \udcff", "/雪"])
def test_a_path_is_found_again_by_itself(path: str) -> None:
    models.Workspace.objects.create(path=path, name="w")
    assert models.Workspace.objects.get(path=path).path == path
    with connection.cursor() as cursor:
        cursor.execute("SELECT path FROM web_workspace")
        assert cursor.fetchone()[0].encode("utf-8")


def test_one_journal_has_each_number_once(session_row: models.Session) -> None:
    event = {"kind": "x", "at": "2026-01-01T00:00:00Z", "body": "{}", "prev": "", "hash": ""}
    models.Event.objects.create(session=session_row, seq=1, **event)
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Event.objects.create(session=session_row, seq=1, **event)


def test_a_session_with_a_journal_cannot_be_deleted_by_mistake(session_row: models.Session) -> None:
    models.Event.objects.create(
        session=session_row, seq=1, kind="x", at="2026-01-01T00:00:00Z", body="{}", prev="", hash=""
    )
    with pytest.raises(IntegrityError):
        session_row.delete()
