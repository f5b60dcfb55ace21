"""The navigation: where the reader is, and how much waits."""

import pytest
from django.test import Client
from django.utils import timezone

from workbench.web import accounts, models
from workbench.web.templatetags.rail import waiting


@pytest.fixture
def person(db: None, data: object) -> Client:
    client = Client()
    client.force_login(accounts.owner())
    return client


def request(session: models.Session, seq: int, **more: object) -> None:
    models.Approval.objects.create(
        session=session, seq=seq, call_id=f"c{seq}", tool="bash", args={}, digest="d", asked_at=timezone.now(), **more
    )


def test_nothing_waits_at_first(person: Client) -> None:
    assert waiting() == 0
    html = person.get("/queue/").content.decode()
    assert 'id="needs" data-count="0" hidden' in html
    assert '<a href="/queue/" aria-current="page">' in html


def test_open_requests_are_counted_and_decided_ones_are_not(person: Client, session_row: models.Session) -> None:
    request(session_row, 1)
    request(session_row, 2, status="approved")
    models.Question.objects.create(session=session_row, seq=3, call_id="q", question="?", asked_at=timezone.now())
    assert waiting() == 2
    assert 'data-count="2"' in person.get("/history/").content.decode()


def test_a_stranger_sees_no_navigation(db: None, data: object) -> None:
    html = Client().get("/login/").content.decode()
    assert "rail" not in html and "ws-connect" not in html
