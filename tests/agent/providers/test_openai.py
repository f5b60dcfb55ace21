"""OpenAI-compatible endpoints, against a server that streams, calls tools and fails in every way (A5)."""

import asyncio
import json
import socket
import time
from typing import Any

import pytest

from workbench.agent.budget import Budget
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
from workbench.journal.kinds import SessionStopped, UserMessage

TOOLS = [ToolSpec("look", "Look at it.", {"type": "object", "properties": {"path": {"type": "string"}}})]


async def ask(url: str, *messages: Any, model: str = "openai:tiny", **more: Any) -> tuple[list[str], list[str], Reply]:
    provider = make(model, Endpoint(f"{url}/v1", key="k-123", **more))
    text, thoughts, reply = [], [], None
    try:
        async for piece in provider.request("Be brief.", messages or [UserText("hello")], TOOLS):
            assert reply is None, "nothing comes after the reply"
            if isinstance(piece, TextPiece):
                text.append(piece.text)
            elif isinstance(piece, ReasoningPiece):
                thoughts.append(piece.text)
            else:
                reply = piece
    finally:
        await provider.close()
    assert reply is not None
    return text, thoughts, reply


async def failure(url: str, *messages: Any, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(url, *messages, **more)
    return caught.value


async def test_text_arrives_in_pieces_and_then_whole(server: Any, say: Any) -> None:
    server.script = [say("An answer that comes in several pieces.", think="let me see")]
    text, thoughts, reply = await ask(server.url)
    assert len(text) > 3
    assert "".join(text) == reply.text == "An answer that comes in several pieces."
    assert "".join(thoughts) == reply.reasoning == "let me see"
    assert (reply.finish, reply.calls) == ("stop", ())
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost_usd) == (120, 30, None)
    assert server.headers[0]["authorization"] == "Bearer k-123"


async def test_calls_of_one_turn_come_in_order_with_their_arguments(server: Any, say: Any) -> None:
    server.script = [say("Two at once.", calls=[("look", '{"path": "a"}'), ("look", '{"path": "b"}')], ids=["x", "y"])]
    _, _, reply = await ask(server.url)
    assert [(c.id, c.tool, json.loads(c.arguments)) for c in reply.calls] == [
        ("x", "look", {"path": "a"}),
        ("y", "look", {"path": "b"}),
    ]
    assert reply.finish == "calls"


async def test_broken_arguments_are_handed_on_as_they_are(server: Any, say: Any) -> None:
    server.script = [say(calls=[("look", '{"path": "a')])]
    _, _, reply = await ask(server.url)
    assert reply.calls[0].arguments == '{"path": "a'


async def test_the_whole_conversation_goes_out_in_the_vendors_words(server: Any) -> None:
    await ask(
        server.url,
        UserText("do it"),
        Answer("I look.", calls=(AskedCall("c1", "look", {"path": "a"}), AskedCall("c2", "look", "{broken"))),
        CallResult("c1", "look", {"content": "é"}),
        CallResult("c2", "look", {"error": "bad_args", "message": "not JSON"}, ok=False),
        UserText("and now?"),
    )
    body = server.requests[0]
    assert body["stream"] is True and body["model"] == "tiny"
    assert body["tools"][0]["function"]["name"] == "look"
    system, first, answer, one, two, last = body["messages"]
    assert (system["role"], system["content"]) == ("system", "Be brief.")
    assert first["content"] == "do it" and last["content"] == "and now?"
    assert [json.loads(c["function"]["arguments"]) for c in answer["tool_calls"]] == [
        {"path": "a"},
        {"not_valid_json": "{broken"},
    ]
    assert (one["role"], one["tool_call_id"], json.loads(one["content"])) == ("tool", "c1", {"content": "é"})
    assert json.loads(two["content"])["error"] == "bad_args"


async def test_an_image_goes_along_and_is_left_out_when_the_endpoint_rejects_it(server: Any, say: Any) -> None:
    server.script = [say(status=400, body={"error": {"message": "no images please"}}), say("fine")]
    image = Picture("image/png", b"\x89PNG-not-really", "logo.png")
    messages = [
        UserText("look"),
        Answer("", calls=(AskedCall("c1", "look", {}),)),
        CallResult("c1", "look", {"path": "logo.png"}, media=(image,)),
    ]
    provider = make("openai:tiny", Endpoint(f"{server.url}/v1"))
    try:
        with pytest.raises(ProviderError) as caught:
            [p async for p in provider.request("", messages, TOOLS)]
        assert caught.value.retryable and "no images please" in caught.value.message
        assert "image_url" in json.dumps(server.requests[0])
        assert [p async for p in provider.request("", messages, TOOLS)]
    finally:
        await provider.close()
    assert "image_url" not in json.dumps(server.requests[1])
    assert "takes no images" in json.dumps(server.requests[1])


@pytest.mark.parametrize(
    ("status", "retryable", "words"),
    [
        (401, False, "refuses the key"),
        (403, False, "refuses the key"),
        (404, False, "does not know the model tiny"),
        (400, False, "rejects the request"),
        (402, False, "no quota or credit"),
        (429, True, "limits the rate"),
        (500, True, "error of its own"),
        (503, True, "overloaded or not available"),
        (529, True, "overloaded or not available"),
    ],
)
async def test_what_the_endpoint_answers_instead(
    server: Any, say: Any, status: int, retryable: bool, words: str
) -> None:
    server.script = [say(status=status, body={"error": {"message": "said\nthe server"}})]
    error = await failure(server.url)
    assert error.retryable is retryable
    assert words in error.message and server.url in error.message
    assert f"HTTP {status}: said the server" in error.message
    assert len(server.requests) == 1, "nothing is tried again below the loop"


