"""Sockets over a real server: every record once and in order, over any number of connections (U1, threat 56)."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.web.server import ROOT, Workbench, environment, events, manage, until, wait_for


def start(api: httpx.Client, prompt: str) -> str:
    made = api.post("/sessions", json={"prompt": prompt, "model": "openai:scripted"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def bearer(live: Workbench) -> dict[str, str]:
    return {"Authorization": f"Bearer {live.facts['api_token']}"}


@contextmanager
def watch(live: Workbench, path: str, **more: Any) -> Iterator[ClientConnection]:
    url = f"{live.socket_url}/ws/{path}"
    with connect(url, additional_headers=bearer(live), max_size=None, proxy=None, **more) as socket:
        yield socket


def numbers(socket: ClientConnection, last: int, *, timeout: float = 30) -> list[int]:
    """Sequence numbers as they come, up to `last`."""
    seen: list[int] = []
    while not seen or seen[-1] < last:
        said = json.loads(socket.recv(timeout=timeout))
        if "seq" in said:
            seen.append(said["seq"])
    return seen


def test_what_happened_before_is_told_first(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "hello")
    last = wait_for(api, session, "done")["last_seq"]
    with watch(live, f"sessions/{session}/?format=json") as socket:
        assert numbers(socket, last) == list(range(1, last + 1))
    with watch(live, f"sessions/{session}/?format=json&after=2") as socket:
        assert numbers(socket, last) == list(range(3, last + 1))


def test_the_socket_says_what_the_journal_says(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "ask")
    last = wait_for(api, session, "waiting")["last_seq"]
    with watch(live, f"sessions/{session}/?format=json") as socket:
        told = [json.loads(socket.recv(timeout=10)) for _ in range(last)]
    assert told == events(api, session)


def test_text_streams_while_the_model_writes(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "slow")
    text = ""
    with watch(live, f"sessions/{session}/?format=json") as socket:
        while True:
            said = json.loads(socket.recv(timeout=15))
            if said.get("live") == "text":
                text = said["data"] if said["whole"] else text + said["data"]
            if said.get("kind") == "model_turn":
                break
    assert text.split() == ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def test_a_burst_of_two_thousand_events_of_this_process_comes_whole(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "burst")
    with watch(live, f"sessions/{session}/?format=json") as socket:
        seen = numbers(socket, 2000)
    assert seen == list(range(1, len(seen) + 1))
    assert wait_for(api, session, "done", seconds=60)["last_seq"] > 2000


APPEND = """
import sys, time
import django
django.setup()
from workbench.journal.kinds import UserMessage
from workbench.web import adapters
session, count, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
begin = time.monotonic()
for n in range(count):
    time.sleep(max(0, begin + n / rate - time.monotonic()))
    adapters.append(session, [UserMessage(text=f"message {n}", by="producer")])
"""


@contextmanager
def producer(live: Workbench, session: str, count: int) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that appends 200 events a second."""
    env = {**environment(live.data), "DJANGO_SETTINGS_MODULE": "workbench.settings"}
    with subprocess.Popen([sys.executable, "-c", APPEND, session, str(count), "200"], env=env, cwd=ROOT) as process:
        yield process
    assert process.returncode == 0


def paused(api: httpx.Client) -> str:
    """A session that does nothing by itself."""
    session = start(api, "ask")
    wait_for(api, session, "waiting")
    api.post(f"/sessions/{session}/pause")
    return session


def test_two_thousand_events_of_another_process_at_200_a_second(live: Workbench, api: httpx.Client) -> None:
    session = paused(api)
    begin = events(api, session)[-1]["seq"]
    with watch(live, f"sessions/{session}/?format=json&after={begin}") as socket, producer(live, session, 2000):
        first = time.monotonic()
        seen = numbers(socket, begin + 2000)
        assert time.monotonic() - first < 60
    assert seen == list(range(begin + 1, begin + 2001))


