"""Who may open a WebSocket. One wrapper stands before all of them, so that none can forget to ask.

A browser must be logged in and come from the very origin that serves it: scheme, host and port, since a page on another
port of this machine (a dev server that an agent started) would be sent our cookie too. A client without an Origin
header is no browser: it must show an API token. Whoever loses the right afterwards (account disabled, logged out,
password changed, token revoked) is put out within two seconds.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.http.request import split_domain_port, validate_host
from django.utils.crypto import constant_time_compare

from workbench.web import accounts

Scope = dict[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

SWEEP_S = 1.0
GONE = 4401
"""close code: the right to watch has ended; browsers do not come back after it"""

_threads = ThreadPoolExecutor(2, thread_name_prefix="sockets")


@dataclass(frozen=True)
class Login:
    """By what somebody came in, so that it can be checked again. Blocks: for threads."""

    user_id: int
    cookie: str = ""
    """session key, or"""
    token: str = ""

    def holds(self) -> bool:
        again = of_token(self.token) if self.token else of_cookie(self.cookie)
        return again is not None and again.user_id == self.user_id


def of_token(token: str) -> Login | None:
    row = accounts.valid_token(token)
    return Login(row.user_id, token=token) if row else None


def of_cookie(cookie: str) -> Login | None:
    """Whom a session cookie belongs to: an active account with the password that it had then."""
    if not cookie:
        return None
    session = import_module(settings.SESSION_ENGINE).SessionStore(cookie)
    user = User.objects.filter(pk=session.get(SESSION_KEY) or 0, is_active=True).first()
    if user is None:
        return None
    known = session.get(HASH_SESSION_KEY, "")
    same = any(constant_time_compare(known, h) for h in (user.get_session_auth_hash(),))
    return Login(user.pk, cookie=cookie) if same else None


def right_origin(headers: dict[bytes, bytes], scheme: str) -> bool:
    """Whether the page that opens the socket is one that we serve."""
    origin = headers.get(b"origin", b"").decode("latin1")
    if origin in settings.ORIGINS:
        return True
    host = headers.get(b"host", b"").decode("latin1")
    return known_host(headers) and origin == f"{scheme}://{host}" and urlsplit(origin).netloc == host


def known_host(headers: dict[bytes, bytes]) -> bool:
    """Against DNS rebinding: a host name that we go by."""
    domain, _ = split_domain_port(headers.get(b"host", b"").decode("latin1"))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _login(headers: dict[bytes, bytes], scheme: str) -> Login | None:
    bearer = headers.get(b"authorization", b"").decode("latin1")
    if b"origin" not in headers:
        return of_token(bearer.removeprefix("Bearer ")) if bearer.startswith("Bearer ") else None
    if not right_origin(headers, scheme):
        return None
    try:
        morsel = SimpleCookie(headers.get(b"cookie", b"").decode("latin1")).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    return of_cookie(morsel.value) if morsel else None


def guarded(inner: App) -> App:
    """`inner`, for those who may come in; the others are refused before the handshake (403)."""

    async def app(scope: Scope, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        scheme = "https" if scope.get("scheme") == "wss" else "http"
        login = None
        if known_host(headers):
            login = await in_thread(_login, headers, scheme)
        if login is None:
            await receive()
            await send({"type": "websocket.close", "code": GONE})
            return
        await inner({**scope, "login": login}, receive, send)

    return app


async def in_thread(function: Callable[..., Any], *args: object) -> Any:
    return await asyncio.get_running_loop().run_in_executor(_threads, function, *args)


class Doorkeeper:
    """Checks the logins of all open sockets again, one look for each login a second."""

    def __init__(self) -> None:
        self._open: dict[Any, tuple[Login, Callable[[], Awaitable[None]]]] = {}
        self._task: asyncio.Task[None] | None = None

    def enter(self, socket: Any, login: Login, put_out: Callable[[], Awaitable[None]]) -> None:
        self._open[socket] = (login, put_out)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._sweep(), context=contextvars.Context())

    def leave(self, socket: Any) -> None:
        self._open.pop(socket, None)

    async def _sweep(self) -> None:
        while self._open:
            await asyncio.sleep(SWEEP_S)
            logins = {login for login, _ in self._open.values()}
            lost = {login for login in logins if not await in_thread(login.holds)}
            for socket, (login, put_out) in list(self._open.items()):
                if login in lost:
                    self.leave(socket)
                    await put_out()


doorkeeper = Doorkeeper()
