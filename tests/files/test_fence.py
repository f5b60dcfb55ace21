"""The fence against every row of tests/data/paths, and against someone who swaps links while it works."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from workbench.files import Refused
from workbench.files.fence import Fence

ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "data/paths/paths.jsonl").read_text().splitlines()]
VERDICTS = {"outside": "outside", "device": "device", "bad_path": "invalid", "bad_args": "invalid", "loop": "invalid"}


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def openat2(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def verdict(fence: Fence, path: Any) -> str:
    """Where the fence says the path leads; content that was read is checked on the way."""
    try:
        place = fence.resolve(path)
        if place.exists and place.kind != "folder":
            fd = fence.open(place)
            try:
                assert b"SECRET" not in os.read(fd, 100)
            finally:
                os.close(fd)
    except Refused as e:
        return VERDICTS[e.code]
    return "inside"


@pytest.mark.parametrize(
    "row", [r for r in ROWS if isinstance(r["input"], str) and "bind" not in str(r["setup"])], ids=lambda r: r["id"]
)
def test_every_row_leads_where_it_says(row: dict[str, Any], ground: Any, openat2: bool) -> None:
    """P1, P2"""
    ground.lay(row["setup"])
    fence = Fence(ground.ws, home=ground.home, openat2=openat2)
    found = verdict(fence, ground.fill(row["input"]))
    assert found in [row["verdict"], *row.get("also_ok", [])]
    if found == "inside" and "exists" in row:
        assert fence.resolve(ground.fill(row["input"])).exists is row["exists"]
