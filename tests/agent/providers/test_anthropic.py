"""Anthropic's messages, against a server that speaks them (A5)."""

import json
from typing import Any

import pytest

from workbench.agent.messages import (
    Answer,
    AskedCall,
    CallResult,
    Picture,
    ProviderError,
    ReasoningPiece,
    Reply,
    TextPiece,
    ToolSpec,
    UserText,
)
from workbench.agent.providers import Endpoint, make

TOOLS = [ToolSpec("look", "Look at it.", {"type": "object", "properties": {"path": {"type": "string"}}})]


async def ask(url: str, *messages: Any, model: str = "claude-sonnet-5-5") -> tuple[list[Any], Reply]:
    provider = make(f"anthropic:{model}", Endpoint(url, key="k-123"))
    try:
        pieces = [p async for p in provider.request("Be brief.", messages or [UserText("hello")], TOOLS)]
    finally:
        await provider.close()
    assert isinstance(pieces[-1], Reply) and not any(isinstance(p, Reply) for p in pieces[:-1])
    return pieces[:-1], pieces[-1]


async def test_thinking_text_and_calls(server: Any, say: Any) -> None:
    server.script = [say("I look at it now.", think="hm", calls=[("look", '{"path": "a"}')], ids=["toolu_1"])]
    pieces, reply = await ask(server.url)
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)) == reply.text == "I look at it now."
    assert "".join(p.text for p in pieces if isinstance(p, ReasoningPiece)) == reply.reasoning == "hm"
    assert [(c.id, c.tool, json.loads(c.arguments)) for c in reply.calls] == [("toolu_1", "look", {"path": "a"})]
    assert reply.finish == "calls"
    assert server.headers[0]["authorization"] == "Bearer k-123"


async def test_usage_counts_what_came_from_the_cache_and_costs_something(server: Any) -> None:
    _, reply = await ask(server.url)
    assert (reply.usage.input_tokens, reply.usage.cache_read_tokens, reply.usage.output_tokens) == (220, 100, 30)
    assert reply.usage.cost_usd is not None and 0 < reply.usage.cost_usd < 0.01


async def test_signed_thinking_goes_back_verbatim_with_its_turn(server: Any, say: Any) -> None:
    server.script = [say("I look.", think="hm", calls=[("look", '{"path": "a"}')], ids=["toolu_1"])]
    _, reply = await ask(server.url)
    stored = json.loads(json.dumps(reply.state))  # as the journal keeps it
    answer = Answer(reply.text, reply.reasoning, (AskedCall("toolu_1", "look", {"path": "a"}),), stored)
    await ask(server.url, UserText("hello"), answer, CallResult("toolu_1", "look", {"content": "x"}))
    sent = server.requests[1]["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]
    thinking, text, use = sent[1]["content"]
    assert (thinking["type"], thinking["thinking"], thinking["signature"]) == ("thinking", "hm", "c2lnbmVk")
    assert (text["text"], use["id"], use["input"]) == ("I look.", "toolu_1", {"path": "a"})
    (result,) = sent[2]["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "toolu_1")


async def test_what_stays_the_same_is_marked_for_the_cache(server: Any) -> None:
    await ask(server.url)
    body = server.requests[0]
    assert "cache_control" in body["system"][-1] and "cache_control" in body["tools"][-1]
    assert body["max_tokens"] > 1000


async def test_an_image_goes_along(server: Any) -> None:
    image = Picture("image/png", b"\x89PNG-not-really", "logo.png")
    asked = Answer("", calls=(AskedCall("c1", "look", {}),))
    await ask(server.url, UserText("look"), asked, CallResult("c1", "look", {"path": "logo.png"}, media=(image,)))
    assert '"media_type": "image/png"' in json.dumps(server.requests[0])


async def test_arguments_that_were_no_json_can_be_told_again(server: Any) -> None:
    asked = Answer("", calls=(AskedCall("c1", "look", '{"path": '),))
    await ask(server.url, UserText("look"), asked, CallResult("c1", "look", {"error": "bad_args"}, ok=False))
    assert server.requests[0]["messages"][1]["content"][0]["input"] == {"not_valid_json": '{"path": '}


@pytest.mark.parametrize(
    ("status", "kind", "retryable", "words"),
    [
        (401, "authentication_error", False, "refuses the key"),
        (429, "rate_limit_error", True, "limits the rate"),
        (529, "overloaded_error", True, "overloaded"),
        (500, "api_error", True, "error of its own"),
        (400, "invalid_request_error", False, "rejects the request"),
    ],
)
async def test_errors(server: Any, say: Any, status: int, kind: str, retryable: bool, words: str) -> None:
    body = {"type": "error", "error": {"type": kind, "message": "said the server"}}
    server.script = [say(status=status, body=body)]
    with pytest.raises(ProviderError, match=words) as caught:
        await ask(server.url)
    assert caught.value.retryable is retryable and "said the server" in caught.value.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("how", [{"cut_after": 2}, {"finish": None}])
async def test_a_stream_that_breaks_off(server: Any, say: Any, how: dict[str, Any]) -> None:
    server.script = [say("a text that is never finished", **how)]
    with pytest.raises(ProviderError, match="broke off") as caught:
        await ask(server.url)
    assert caught.value.retryable


async def test_an_error_in_the_middle_of_a_stream(server: Any, say: Any) -> None:
    event = {"type": "error", "error": {"type": "overloaded_error", "message": "too much"}}
    server.script = [say(raw=f"event: error\ndata: {json.dumps(event)}\n\n".encode())]
    with pytest.raises(ProviderError, match="too much") as caught:
        await ask(server.url)
    assert caught.value.retryable


def test_a_key_and_a_model_name_are_needed() -> None:
    with pytest.raises(ProviderError, match="ANTHROPIC_API_KEY"):
        make("anthropic:claude-sonnet-5-5")
    with pytest.raises(ProviderError, match="model name"):
        make("anthropic", Endpoint(key="k"))