async def test_a_key_that_the_endpoint_repeats_is_not_told_on(server: Any, say: Any) -> None:
    server.script = [say(status=401, body={"error": {"message": "the key k-123 is wrong"}})]
    error = await failure(server.url.replace("http://", "http://user:pass@"))
    assert "k-123" not in error.message and "the key ••• is wrong" in error.message
    assert "pass" not in error.message and server.url in error.message


async def test_a_request_to_wait_is_passed_on(server: Any, say: Any) -> None:
    server.script = [say(status=429, headers={"retry-after": "7"})]
    assert (await failure(server.url)).retry_after == 7


async def test_an_error_page_that_is_no_json_stays_one_line(server: Any, say: Any) -> None:
    server.script = [say(status=502, body=b"<html>\n<h1>Bad gateway</h1>" + b"x" * 5000)]
    error = await failure(server.url)
    assert error.retryable and "\n" not in error.message and len(error.message) < 600


async def test_a_context_that_is_too_long_is_named(server: Any, say: Any) -> None:
    body = {"error": {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}}
    server.script = [say(status=400, body=body)]
    error = await failure(server.url)
    assert not error.retryable and "no longer fits" in error.message


@pytest.mark.parametrize("after", [0, 2])
async def test_a_stream_that_is_cut(server: Any, say: Any, after: int) -> None:
    server.script = [say("a text that is never finished", cut_after=after)]
    error = await failure(server.url)
    assert error.retryable and "broke off" in error.message


async def test_a_stream_that_ends_politely_but_unfinished(server: Any, say: Any) -> None:
    server.script = [say("half a sen", finish=None)]
    error = await failure(server.url)
    assert error.retryable and "broke off" in error.message


async def test_an_answer_cut_at_the_length_limit_says_so(server: Any, say: Any) -> None:
    server.script = [say("half a sen", finish="length")]
    assert (await ask(server.url))[2].finish == "length"


async def test_a_stream_that_falls_silent(server: Any, say: Any) -> None:
    server.script = [say("a text that hangs after its first piece", hang_s=30)]
    began = time.monotonic()
    error = await failure(server.url, silence_s=0.5)
    assert time.monotonic() - began < 5
    assert error.retryable and "did not answer in time" in error.message


async def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = await failure(f"http://127.0.0.1:{port}")
    assert error.retryable and "can't be made" in error.message and str(port) in error.message


async def test_rubbish_in_the_stream(server: Any, say: Any) -> None:
    server.script = [say(raw=b"data: {this is no json}\n\n"), say(raw=b"")]
    assert "endpoint" in (await failure(server.url)).message
    assert (await failure(server.url)).retryable


def turns(body: dict[str, Any]) -> int:
    return sum(m["role"] == "assistant" for m in body["messages"])


async def test_a_whole_session_through_a_bad_line(real: Any, server: Any, say: Any, tmp_path: Any) -> None:
    """Cut streams, overload and bad arguments on the way: the work is done, and nothing is done twice."""
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    script = [
        say("I look.", calls=[("read_file", '{"path": "a.txt"}'), ("glob", '{"pattern": "*"}')], ids=["same", "same"]),
        say(calls=[("edit_file", '{"path": "a.txt", "old_string": "one", "new_str')], ids=["same"]),
        say(calls=[("edit_file", '{"path": "a.txt", "old_string": "one", "new_string": "one two"}')], ids=[""]),
        say(calls=[("write_file", '{"path": "b.txt", "content": "é\\n"}')]),
        say("Both files are **written**."),
    ]
    troubles = {
        n: [say("I am cut", cut_after=1), say(status=503), say("half", finish=None), say(status=429)]
        for n in (0, 2, 3, 4)
    }

    def answer(body: dict[str, Any]) -> Any:
        number = turns(body)
        return troubles[number].pop() if troubles.get(number) else script[number]

    server.script = answer
    desk = real(root, "openai:tiny", Endpoint(f"{server.url}/v1"), mode="auto")
    desk.budget = Budget(retries=(0,) * 4)
    assert await desk.advance() == "done"
    await desk.model.close()
    assert (root / "a.txt").read_text() == "one two\n" and (root / "b.txt").read_text() == "é\n"
    outcomes = [(r.ok, r.data.get("error")) for r in desk.journal.results.values()]
    assert outcomes == [(True, None), (True, None), (False, "bad_args"), (True, None), (True, None)]
    assert desk.journal.kinds.count("model_failed") == 16 and desk.journal.kinds.count("tool_started") == 4
    assert len(desk.journal.results) == 5, "call ids that came twice are told apart"
    last = server.requests[-1]["messages"]
    assert [m["role"] for m in last].count("tool") == 5 and last[0]["role"] == "system"
    assert "never with `cat`" in last[0]["content"]


async def test_a_stop_closes_the_connection_to_the_model(real: Any, server: Any, say: Any, tmp_path: Any) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    server.script = [say("a long silence follows", hang_s=60), say("And on.")]
    desk = real(root, "openai:tiny", Endpoint(f"{server.url}/v1"))
    running = asyncio.create_task(desk.advance())
    while not desk.live.texts:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    desk.journal.put(SessionStopped(by="m"))
    desk.halt.now()
    assert await asyncio.wait_for(running, 2) == "stopped"
    desk.journal.put(UserMessage(text="go on", by="m"))
    assert await desk.advance() == "done"
    assert [m["content"] for m in server.requests[-1]["messages"][1:]] == ["Mend the tests.", "a long ", "go on"]
    await desk.model.close()


def test_a_model_name_is_needed() -> None:
    with pytest.raises(ProviderError, match="model name"):
        make("openai", Endpoint("http://127.0.0.1:9/v1"))


def test_the_vendor_needs_a_key() -> None:
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        make("openai:gpt-5")
