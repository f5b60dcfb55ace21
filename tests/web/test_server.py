"""Our Daphne: what it does at the end, with slow peers, and with requests that go wrong (threats 9, 10, 56)."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace

import httpx
import pytest
from websockets.sync.client import connect

from tests.web.server import Workbench
from workbench.web.server import unread

Start = Callable[..., Workbench]


def test_what_waits_for_a_peer_is_counted() -> None:
    assert unread(SimpleNamespace(dataBuffer=b"x" * 10, offset=4, _tempDataLen=100)) == 106
    assert unread(SimpleNamespace()) == 0


def test_it_does_not_say_what_it_is_made_of(live: Workbench) -> None:
    assert httpx.get(f"{live.url}/login/").headers["Server"] == "workbench"


@pytest.mark.parametrize("request_bytes", [
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    b"nonsense\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
    b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /ws/queue/ HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
])  # fmt: skip
def test_a_malformed_request_ends_itself_only(live: Workbench, request_bytes: bytes) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=5) as raw:
        try:
            raw.sendall(request_bytes)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass
        except OSError:
            pass  # it may hang up in the middle
    assert httpx.get(f"{live.url}/login/").status_code == 200


def test_a_hundred_half_open_connections_hold_nobody_up(live: Workbench) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", live.port)))
            raw.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx")
        begun = time.monotonic()
        assert httpx.get(f"{live.url}/login/").status_code == 200
        assert time.monotonic() - begun < 2


def test_open_sockets_do_not_delay_the_end(workbench_up: Start) -> None:
    bench = workbench_up()
    headers = {"Authorization": f"Bearer {bench.facts['api_token']}"}
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(
                connect(f"{bench.socket_url}/ws/queue/?format=json", additional_headers=headers, proxy=None)
            )
        stack.enter_context(socket.create_connection(("127.0.0.1", bench.port)))
        begun = time.monotonic()
        assert bench.stop() == 0
        assert time.monotonic() - begun < 10


def test_a_request_in_flight_is_answered_before_the_end(workbench_up: Start) -> None:
    bench = workbench_up()
    answers: list[int] = []

    def ask() -> None:
        with bench.api() as api:
            answers.append(api.post("/sessions", json={"prompt": "x", "model": "demo"}).status_code)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.15)
    os.kill(bench.pid, signal.SIGTERM)
    asking.join(10)
    assert bench.stop() == 0
    assert answers == [201]
