"""Forms: a key is written and never shown (A5, J3)."""

import pytest

from workbench.web import models, vault
from workbench.web.forms import EndpointForm, StartForm

pytestmark = pytest.mark.django_db

GOOD = {"name": "local", "kind": "openai", "base_url": "http://127.0.0.1:11434/v1", "model": "qwen3:8b"}


def test_a_session_needs_a_task() -> None:
    assert not StartForm({"task": "  "}).is_valid()
    assert StartForm({"task": "x", "mode": "ask"}).is_valid()
    assert not StartForm({"task": "x", "mode": "yolo"}).is_valid()


def test_an_endpoint_is_saved_with_its_key_sealed(data: object) -> None:
    form = EndpointForm({**GOOD, "key": "sk-secret"})
    assert form.is_valid(), form.errors
    row = form.save()
    assert "secret" not in row.sealed_key and vault.unseal(row.sealed_key) == "sk-secret"
    assert "secret" not in str(EndpointForm(instance=row))


def test_an_empty_key_keeps_the_one_that_is_there_unless_it_is_dropped(data: object) -> None:
    row = EndpointForm({**GOOD, "key": "sk-1"}).save()
    kept = EndpointForm({**GOOD, "model": "other"}, instance=row)
    assert kept.is_valid()
    assert vault.unseal(kept.save().sealed_key) == "sk-1"
    dropped = EndpointForm({**GOOD, "drop_key": "1"}, instance=row)
    assert dropped.is_valid()
    assert dropped.save().sealed_key == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [("base_url", "file:///etc/passwd"), ("base_url", "javascript:x"), ("name", "demo"), ("name", "a:b"), ("name", " "),
     ("kind", "telepathy"), ("model", "")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(field: str, value: str) -> None:
    assert field in EndpointForm({**GOOD, field: value}).errors


def test_a_name_is_taken_once(data: object) -> None:
    EndpointForm(GOOD).save()
    assert "name" in EndpointForm(GOOD).errors
    assert models.ModelEndpoint.objects.count() == 1
