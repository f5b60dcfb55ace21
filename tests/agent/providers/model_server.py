"""A model endpoint on loopback, as real as a test needs it: HTTP, chunked streams, tool calls, and every way to fail.

It speaks OpenAI's chat completions (`/v1/chat/completions`) and Anthropic's messages (`/v1/messages`). What it answers
is a list of `Say`, one a request, or a function of the request's body. Requests are kept in `requests`.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Say:
    """One answer."""

    text: str = ""
    think: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    """(tool, arguments as JSON text)"""
    ids: list[str] | None = None
    finish: str | None = ""
    """"" picks the right one; None sends none"""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    """of an error"""
    cut_after: int | None = None
    """close the connection after so many pieces of text"""
    hang_s: float = 0
    """say nothing for so long, after the first piece"""
    raw: bytes | None = None
    """instead of all this"""


Script = list[Say] | Callable[[dict[str, Any]], Say]


class Cut(Exception):
    pass


class ModelServer:
    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script if script is not None else []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Say:
        if callable(self.script):
            return self.script(body)
        return self.script.pop(0) if self.script else Say("Nothing more to say.")


def _pieces(text: str, size: int = 7) -> Iterator[str]:
    return (text[i : i + size] for i in range(0, len(text), size))


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
            server.requests.append(body)
            server.headers.append({k.lower(): v for k, v in self.headers.items()})
            say = server.answer(body)
            try:
                if say.status != 200:
                    self._error(say)
                elif say.raw is not None:
                    self._start()
                    self._chunk(say.raw)
                    self._end()
                elif self.path.endswith("/chat/completions"):
                    self._start()
                    self._chat(say, body)
                    self._end()
                else:
                    self._start()
                    self._anthropic(say, body)
                    self._end()
            except Cut:
                self.close_connection = True
                self.connection.close()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _error(self, say: Say) -> None:
            body = say.body if say.body is not None else {"error": {"message": "made to fail", "type": "api_error"}}
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(say.status)
            for name, value in {"content-type": "application/json", **say.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _start(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

        def _end(self) -> None:
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

        def _event(self, data: Any, name: str = "") -> None:
            text = data if isinstance(data, str) else json.dumps(data)
            self._chunk(((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode())

        def _text(self, say: Say, send: Callable[[str], None]) -> None:
            for number, piece in enumerate(_pieces(say.text)):
                if say.cut_after is not None and number >= say.cut_after:
                    raise Cut
                send(piece)
                if number == 0 and say.hang_s:
                    server.released.wait(say.hang_s)
            if say.cut_after is not None:
                raise Cut

        def _chat(self, say: Say, body: dict[str, Any]) -> None:
            base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

            def delta(what: dict[str, Any], finish: str | None = None) -> None:
                self._event({**base, "choices": [{"index": 0, "delta": what, "finish_reason": finish}]})

            delta({"role": "assistant", "content": ""})
            if say.think:
                delta({"reasoning_content": say.think})
            self._text(say, lambda piece: delta({"content": piece}))
            for number, (tool, arguments) in enumerate(say.calls):
                call_id = say.ids[number] if say.ids else f"call_{time.monotonic_ns()}_{number}"
                head = {"index": number, "id": call_id, "type": "function", "function": {"name": tool, "arguments": ""}}
                delta({"tool_calls": [head]})
                for piece in _pieces(arguments, 20):
                    delta({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
            finish = ("tool_calls" if say.calls else "stop") if say.finish == "" else say.finish
            if finish is not None:
                delta({}, finish)
                usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
                self._event({**base, "choices": [], "usage": usage})
                self._event("[DONE]")

        def _anthropic(self, say: Say, body: dict[str, Any]) -> None:
            def event(kind: str, **more: Any) -> None:
                self._event({"type": kind, **more}, kind)

            usage = {"input_tokens": 120, "output_tokens": 1, "cache_read_input_tokens": 100,
                     "cache_creation_input_tokens": 0}  # fmt: skip
            message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
                       "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
            event("message_start", message=message)
            index = 0
            if say.think:
                event(
                    "content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""}
                )
                event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": say.think})
                event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "c2lnbmVk"})
                event("content_block_stop", index=0)
                index += 1
            if say.text:
                at = index
                event("content_block_start", index=at, content_block={"type": "text", "text": ""})
                self._text(
                    say,
                    lambda p: event("content_block_delta", index=at, delta={"type": "text_delta", "text": p}),
                )
                event("content_block_stop", index=at)
                index += 1
            for number, (tool, arguments) in enumerate(say.calls):
                call_id = say.ids[number] if say.ids else f"toolu_{time.monotonic_ns()}_{number}"
                block = {"type": "tool_use", "id": call_id, "name": tool, "input": {}}
                event("content_block_start", index=index, content_block=block)
                for piece in _pieces(arguments, 20):
                    delta = {"type": "input_json_delta", "partial_json": piece}
                    event("content_block_delta", index=index, delta=delta)
                event("content_block_stop", index=index)
                index += 1
            finish = ("tool_use" if say.calls else "end_turn") if say.finish == "" else say.finish
            if finish is not None:
                event(
                    "message_delta", delta={"stop_reason": finish, "stop_sequence": None}, usage={"output_tokens": 30}
                )
                event("message_stop")

    return Handler
