"""An open page while much happens: nothing missing, nothing twice, in order; also over a crash of the server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.test_first_session import start_demo
from tests.web.server import Workbench, until, wait_for
from tests.web.test_consumers import producer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

# A page that is followed keeps its last rows only, so each row is noted as it is put at the end.
NOTE = """() => {
    window.noted = [];
    new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((row) => {
        const found = change.nextSibling ? null : /message (\\d+)/.exec(row.textContent);
        if (found) window.noted.push(Number(found[1]));
    }))).observe(document.getElementById("rows"), { childList: true });
}"""
NOTED = "() => window.noted"


def quiet_session(workbench: Workbench, page: Page) -> str:
    """One that does nothing by itself."""
    session = start_demo(page)
    with workbench.api() as api:
        wait_for(api, session, "waiting", seconds=60)
        api.post(f"/sessions/{session}/pause")
    expect(page.locator("#s-status")).to_have_text("Paused")
    page.evaluate(NOTE)
    return session


def test_two_thousand_events_at_200_a_second(workbench: Workbench, visit: Visit) -> None:
    page = visit()
    session = quiet_session(workbench, page)
    with producer(workbench, session, 2000):
        until(lambda: len(page.evaluate(NOTED)) >= 2000, seconds=90, every=0.5)
    assert page.evaluate(NOTED) == list(range(2000))


def test_a_crash_in_the_middle_of_a_stream(workbench: Workbench, visit: Visit) -> None:
    page = visit(crashes=True)
    session = quiet_session(workbench, page)
    with producer(workbench, session, 1200):
        until(lambda: len(page.evaluate(NOTED)) >= 200, seconds=60, every=0.1)
        workbench.kill()
        workbench.start()
        until(lambda: len(page.evaluate(NOTED)) >= 1200, seconds=90, every=0.5)
    assert page.evaluate(NOTED) == list(range(1200))
    expect(page.locator("#conn")).to_be_hidden()


def test_one_of_two_browsers_decides_and_the_other_is_told(workbench: Workbench, visit: Visit) -> None:
    first = visit()
    session = start_demo(first)
    first.get_by_label("10 or more").check()
    first.get_by_role("button", name="Answer").click()
    approve = first.get_by_role("button", name="Approve A")
    expect(approve).to_be_visible(timeout=60_000)
    second = visit(deaf=True)
    second.goto(first.url)
    other = second.get_by_role("button", name="Approve A")
    expect(other).to_be_visible()
    approve.click()
    expect(first.get_by_text("Approved").first).to_be_visible()
    other.click()
    expect(second.locator("article .says").filter(has_text="root")).to_be_visible()
    with workbench.api() as api:
        wait_for(api, session, "done", seconds=60)
        decided = [
            e
            for e in api.get(f"/sessions/{session}/events?limit=500").json()["items"]
            if e["kind"] == "approval_decided"
        ]
    assert len(decided) == 1


@contextmanager
def no_server(workbench: Workbench) -> Iterator[None]:
    workbench.kill()
    yield
    workbench.start()


def test_an_approval_waits_through_a_crash_and_runs_once(workbench: Workbench, visit: Visit) -> None:
    page = visit(crashes=True)
    session = start_demo(page)
    page.get_by_label("10 or more").check()
    page.get_by_role("button", name="Answer").click()
    approve = page.get_by_role("button", name="Approve A")
    expect(approve).to_be_visible(timeout=60_000)
    with no_server(workbench):
        expect(page.locator("#conn")).to_be_visible()
    expect(page.locator("#conn")).to_be_hidden(timeout=30_000)
    page.goto(workbench.url + "/queue/")
    page.get_by_role("button", name="Approve A").click()
    with workbench.api() as api:
        wait_for(api, session, "done", seconds=60)
        kinds = [e["kind"] for e in api.get(f"/sessions/{session}/events?limit=500").json()["items"]]
        workspace = Path(api.get(f"/sessions/{session}").json()["workspace"]["path"])
    assert kinds.count("approval_asked") == kinds.count("approval_decided") == 1
    assert workspace.is_dir()
