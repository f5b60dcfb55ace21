"""A real browser on a real workbench."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.server import Workbench, manage

expect.set_options(timeout=20_000)  # a shared machine may be slow; what fails takes longer, what passes does not


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {
        "executable_path": "/usr/bin/chromium",
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    with Workbench(tmp_path / "data", workspace) as running:
        yield running


Visit = Callable[..., Page]


@pytest.fixture
def visit(workbench: Workbench, browser: Browser) -> Iterator[Visit]:
    """A page of somebody who came in by a fresh link. Whatever the page complains of fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def enter(*, deaf: bool = False, crashes: bool = False, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        if deaf:  # its sockets open and stay silent
            page.route_web_socket("**/ws/**", lambda socket: None)
        page.on("pageerror", lambda e: complaints.append(f"script: {e}"))
        if not crashes:  # a request that finds no server is a complaint of the browser's own
            page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(manage("login_link", data=workbench.data).stdout.strip())
        return page

    yield enter
    for context in contexts:
        context.close()
    assert [c for c in complaints if "the server responded with a status of 409" not in c] == []
