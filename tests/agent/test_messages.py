"""The words between the loop and the models."""

import asyncio

import pytest

from workbench.agent.messages import Provider, ProviderError, Reply, UserText
from workbench.agent.providers import available, make


def test_an_error_says_what_to_do_with_it() -> None:
    error = ProviderError("wait a moment", retryable=True, retry_after=3)
    assert (str(error), error.retryable, error.retry_after) == ("wait a moment", True, 3)


@pytest.mark.parametrize("name", ["demo"])
def test_a_request_ends_with_exactly_one_reply(name: str) -> None:
    async def ask() -> list[object]:
        provider: Provider = make(name)
        pieces: list[object] = [p async for p in provider.request("", [UserText("hello")], [])]
        await provider.close()
        return pieces

    pieces = asyncio.run(ask())
    assert [isinstance(p, Reply) for p in pieces] == [False] * (len(pieces) - 1) + [True]
    assert name in available()
