"""An OpenAI-compatible server that plays scripts: a real socket, real streaming, no model.

A script is a list of turns; the turn that is played is the number of answers in the conversation so far, so a request
that is repeated gets the same answer. A conversation picks its script by a first user message that begins with its
name.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Turn:
    """One answer of the model."""

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    """(tool, arguments)"""
    status: int = 200
    """other than 200: the request is refused"""
    breaks: bool = False
    """the connection ends in mid-stream"""
    hangs_s: float = 0
    """silence before the first byte"""
    pace_s: float = 0
    """between two pieces of text"""


def call(tool: str, **args: Any) -> Turn:
    return Turn(calls=[(tool, args)])


class Scripted(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, scripts: dict[str, list[Turn]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.scripts = scripts
        self.seen: list[dict[str, Any]] = []
        """bodies of the requests"""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def env(self) -> dict[str, str]:
        """Makes this server the model `openai:scripted`."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": "test", "OPENAI_MODEL": "scripted"}

    def pick(self, messages: list[dict[str, Any]]) -> Turn:
        first = next(_text(m["content"]) for m in messages if m["role"] == "user")
        name = max((n for n in self.scripts if first.startswith(n)), key=len)
        turn = sum(m["role"] == "assistant" for m in messages)
        script = self.scripts[name]
        return script[turn] if turn < len(script) else Turn("That is all.")


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(body)
        turn = self.server.pick(body["messages"])
        time.sleep(turn.hangs_s)
        if turn.status != 200:
            self._refuse(turn.status)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        number = sum(m["role"] == "assistant" for m in body["messages"])
        try:
            for piece in _pieces(turn, number):
                self.wfile.write(b"data: " + json.dumps(piece).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(turn.pace_s)
                if turn.breaks:
                    break
            else:
                self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass
        self.close_connection = True

    def _refuse(self, status: int) -> None:
        text = json.dumps({"error": {"message": "refused by the script", "type": "scripted"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def _pieces(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in turn.text.split(" ") if turn.text else []:
        yield chunk({"content": f"{word} "})
    for i, (tool, args) in enumerate(turn.calls):
        text = args if isinstance(args, str) else json.dumps(args)
        function = {"name": tool, "arguments": text}
        yield chunk(
            {"tool_calls": [{"index": i, "id": f"call_{number}_{i}", "type": "function", "function": function}]}
        )
    yield chunk({}, "tool_calls" if turn.calls else "stop")
    yield {**head, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}


@contextmanager
def scripted(**scripts: list[Turn]) -> Iterator[Scripted]:
    """A server that plays these, for as long as the block runs."""
    server = Scripted(scripts)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
