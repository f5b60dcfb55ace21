"""Who may open a socket, on every socket there is; and who is put out again (U4; threats 1-3, 14)."""

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.web.server import Workbench, manage, wait_for

ROUTES = ["sessions/{session}/", "queue/", "anything/else/"]


@pytest.fixture(scope="module")
def session(live: Workbench) -> str:
    with live.api() as api:
        made: str = api.post("/sessions", json={"prompt": "hello", "model": "openai:scripted"}).json()["id"]
        wait_for(api, made, "done")
    return made


@pytest.fixture(scope="module")
def cookie(live: Workbench) -> Iterator[str]:
    with live.browser() as browser:
        yield "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def status(live: Workbench, route: str, **headers: str) -> int:
    """101 when the handshake succeeds."""
    try:
        with connect(f"{live.socket_url}/ws/{route}", additional_headers=headers, proxy=None, open_timeout=10):
            return 101
    except InvalidStatus as e:
        return e.response.status_code


@pytest.mark.parametrize("route", ROUTES)
def test_without_anything_nobody_comes_in(live: Workbench, session: str, route: str) -> None:
    assert status(live, route.format(session=session)) == 403


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://{host}",
        "http://{name}",
        "http://{name}:3000",
        "http://localhost:5173",
        "http://127.0.0.1:1",
        "http://user@{host}",
        "http://{host}.evil.example",
        "http://{host}/",
        "ws://{host}",
        "file://",
        "http://{host} ",
        "",
    ],
)
def test_a_page_from_elsewhere_does_not_come_in_with_our_cookie(
    live: Workbench, session: str, cookie: str, route: str, origin: str
) -> None:
    url = httpx.URL(live.url)
    given = origin.format(host=url.netloc.decode(), name=url.host)
    if given.strip() == live.url:
        return
    assert status(live, route.format(session=session), Origin=given, Cookie=cookie) in (400, 403)


@pytest.mark.parametrize("route", ROUTES[:2])
def test_our_own_page_comes_in(live: Workbench, session: str, cookie: str, route: str) -> None:
    assert status(live, route.format(session=session), Origin=live.url, Cookie=cookie) == 101


@pytest.mark.parametrize("route", ROUTES[:2])
def test_a_cookie_without_an_origin_or_an_origin_without_a_cookie_is_not_enough(
    live: Workbench, session: str, cookie: str, route: str
) -> None:
    where = route.format(session=session)
    assert status(live, where, Cookie=cookie) == 403
    assert status(live, where, Origin=live.url) == 403
    assert status(live, where, Origin=live.url, Cookie='garbage; =; a="') == 403


@pytest.mark.parametrize("route", ROUTES[:2])
def test_a_token_comes_in_without_an_origin_only(live: Workbench, session: str, route: str) -> None:
    where, good = route.format(session=session), f"Bearer {live.facts['api_token']}"
    assert status(live, where, Authorization=good) == 101
    assert status(live, where, Authorization="Bearer wrong") == 403
    assert status(live, where, Authorization=good, Origin="http://evil.example") == 403


def test_a_host_name_that_is_not_ours_gets_nothing(live: Workbench, session: str, cookie: str) -> None:
    """DNS rebinding: the page's own name leads to this machine."""
    host = f"evil.example:{live.port}"
    answer = httpx.get(f"{live.url}/login/", headers={"Host": host})
    assert answer.status_code == 400
    headers = {"Host": host, "Origin": f"http://{host}", "Cookie": cookie}
    request = httpx.Request("GET", f"{live.url}/ws/queue/", headers={**headers, **UPGRADE})
    with httpx.Client() as client:
        assert client.send(request).status_code == 403


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}

CHANGE = {
    "disabled": "u.is_active = False; u.save()",
    "password": "u.set_password('another long one'); u.save()",
    "logged out": "from django.contrib.sessions.models import Session as S; S.objects.all().delete()",
}


@pytest.mark.parametrize("how", list(CHANGE))
def test_who_loses_the_right_is_put_out_within_two_seconds(live: Workbench, how: str) -> None:
    make = "from django.contrib.auth.models import User; User.objects.create_user('gone', password='a long password')"
    assert manage("shell", "-c", make, data=live.data).returncode == 0
    client = httpx.Client(base_url=live.url, follow_redirects=True)
    try:
        client.get(manage("login_link", "--user", "gone", data=live.data).stdout.strip())
        headers = {"Cookie": "; ".join(f"{n}={v}" for n, v in client.cookies.items()), "Origin": live.url}
        with connect(f"{live.socket_url}/ws/queue/", additional_headers=headers, proxy=None) as socket:
            with pytest.raises(TimeoutError):
                socket.recv(timeout=1.5)
            change = (
                f"from django.contrib.auth.models import User; u = User.objects.get(username='gone'); {CHANGE[how]}"
            )
            assert manage("shell", "-c", change, data=live.data).returncode == 0
            begun = time.monotonic()
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=5)
            assert time.monotonic() - begun < 2.5
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
        assert client.get("/", follow_redirects=False).status_code == 302
    finally:
        client.close()
        drop = "from django.contrib.auth.models import User; User.objects.filter(username='gone').delete()"
        manage("shell", "-c", drop, data=live.data)


def test_a_token_that_is_revoked_ends_its_sockets(live: Workbench) -> None:
    new = "from workbench.web import accounts; print(accounts.new_api_token(accounts.owner(), 'short'))"
    token = manage("shell", "-v", "0", "-c", new, data=live.data).stdout.strip().splitlines()[-1]
    headers = {"Authorization": f"Bearer {token}"}
    with connect(f"{live.socket_url}/ws/queue/?format=json", additional_headers=headers, proxy=None) as socket:
        revoke = (
            "from workbench.web.models import ApiToken; from django.utils import timezone;"
            "ApiToken.objects.filter(name='short').update(revoked_at=timezone.now())"
        )
        manage("shell", "-c", revoke, data=live.data)
        with pytest.raises(ConnectionClosed):
            while True:
                json.loads(socket.recv(timeout=5))
