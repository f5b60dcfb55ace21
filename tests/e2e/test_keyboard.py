"""Everything a person must be able to do, without a pointer."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Visit
from tests.web.server import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


def test_a_session_by_keys_alone(workbench: Workbench, visit: Visit) -> None:
    page = visit()
    keys = page.keyboard
    page.get_by_label("Task").focus()
    keys.type("Show me everything once")
    keys.press("Control+Enter")
    page.wait_for_url("**/sessions/*/")

    # keys 1 to 9 choose an answer, Enter sends it
    expect(page.get_by_role("button", name="Answer")).to_be_visible(timeout=60_000)
    keys.press("1")
    expect(page.get_by_label("10 or more")).to_be_checked()
    keys.press("Enter")

    # a rejection with an instruction
    expect(page.get_by_role("button", name="Approve A")).to_be_visible(timeout=60_000)
    keys.press("r")
    reason = page.get_by_label("What should it do instead?")
    expect(reason).to_be_focused()
    keys.type("Not today.")
    keys.press("Control+Enter")
    expect(page.get_by_text("Rejected").first).to_be_visible()
    expect(page.get_by_text("Not today.").first).to_be_visible()
    expect(page.locator("#s-status")).to_have_text("Done", timeout=60_000)

    # the list of keys
    keys.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text(re.compile("next", re.IGNORECASE))
    keys.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_letter_in_a_field_is_only_a_letter(workbench: Workbench, visit: Visit) -> None:
    page = visit()
    page.get_by_label("Task").focus()
    page.keyboard.type("apjkr?")
    expect(page.get_by_label("Task")).to_have_value("apjkr?")
    expect(page.get_by_role("dialog")).to_be_hidden()
