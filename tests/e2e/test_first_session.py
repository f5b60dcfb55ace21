"""What a new person does: log in, start the demo, answer, approve, look, take an edit back."""

import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.web.server import Workbench, until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


def start_demo(page: Page) -> str:
    """The session's id."""
    page.get_by_label("Task").fill("Show me everything once")
    page.get_by_label("Model").select_option("demo")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/sessions/*/")
    return page.url.rstrip("/").rsplit("/", 1)[-1]


def workspace_of(workbench: Workbench, session: str) -> Path:
    with workbench.api() as api:
        return Path(api.get(f"/sessions/{session}").json()["workspace"]["path"])


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("width", [1440, 390])
def test_the_demo_from_login_to_rollback(workbench: Workbench, visit: Visit, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    session = start_demo(page)
    workspace = workspace_of(workbench, session)

    # events arrive without a reload
    card = page.locator("article.call")
    expect(card.filter(has_text="read_file").first).to_be_visible()

    # a file, page by page
    answer = page.get_by_role("button", name="Answer")
    expect(answer).to_be_visible(timeout=60_000)
    paged = page.locator(f"#{page.get_by_role('button', name='Next 80').first.evaluate('b => b.closest(`.call`).id')}")
    expect(paged).to_contain_text("lines 1–80")
    paged.get_by_role("button", name="Next 80").click()
    expect(paged).to_contain_text("lines 81–160")

    # the question, answered in place
    page.get_by_label("10 or more").check()
    answer.click()

    # the push waits for a person, and the tab says so; nothing has arrived yet
    approve = page.get_by_role("button", name="Approve A")
    expect(approve).to_be_visible(timeout=60_000)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    remote = Path(git(workspace, "remote", "get-url", "origin").strip())
    local = git(workspace, "rev-parse", "HEAD")
    assert git(remote, "rev-parse", "main") != local
    approve.click()

    # it really arrives
    expect(page.locator("#s-status")).to_have_text("Done", timeout=60_000)
    assert git(remote, "rev-parse", "main") == local

    # one edit taken back, byte for byte
    with workbench.api() as api:
        change = api.get(f"/sessions/{session}/changes").json()["items"][0]
    before_edit = git(workspace, "show", f"HEAD~1:{change['path']}")
    assert (workspace / change["path"]).read_text() != before_edit
    page.get_by_role("button", name="Roll back").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Rolled back by").first).to_be_visible()
    until(lambda: (workspace / change["path"]).read_text() == before_edit)
    page.get_by_role("button", name="Put back").first.click()
    until(lambda: (workspace / change["path"]).read_text() != before_edit)
