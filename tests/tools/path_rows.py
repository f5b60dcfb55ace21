"""The write column of `tests/data/paths/paths.jsonl`, for a tool that changes files."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.files import Refused, atomic
from workbench.files.fence import Access, Fence
from workbench.policy.call import Mode
from workbench.policy.decision import decide
from workbench.policy.rules import built_in, path_outcome
from workbench.tools import Tool, all_tools

_CASES = Path(__file__).parents[1] / "data/paths/paths.jsonl"
ROWS = [
    row
    for row in map(json.loads, _CASES.read_text("utf-8").strip().split("\n"))
    if "bind" not in str(row["setup"])  # a mount needs a namespace of its own; see tests/files/test_atomic.py
]
ABSENT = {"no_file", "exists"}
"""refusals that a tool gives for reasons of its own, where the path itself is fine"""


def deny_rules(rel: str, access: Access) -> None:
    """The fence's check with the rules that ship."""
    outcome, _, reason = path_outcome(rel, access.value)
    if outcome == "deny":
        raise Refused("denied", reason)


def tree(root: Path) -> dict[str, str]:
    """Everything beneath a folder: names, kinds and contents."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = os.fsencode(path.relative_to(root)).decode("utf-8", "replace")
        kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file" if path.is_file() else "other"
        held = os.readlink(path) if kind == "link" else path.read_text() if kind == "file" else ""
        found[name] = f"{kind} {held}"
    return found


def text_at(ground: Any, path: Any) -> str | None:
    """What a session that has read the file would know of it; None when there is none."""
    if not isinstance(path, str):
        return None
    try:
        fence = Fence(ground.ws, home=ground.home)
        with os.fdopen(fence.open(fence.resolve(path))) as file:
            return file.read()
    except Refused:
        return None


def check_row(
    row: dict[str, Any], ground: Any, make_bench: Callable[..., Any], name: str, args: Callable[..., Any]
) -> None:
    """Call the tool `name` with `args(path, text)`, and hold the outcome against the row."""
    ground.lay(row["setup"])
    bench = make_bench(ground.ws, home=ground.home)
    bench.check = deny_rules
    path = ground.fill(row["input"])
    text = text_at(ground, path)
    if text is not None:
        bench.seen.wrote(Fence(ground.ws, home=ground.home).resolve(path).rel, text.encode(), None)
    outside = [tree(ground.out), tree(ground.home)]
    before = tree(ground.ws)
    tool: Tool = all_tools()[name]
    ctx = bench.context(by=name)
    asks = name == "delete_file"
    verdict, refusal = "deny", ""
    try:
        parsed = tool.parse(args(path, text))
        call = tool.call(parsed, ctx)
        verdict = {"allow": "allow", "ask": "approve", "deny": "deny"}[
            decide(call, built_in(), Mode.ASK, contained=True).outcome
        ]
        ground.lay(row.get("then", []))
        before = tree(ground.ws) if row.get("then") else before
        if verdict != "deny":
            tool.run(parsed, ctx)
    except Refused as e:
        refusal = e.code
    expected = {"approve"} if asks and row["write"] == "allow" else {row["write"]}
    if refusal in ABSENT and row["verdict"] == "inside":
        assert refusal == "exists" or text is None
        expected = {"deny", "allow", "approve"}
    if row.get("then"):
        assert refusal or verdict in expected  # the file was swapped for something else in between
    elif "inside" in row.get("also_ok", []) or "outside" in row.get("also_ok", []):
        assert verdict in expected | {"deny", "approve" if asks else "allow"}
    else:
        assert verdict in expected, refusal
    assert [tree(ground.out), tree(ground.home)] == outside, "something outside changed"
    if verdict == "deny" or refusal:
        after = {k: v for k, v in tree(ground.ws).items() if not (row.get("then") and v.startswith("folder"))}
        assert after.items() <= before.items(), "a refused call changed something"
    assert not list(ground.base.rglob(atomic.PREFIX + "*"))
