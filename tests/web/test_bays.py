"""Sessions in bays: what needs a person first (G5, U1)."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.web.records import asked, call, question, started
from workbench.journal.kinds import SessionDone, SessionFailed, SessionStarted
from workbench.web import adapters, models
from workbench.web.bays import ENDED, bays

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def new(session_row: models.Session):  # type: ignore[no-untyped-def]
    def make(title: str, *events: object) -> models.Session:
        row = models.Session.objects.create(workspace=session_row.workspace, model="demo", title=title)
        begun = SessionStarted(task=title, workspace="/ws", model="demo", mode="ask")
        adapters.append(row.pk, [begun, *events])  # type: ignore[list-item]
        row.refresh_from_db()
        return row

    session_row.delete()
    return make


def test_an_empty_workbench(transactional_db: None, data: object) -> None:
    found = bays()
    assert (found.needs, found.running, found.ended, found.ended_total, found.requests) == ([], [], [], 0, 0)


def test_each_session_stands_in_one_bay(new) -> None:  # type: ignore[no-untyped-def]
    new("waits", call(args={"command": "git push\norigin"}), asked())
    new("asks", call("ask_user", {}), started(), question())
    new("runs", call(args={"path": "a.py"}))
    new("done", SessionDone())
    new("failed", SessionFailed(message="Budget of $2.00 spent"))
    found = bays()
    titles = [[strip.session.title for strip in bay] for bay in (found.needs, found.running, found.ended)]
    assert titles == [["waits", "asks"], ["runs"], ["failed", "done"]]
    waits, asks = found.needs
    assert (waits.tool, waits.what, waits.more) == ("bash", "git push origin", "Reaches outside, Deletes")
    assert (asks.question, asks.what, asks.more) == (True, "Which **one**?", "2 options")
    assert (found.running[0].tool, found.running[0].what) == ("bash", "a.py")
    assert found.ended[0].what == "Budget of $2.00 spent"
    assert found.requests == 2


def test_the_longest_wait_comes_first(new) -> None:  # type: ignore[no-untyped-def]
    for title in ("first", "second"):
        new(title, call(), asked())
    models.Approval.objects.filter(session__title="second").update(asked_at=timezone.now() - timedelta(hours=1))
    assert [strip.session.title for strip in bays().needs] == ["second", "first"]


def test_old_ones_are_shown_on_demand_and_archived_ones_never(new) -> None:  # type: ignore[no-untyped-def]
    for number in range(ENDED + 3):
        new(f"done {number}", SessionDone())
    models.Session.objects.filter(title="done 0").update(archived=True)
    assert (len(bays().ended), bays().ended_total) == (ENDED, ENDED + 2)
    assert len(bays(everything=True).ended) == ENDED + 2


def test_the_number_of_queries_does_not_grow_with_the_sessions(new) -> None:  # type: ignore[no-untyped-def]
    counts = []
    for size in (1, 12):
        for number in range(size):
            new(f"{size} {number}", call(), asked())
            new(f"{size} {number}", call())
            new(f"{size} {number}", SessionDone())
        with CaptureQueriesContext(connection) as queries:
            bays()
        counts.append(len(queries))
    assert counts[0] == counts[1]
