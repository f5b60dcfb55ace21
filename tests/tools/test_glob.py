"""glob as a model meets it (R10)."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from workbench.files import Refused, find
from workbench.tools import all_tools
from workbench.tools import glob as module
from workbench.tools.glob import tool

all_tools()


@pytest.fixture(params=[True, False], ids=["ripgrep", "walk"], autouse=True)
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ripgrep", find.ripgrep if request.param else lambda: None)


@pytest.fixture
def ws(bench: Any) -> Any:
    for name in ("a.py", "src/b.py", "src/deep/c.ts", "app/[id]/page.tsx", ".github/w.yml", "out/x.py", "src/d.py"):
        (bench.root / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.root / name).touch()
    (bench.root / ".gitignore").write_text("out/\n")
    return bench


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"pattern": "*.py"}, ["a.py", "src/b.py", "src/d.py"]),
        ({"pattern": "*.py", "path": "src"}, ["src/b.py", "src/d.py"]),
        ({"pattern": "./src/*.py"}, ["src/b.py", "src/d.py"]),
        ({"pattern": "src/**/*.{ts,py}"}, ["src/b.py", "src/d.py", "src/deep/c.ts"]),
        ({"pattern": "app/[id]/*"}, ["app/[id]/page.tsx"]),
        ({"pattern": "*.yml"}, [".github/w.yml"]),
        ({"pattern": "nothing"}, []),
    ],
)
def test_what_is_found(ws: Any, raw: dict[str, Any], paths: list[str]) -> None:
    data = ws.run(tool, **raw).data
    assert (data["paths"], data["total"], data["truncated"], data["next"]) == (paths, len(paths), False, None)
    assert paths or "No file matches" in data["note"]


def test_pages_in_a_row_are_the_whole_list(ws: Any) -> None:
    everything = ws.run(tool, pattern="**/*").data["paths"]
    got, following = [], {"offset": 0}
    while following:
        data = ws.run(tool, pattern="**/*", limit=2, **following).data
        got += data["paths"]
        following = data["next"]
        assert data["truncated"] == bool(following)
    assert got == everything


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"pattern": "*", "path": "../.."}, "outside"),
        ({"pattern": "*", "path": "missing"}, "no_file"),
        ({"pattern": "{a"}, "bad_args"),
        ({"pattern": ""}, "bad_args"),
        ({"pattern": "*", "path": "/etc"}, "outside"),
    ],
)
def test_refusals(ws: Any, raw: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as e:
        ws.run(tool, **raw)
    assert e.value.code == code


def test_it_ends_in_two_seconds_and_says_so(ws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(3000):
        (ws.root / f"src/f{n}.py").touch()
    monkeypatch.setattr(module, "SECONDS", 0.01)
    began = time.monotonic()
    data = ws.run(tool, pattern="*.py", limit=2000).data
    assert time.monotonic() - began < 1
    assert (data["partial"], data["truncated"]) == (True, True)
    assert "out of time" in data["note"]


@pytest.mark.timeout(600)
def test_a_folder_swapped_for_a_link_shows_nothing_from_outside(
    ground: Any, make_bench: Callable[..., Any], rounds: Any
) -> None:
    """P1: 30,000 rounds; a name that only exists outside never appears."""
    ground.lay(
        [
            {"op": "file", "path": "ws/d/e/f.txt", "content": "IN"},
            {"op": "file", "path": "out/e/secret_name.txt", "content": "SECRET"},
            {"op": "symlink", "path": "ws/x", "target": "../out"},
        ]
    )
    bench = make_bench(ground.ws)
    seen = set()
    with ground.swapping(ground.ws / "d", ground.ws / "x"):
        for _ in range(rounds(30_000) // (10 if find.ripgrep is module.ripgrep else 1)):
            seen |= set(bench.run(tool, pattern="**/*.txt").data["paths"])
    assert {os.path.basename(name) for name in seen} == {"f.txt"}


def test_an_offset_behind_the_end_is_told_with_the_real_number(ws: Any) -> None:
    data = ws.run(tool, pattern="*.py", offset=1000).data
    total = len(ws.run(tool, pattern="*.py").data["paths"])
    assert (data["paths"], data["total"]) == ([], total)
    assert f"only {total} results" in data["note"]


def test_the_model_is_told_what_to_use_it_for() -> None:
    assert "instead of find or ls" in tool.description