def test_connections_that_drop_in_mid_stream_lose_and_repeat_nothing(live: Workbench, api: httpx.Client) -> None:
    session = paused(api)
    begin = at = events(api, session)[-1]["seq"]
    seen: list[int] = []
    drops = 0
    with producer(live, session, 1000):
        while at < begin + 1000:
            with watch(live, f"sessions/{session}/?format=json&after={at}") as socket:
                part = numbers(socket, min(at + 97, begin + 1000))
                seen += part
                at = seen[-1]
                drops += 1
                socket.socket.close()  # as a network does it, without a word
    assert drops > 8
    assert seen == list(range(begin + 1, begin + 1001))


def test_the_queue_tells_of_all_sessions(live: Workbench, api: httpx.Client) -> None:
    with watch(live, "queue/?format=json") as socket:
        session = start(api, "ask")
        while True:
            said = json.loads(socket.recv(timeout=10))
            if said["session"] == session and said["kind"] == "question_asked":
                break


@pytest.mark.parametrize(("path", "code"), [
    ("sessions/nobody/?format=json", 4404),
    ("nothing/here/", 403),
    ("queue/?after=x", 4400),
])  # fmt: skip
def test_a_wrong_address_is_closed_with_its_reason(live: Workbench, path: str, code: int) -> None:
    try:
        with watch(live, path) as socket:
            socket.recv(timeout=5)
    except ConnectionClosed as e:
        assert e.rcvd is not None
        assert e.rcvd.code == code
    except Exception as e:
        assert str(code) in str(e)
    else:
        pytest.fail("it stayed open")


def test_what_a_client_says_changes_nothing(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "ask")
    last = wait_for(api, session, "waiting")["last_seq"]
    with watch(live, f"sessions/{session}/?format=json&after={last}") as socket:
        for text in ("{}", "not json", '{"type": "approve", "is_staff": true}', "x" * 100_000):
            socket.send(text)
        socket.send(b"\x00\xff")
        time.sleep(0.3)
        socket.ping().wait(5)
    assert events(api, session)[-1]["seq"] == last


def test_a_frame_that_is_too_large_ends_that_socket_only(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "ask")
    wait_for(api, session, "waiting")
    with watch(live, f"sessions/{session}/?format=json") as other, watch(live, "queue/?format=json") as socket:
        with pytest.raises(ConnectionClosed):
            socket.send("x" * (1024 * 1024 + 1))
            socket.recv(timeout=10)
        assert json.loads(other.recv(timeout=5))["seq"] == 1


def test_pages_get_html_that_ends_with_how_far_it_came(live: Workbench, api: httpx.Client) -> None:
    session = start(api, "hello")
    last = wait_for(api, session, "done")["last_seq"]
    with live.browser() as browser:
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"Cookie": cookie}
    url = f"{live.socket_url}/ws/sessions/{session}/?after=1"
    with connect(url, additional_headers=headers, origin=live.url, proxy=None) as socket:  # type: ignore[arg-type]
        html = socket.recv(timeout=10)
    assert isinstance(html, str)
    assert "hx-swap-oob" in html
    assert f'data-seq="{last}"' in html
    assert "Hello there." in html


def test_a_watcher_that_stops_reading_does_not_hold_the_others_up(live: Workbench, api: httpx.Client) -> None:
    session = paused(api)
    begin = events(api, session)[-1]["seq"]
    path = f"sessions/{session}/?format=json&after={begin}"
    with watch(live, path, max_queue=1, close_timeout=0.2), watch(live, path) as quick, producer(live, session, 300):
        assert numbers(quick, begin + 300) == list(range(begin + 1, begin + 301))


def test_a_command_in_a_terminal_is_seen_live_in_a_page(live: Workbench, api: httpx.Client) -> None:
    """`run` is another process; what it appends comes to the open socket within about a second."""
    with watch(live, "queue/?format=json") as queue:
        done = manage(
            "run", "hello", "--model", "openai:scripted", "--workspace", str(live.workspace), "--json",
            data=live.data, env=live.env,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        ours = {json.loads(line)["seq"] for line in done.stdout.splitlines()}
        kinds: list[str] = []
        until(lambda: kinds.append(json.loads(queue.recv(timeout=5))["kind"]) or "session_done" in kinds)
    assert ours == set(range(1, len(ours) + 1))
