"""A session that reads what is no plain text, against an OpenAI-compatible endpoint: each card shows what was read."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.e2e.conftest import Visit
from tests.tools.pdfs import plain_pdf
from tests.web.scripted import Turn, scripted
from tests.web.server import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

LOG_BYTES = 300 * 1024 * 1024
LINE = b"2026-11-30T12:00:00Z INFO  worker-%08d finished a job that took some time; nothing was wrong\n"
READS = (
    {"path": "plot.png"},
    {"path": "paper.pdf"},
    {"path": "study.ipynb"},
    {"path": "说明.txt"},
    {"path": "server.log", "offset": 3_000_000},
)


def notebook() -> str:
    cell = {
        "cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "source": "print(6 * 7)",
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "42\n"}],
    }  # fmt: skip
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def lay_out(folder: Path) -> None:
    Image.new("RGB", (640, 400), "teal").save(folder / "plot.png")
    (folder / "paper.pdf").write_bytes(plain_pdf("A page about rounding"))
    (folder / "study.ipynb").write_text(notebook())
    (folder / "说明.txt").write_bytes("这个程序计算增值税，结果四舍五入到分。\n".encode("gb18030") * 40)
    lines = LOG_BYTES // len(LINE % 0)
    with (folder / "server.log").open("wb") as log:
        for first in range(0, lines, 50_000):
            log.write(b"".join(LINE % n for n in range(first, min(lines, first + 50_000))))


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    lay_out(workspace)
    reads = Turn("I read all of them.", calls=[("read_file", args) for args in READS])
    with (
        scripted(**{"Read everything": [reads, Turn("All of them could be read.")]}) as model,
        Workbench(tmp_path / "data", workspace, env=model.env) as running,
    ):
        yield running


def test_image_pdf_notebook_gb18030_and_a_log_of_300_mb(workbench: Workbench, visit: Visit) -> None:
    page = visit(viewport={"width": 1440, "height": 900})
    page.get_by_label("Task").fill("Read everything")
    page.get_by_label("Model").select_option("openai:scripted")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/sessions/*/")
    expect(page.locator("#s-status")).to_have_text("Done", timeout=60_000)

    def card(name: str) -> object:
        return page.locator("article.call").filter(has_text=name)

    def shows_a_picture(name: str) -> None:
        picture = page.locator("article.call").filter(has_text=name).locator("img").first
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        assert picture.evaluate("async (img) => (await img.decode(), img.naturalWidth)") > 0

    shows_a_picture("plot.png")
    shows_a_picture("paper.pdf")
    expect(card("paper.pdf")).to_contain_text("A page about rounding")
    expect(card("study.ipynb")).to_contain_text("print(6 * 7)")
    expect(card("study.ipynb")).to_contain_text("42")
    expect(card("说明.txt")).to_contain_text("这个程序计算增值税")
    expect(card("说明.txt")).to_contain_text(re.compile("GB18030", re.IGNORECASE))
    expect(card("server.log")).to_contain_text("worker-03000000")

    # the same log in the file view, at the end of it
    page.goto(f"{workbench.url}/files/1/server.log?offset=3000000")
    expect(page.locator("table.code")).to_contain_text("worker-03000000")
