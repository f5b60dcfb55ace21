"""Models are found by name."""

import pytest

from workbench.agent.providers import Endpoint, NoSuchModel, available, make


def test_every_file_of_the_folder_is_a_provider() -> None:
    assert available() == ["anthropic", "demo", "openai"]


def test_a_name_without_a_provider_is_answered_with_those_there_are() -> None:
    for name in ("", "nobody:x", "../demo", "wire:x", "os.path"):
        with pytest.raises(NoSuchModel, match="anthropic, demo, openai"):
            make(name)


async def test_a_model_name_may_hold_colons_and_slashes() -> None:
    provider = make("openai:org/qwen3:8b", Endpoint("http://127.0.0.1:9/v1"))
    assert provider.model.model_name == "org/qwen3:8b"  # type: ignore[attr-defined]
    await provider.close()


def test_a_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(Endpoint(key="sk-secret"))
