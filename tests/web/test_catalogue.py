"""Which models can be picked, and where each is asked (A5)."""

from pathlib import Path

import pytest

from workbench.agent.providers import NoSuchModel
from workbench.files import Refused
from workbench.web import catalogue, vault
from workbench.web.models import ModelEndpoint

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = [f"{kind}_{what}" for kind in ("ANTHROPIC", "OPENAI") for what in ("API_KEY", "BASE_URL", "MODEL")]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    for name in [*NAMES, "WORKBENCH_MODEL"]:
        monkeypatch.delenv(name, raising=False)


def names() -> list[str]:
    return [choice.name for choice in catalogue.choices()]


def test_without_anything_there_is_the_demo() -> None:
    assert names() == ["demo"]
    assert catalogue.default() == "demo"
    catalogue.check("demo")
    assert catalogue.locate("demo")[0] == "demo"


def test_a_key_in_the_environment_offers_a_real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    monkeypatch.setenv("OPENAI_MODEL", "qwen3:8b")
    assert names() == ["demo", f"anthropic:{catalogue.LIKELY['anthropic']}", "openai:qwen3:8b"]
    assert catalogue.default() == names()[1]
    located, endpoint = catalogue.locate("openai:qwen3:8b")
    assert (located, endpoint.base_url, endpoint.key) == ("openai:qwen3:8b", "http://localhost:11434/v1", "")
    assert catalogue.locate("openai")[0] == "openai:qwen3:8b"
    assert catalogue.locate("anthropic:claude-x")[1].key == "k1"


def test_the_environment_may_pick_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL", "openai:x")
    assert catalogue.default() == "openai:x"


def test_an_endpoint_that_somebody_saved_comes_with_its_key() -> None:
    ModelEndpoint.objects.create(
        name="our box", kind="openai", base_url="http://box/v1", model="llama", sealed_key=vault.seal("secret")
    )
    assert names() == ["demo", "our box"]
    catalogue.check("our box")
    located, endpoint = catalogue.locate("our box")
    assert (located, endpoint.base_url, endpoint.key) == ("openai:llama", "http://box/v1", "secret")
    assert "secret" not in repr(endpoint)
    assert "secret" not in repr(catalogue.choices())


def test_a_name_that_leads_nowhere_says_what_there_is() -> None:
    with pytest.raises(Refused, match="There are: demo"):
        catalogue.check("nobody")
    with pytest.raises(NoSuchModel, match="is gone"):
        catalogue.locate("our old box")


def test_a_key_that_cannot_be_read_says_what_to_do(data: Path) -> None:
    ModelEndpoint.objects.create(name="box", kind="openai", model="m", sealed_key=vault.seal("x"))
    (data / "vault_key").unlink()
    with pytest.raises(vault.Unreadable, match="Enter it again"):
        catalogue.locate("box")
