"""Home: the bays, and a session started from there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.web.records import asked, call
from workbench.journal.kinds import SessionDone
from workbench.web import models

New = Callable[..., models.Session]


def test_an_empty_home_teaches(reader: Client) -> None:
    html = reader.get("/").content.decode()
    assert "Nothing waits for you." in html and "needs no key" in html
    assert '<option value="demo" selected' in html


def test_sessions_stand_in_their_bays(reader: Client, new: New, waits: models.Approval) -> None:
    new("Finished <one>", SessionDone())
    html = reader.get("/").content.decode()
    assert "Push it" in html and "Reaches outside" in html and "blocked before it runs" in html
    assert "Finished &lt;one&gt;" in html and "<one>" not in html


def test_a_long_name_without_a_blank_breaks_nothing(reader: Client, new: New) -> None:
    new("x" * 200)
    assert "x" * 200 in reader.get("/").content.decode()


def test_only_the_bays_are_asked_for_anew(person: Client, waits: models.Approval) -> None:
    html = person.get("/").content.decode()
    assert "<html" not in html and "Push it" in html


def test_the_number_of_queries_does_not_grow(reader: Client, new: New) -> None:
    counts = []
    for size in (2, 15):
        for number in range(size):
            new(f"{size} {number}", call(), asked())
            new(f"{size} {number}", SessionDone())
        with CaptureQueriesContext(connection) as queries:
            reader.get("/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_session_is_started(person: Client, home: models.Workspace) -> None:
    answer = person.post(
        "/sessions/start", {"task": "Do it", "workspace": str(home.pk), "model": "openai:x", "mode": "plan"}
    )
    row = models.Session.objects.get()
    assert answer["HX-Redirect"] == f"/sessions/{row.pk}/"
    assert (row.task, row.workspace, row.mode, row.model) == ("Do it", home, "plan", "openai:x")


def test_without_scripts_a_start_is_a_redirect(reader: Client, home: models.Workspace) -> None:
    answer = reader.post("/sessions/start", {"task": "Do it", "model": "openai:x"})
    assert answer.status_code == 302 and answer["Location"] == f"/sessions/{models.Session.objects.get().pk}/"


def test_another_folder_can_be_named(person: Client, tmp_path: Path, home: models.Workspace) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    person.post("/sessions/start", {"task": "x", "workspace": "other", "folder": str(folder), "model": "openai:x"})
    assert str(models.Session.objects.get().workspace.path) == str(folder)


def test_the_demo_works_on_a_copy_of_the_sample(person: Client, home: models.Workspace) -> None:
    person.post("/sessions/start", {"task": "x", "workspace": str(home.pk), "model": "demo"})
    assert models.Session.objects.get().workspace.sample


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"task": " "}, "Say what the agent should do."),
        ({"task": "x", "workspace": "other", "model": "openai:x"}, "Name the folder"),
        ({"task": "x", "workspace": "other", "folder": "/no/such", "model": "openai:x"}, "There is no folder /no/such"),
        ({"task": "x", "model": "telepathy"}, "There is no model"),
    ],
)
def test_what_can_not_be_started_says_why(
    person: Client, home: models.Workspace, form: dict[str, str], says: str
) -> None:
    answer = person.post("/sessions/start", form)
    assert answer.status_code == 422 and says in answer.content.decode()
    assert not models.Session.objects.exists()
