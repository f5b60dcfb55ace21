"""grep as a model meets it (R10)."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from workbench.files import Refused, find
from workbench.policy.call import Verb
from workbench.tools import all_tools
from workbench.tools import grep as module
from workbench.tools.grep import tool
from workbench.tools.read_file import tool as read_file

all_tools()


@pytest.fixture(params=[True, False], ids=["ripgrep", "walk"], autouse=True)
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ripgrep", find.ripgrep if request.param else lambda: None)


@pytest.fixture
def ws(bench: Any) -> Any:
    files = {
        "a.py": b"import os\nfoo(1)\nfoo(2)\n",
        "src/b.py": b"x\r\nfoo(3)\r\n",
        "src/c.ts": b"// foo\n",
        "gbk.txt": "你好 foo\n测试名称\n".encode("gbk"),
        "utf16.txt": "\ufefffoo 名\n".encode("utf-16-le"),
        "lone.txt": b"a\rb\nfoo\rz\x0cfoo\n",
        "bin.dat": b"foo\0foo",
        "ignored/x.py": b"foo\n",
        ".gitignore": b"ignored/\n",
        ".env": b"foo=secret\n",
        "-rf": b"foo\n",
    }
    for name, data in files.items():
        (bench.root / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.root / name).write_bytes(data)
    return bench


def test_matching_lines_with_their_numbers(ws: Any) -> None:
    data = ws.run(tool, pattern=r"foo\(\d").data
    assert data["content"] == "a.py:2: foo(1)\na.py:3: foo(2)\nsrc/b.py:2: foo(3)"
    assert (data["matches"], data["files"], data["truncated"], data["next"]) == (3, 2, False, None)


def test_numbers_agree_with_read_file(ws: Any) -> None:
    """R4"""
    for line in ws.run(tool, pattern="foo", limit=50).data["content"].split("\n"):
        path, number, text = line.split(":", 2)
        shown = ws.run(read_file, path=path, offset=int(number) - 1, limit=1).data["content"]
        assert shown == f"{int(number):6d}|{text}"


def test_every_encoding_is_searched(ws: Any) -> None:
    assert ws.run(tool, pattern="测试").data["content"] == "gbk.txt:2: 测试名称"
    assert ws.run(tool, pattern="名", mode="files").data["files"] == ["gbk.txt", "utf16.txt"]
    assert ws.run(tool, pattern="[名]", mode="files").data["files"] == ["gbk.txt", "utf16.txt"]


def test_modes_and_glob(ws: Any) -> None:
    assert ws.run(tool, pattern="foo", mode="files").data["files"] == [
        "-rf", "a.py", "gbk.txt", "lone.txt", "src/b.py", "src/c.ts", "utf16.txt",
    ]  # fmt: skip
    assert ws.run(tool, pattern="foo", mode="count", glob="*.py").data["counts"] == {"a.py": 2, "src/b.py": 1}
    assert ws.run(tool, pattern="foo", mode="files", glob="src/*").data["files"] == ["src/b.py", "src/c.ts"]
    assert ws.run(tool, pattern="foo", mode="files", path="src", glob="*.ts").data["files"] == ["src/c.ts"]


def test_context(ws: Any) -> None:
    data = ws.run(tool, pattern=r"foo\([13]\)", context=1).data
    assert data["content"] == "a.py-1- import os\na.py:2: foo(1)\na.py-3- foo(2)\n--\nsrc/b.py-1- x\nsrc/b.py:2: foo(3)"


def test_pages_in_a_row_are_all_matches(ws: Any) -> None:
    for mode, key in (("content", "content"), ("files", "files")):
        whole = ws.run(tool, pattern="foo", mode=mode).data[key]
        got, following = [], {"offset": 0}
        while following:
            data = ws.run(tool, pattern="foo", mode=mode, limit=2, **following).data
            got += data[key].split("\n") if mode == "content" else data[key]
            following = data["next"]
        assert got == (whole.split("\n") if mode == "content" else whole)


def test_a_page_holds_only_so_many_characters(ws: Any) -> None:
    ws.limits["read.chars"] = 40
    data = ws.run(tool, pattern="foo").data
    assert (data["truncated"], data["next"]) == (True, {"offset": data["matches"]})
    assert len(data["content"]) < 80


def test_a_long_line_is_cut_around_the_match(ws: Any) -> None:
    (ws.root / "min.js").write_text("x" * 5000 + "NEEDLE" + "y" * 5000)
    content = ws.run(tool, pattern="NEEDLE").data["content"]
    assert "NEEDLE" in content
    assert "[10,006 characters]" in content
    assert len(content) < 400


def test_credentials_are_not_searched_unless_named(ws: Any) -> None:
    """P3; and nothing in the answer tells whether one would match."""
    hit, miss = ws.run(tool, pattern="secret").data, ws.run(tool, pattern="secreT").data
    assert {**hit, "pattern": ""} == {**miss, "pattern": ""}
    ctx = ws.context()
    assert Verb.SECRET in {e.verb for e in tool.effects(tool.parse({"pattern": "x", "path": ".env"}), ctx)}
    assert ws.run(tool, pattern="secret", path=".env").data["content"] == ".env:1: foo=secret"


def test_denied_files_are_not_searched(ws: Any) -> None:
    def check(rel: str, _access: Any) -> None:
        if rel == "a.py":
            raise Refused("denied", "no")

    ws.check = check
    assert "a.py" not in ws.run(tool, pattern="foo", mode="files").data["files"]
    with pytest.raises(Refused):
        ws.run(tool, pattern="foo", path="a.py")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"pattern": "foo("}, "bad_args"),
        ({"pattern": r"(?=x)"}, "bad_args"),
        ({"pattern": ""}, "bad_args"),
        ({"pattern": "x", "path": "/etc"}, "outside"),
        ({"pattern": "x", "path": "missing"}, "no_file"),
        ({"pattern": "x", "path": "bin.dat"}, "binary"),
        ({"pattern": "x", "mode": "lines"}, "bad_args"),
    ],
)
def test_refusals(ws: Any, raw: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as e:
        ws.run(tool, **raw)
    assert e.value.code == code


def test_a_link_is_not_followed(ws: Any) -> None:
    outside = ws.root.parent / "outside.txt"
    outside.write_text("foo outside\n")
    (ws.root / "link.txt").symlink_to(outside)
    (ws.root / "again.py").symlink_to("a.py")
    files = ws.run(tool, pattern="foo", mode="files").data["files"]
    assert not {"link.txt", "again.py"} & set(files)


@pytest.mark.parametrize("pattern", ["(x+x+)+y", "(a|a)*Q", ".*.*.*.*=.*z", "(?:(?:.?){50}){19}zzz"])
def test_any_pattern_ends_in_two_seconds(ws: Any, pattern: str) -> None:
    (ws.root / "big.txt").write_bytes((b"x" * 2000 + b"\n") * 20_000)
    began = time.monotonic()
    data = ws.run(tool, pattern=pattern).data
    assert time.monotonic() - began < 2.5
    assert data["matches"] == 0


def test_what_it_does_not_get_to_is_said(ws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (ws.root / "big.txt").write_bytes(b"foo line\n" * 3_000_000)
    monkeypatch.setattr(module, "SECONDS", 0.3)
    began = time.monotonic()
    data = ws.run(tool, pattern="foo", mode="count").data
    assert time.monotonic() - began < 2
    assert (data["partial"], data["truncated"]) == (True, True)
    assert "out of time" in data["note"]


@pytest.mark.timeout(600)
def test_a_folder_swapped_for_a_link_shows_nothing_from_outside(
    ground: Any, make_bench: Callable[..., Any], rounds: Any
) -> None:
    """P1: 30,000 rounds; whatever ripgrep may have seen, only what the fence opened is shown."""
    ground.lay(
        [
            {"op": "file", "path": "ws/d/e/f.txt", "content": "IN\n"},
            {"op": "file", "path": "out/e/f.txt", "content": "SECRET\n"},
            {"op": "symlink", "path": "ws/x", "target": "../out"},
        ]
    )
    bench = make_bench(ground.ws)
    raw = [
        {"pattern": pattern, "mode": mode}
        for pattern in ("IN|SECRET", "SECRET")
        for mode in ("content", "files", "count")
    ]
    found = set()
    with ground.swapping(ground.ws / "d", ground.ws / "x"):
        for n in range(rounds(30_000) // (10 if find.ripgrep is module.ripgrep else 1)):
            data = bench.run(tool, **raw[n % 6]).data
            assert "SECRET" not in str(data.get("content"))
            if n % 6 >= 3:
                assert not data.get("files")
            found.add(str(data.get("content", "")))
    assert "d/e/f.txt:1: IN" in found


def test_nothing_stays_open(ws: Any) -> None:
    ws.run(tool, pattern="foo", limit=1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        ws.run(tool, pattern="foo", limit=1)
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_grep_showed_does_not_count_as_read(ws: Any) -> None:
    ws.run(tool, pattern="foo")
    with pytest.raises(Refused) as e:
        ws.seen.check("a.py", (ws.root / "a.py").read_bytes(), [(1, 2)])
    assert e.value.code == "not_read"


def test_the_model_is_told_what_to_use_it_for() -> None:
    assert "instead of grep, rg or find" in tool.description
