"""A logged-in browser, and sessions to look at."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.web.records import asked, call, question, started
from workbench.journal.kinds import Event, SessionStarted
from workbench.web import accounts, adapters, models


@pytest.fixture
def person(transactional_db: None, data: Path) -> Client:
    """As htmx asks: a refusal comes back as a fragment."""
    client = Client(enforce_csrf_checks=False, headers={"HX-Request": "true"})
    client.force_login(accounts.owner())
    return client


@pytest.fixture
def reader(person: Client) -> Client:
    """As a person opens a page."""
    client = Client()
    client.force_login(accounts.owner())
    return client


@pytest.fixture
def home(workspace: Path, transactional_db: None) -> models.Workspace:
    return models.Workspace.objects.create(path=str(workspace), name="billing", is_default=True)


@pytest.fixture
def new(home: models.Workspace, data: Path) -> Callable[..., models.Session]:
    """A session with these events."""

    def make(title: str, *events: Event, **more: Any) -> models.Session:
        row = models.Session.objects.create(workspace=home, model="demo", title=title, **more)
        adapters.append(
            row.pk, [SessionStarted(task=title, workspace=str(home.path), model="demo", mode="ask"), *events]
        )
        row.refresh_from_db()
        return row

    return make


@pytest.fixture
def waits(new: Callable[..., models.Session]) -> models.Approval:
    """An open approval."""
    new(
        "Push it", call(args={"command": "git push", "timeout": 30}), asked(args={"command": "git push", "timeout": 30})
    )
    return models.Approval.objects.get()


@pytest.fixture
def asks(new: Callable[..., models.Session]) -> models.Question:
    """An open question."""
    new("Which one", call("ask_user", {}), started(), question())
    return models.Question.objects.get()
