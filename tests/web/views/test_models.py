"""Model endpoints: added, changed, tested and removed; a key is never shown."""

import pytest
from django.test import Client

from tests.web.scripted import Scripted
from workbench.web import models, vault

GOOD = {
    "name": "local",
    "kind": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "model": "qwen3:8b",
    "key": "sk-very-secret",
}


def test_the_demo_needs_nothing(reader: Client) -> None:
    html = reader.get("/settings/models/").content.decode()
    assert "scripted, needs no key" in html and "Add an endpoint" in html


def test_an_endpoint_is_added_changed_and_removed(person: Client) -> None:
    assert person.post("/settings/models/save", GOOD)["HX-Refresh"] == "true"
    row = models.ModelEndpoint.objects.get()
    html = person.get(f"/settings/models/{row.pk}/").content.decode()
    assert "Change local" in html and "qwen3:8b" in html and "one is kept, encrypted" in html and "secret" not in html
    person.post(f"/settings/models/{row.pk}/save", {**GOOD, "model": "other", "key": ""})
    row.refresh_from_db()
    assert row.model == "other" and vault.unseal(row.sealed_key) == "sk-very-secret"
    person.post(f"/settings/models/{row.pk}/delete")
    assert not models.ModelEndpoint.objects.exists()


def test_without_scripts_saving_leads_back(reader: Client) -> None:
    answer = reader.post("/settings/models/save", GOOD)
    assert answer.status_code == 302 and answer["Location"] == "/settings/models/"


@pytest.mark.parametrize(("field", "value"), [("base_url", "ftp://x"), ("name", ""), ("kind", "x"), ("name", "demo")])
def test_what_makes_no_sense_is_refused(person: Client, field: str, value: str) -> None:
    answer = person.post("/settings/models/save", {**GOOD, field: value})
    assert answer.status_code == 422 and field in answer.content.decode()
    assert not models.ModelEndpoint.objects.exists()


def test_a_model_is_tested_for_real(person: Client, model: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in model.env.items():
        monkeypatch.setenv(name, value)
    answer = person.post("/settings/models/test", {"name": "openai:scripted"})
    assert answer.status_code in (200, 422)
    assert "Answers" in answer.content.decode() or answer.status_code == 422


def test_an_endpoint_that_is_not_there_says_so(person: Client) -> None:
    person.post("/settings/models/save", GOOD)
    answer = person.post("/settings/models/test", {"name": "local"})
    html = answer.content.decode()
    assert answer.status_code == 422 and "127.0.0.1:9" in html and "secret" not in html
    assert person.post("/settings/models/test", {"name": "telepathy"}).status_code == 422
    assert "secret" not in person.get("/settings/models/").content.decode()


def test_a_name_that_is_markup_stays_text(person: Client) -> None:
    person.post("/settings/models/save", {**GOOD, "name": "<b>\"x'"})
    html = person.get("/settings/models/").content.decode()
    assert "<b>\"x'" not in html and "&lt;b&gt;" in html


def test_unknown_endpoints_are_not_found(person: Client) -> None:
    assert person.get("/settings/models/99/").status_code == 404
    assert person.post("/settings/models/99/delete").status_code == 404
