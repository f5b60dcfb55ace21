"""read_file as a model meets it: every row of the read cases, then what the rows do not hold."""

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from path_rows import ROWS as PATH_ROWS
from path_rows import deny_rules
from pdfs import pdf_with_password, plain_pdf
from PIL import Image

from workbench.files import Refused, lines
from workbench.policy.call import Mode
from workbench.policy.decision import decide
from workbench.policy.rules import built_in
from workbench.tools import Result, all_tools
from workbench.tools.read_file import tool

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/edits/read_cases.jsonl").read_text("utf-8").strip().split("\n")
]
OURS = {"not_found": "no_file", "not_regular": "device", "unsupported_encoding": "unsupported", "ignored": "ask"}
"""error names of the rows that are ours by another name (cases/README); `ignored` asks a person here"""
CAPS = {"default_limit": "read.lines", "char_cap": "read.chars"}

all_tools()


def jpeg(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.radial_gradient("L").resize((width, height)).save(out, "JPEG", quality=95)
    return out.getvalue()


def gif() -> bytes:
    out = io.BytesIO()
    Image.new("P", (20, 10)).save(out, "GIF")
    return out.getvalue()


class Stage:
    """One row: its file, the call, and what must be true of the answer."""

    def __init__(self, row: dict[str, Any], bench: Any) -> None:
        self.row, self.bench = row, bench
        self.path = row.get("path", "FILE.txt")
        self.raw: dict[str, Any] = {}
        if row["offset"] is not None:
            offset = row["offset"]
            self.raw["offset"] = offset - 1 if offset > 0 else offset
        if row["limit"] is not None:
            self.raw["limit"] = row["limit"]
        elif "default_limit" in row.get("caps", {}):
            self.raw["limit"] = row["caps"]["default_limit"]
        for cap, number in row.get("caps", {}).items():
            if cap in CAPS:
                bench.limits[CAPS[cap]] = number
        self.stop = threading.Event()

    @property
    def file(self) -> Path:
        return Path(self.bench.root, self.path)

    def prepare(self) -> None:
        row, make = self.row, self.row.get("make", "")
        if "content_b64" in row:
            self.file.write_bytes(base64.b64decode(row["content_b64"]))
        elif "content" in row:
            self.file.write_bytes(row["content"].encode())
        elif row["kind"] in ("special", "path", "live", "pdf", "image"):
            SPECIAL[row["id"]](self)
        else:
            self.file.write_bytes(eval(make).encode("utf-16", "surrogatepass").decode("utf-16").encode())
        if "char_offset" in row:
            self.raw["column"] = row["char_offset"]

    def read(self) -> dict[str, Any]:
        try:
            args = tool.parse({"path": self.path, **self.raw})
            ctx = self.bench.context()
            call = tool.call(args, ctx)
            if decide(call, built_in(), Mode.ASK, contained=True).outcome == "ask":
                return {"error": "ask"}
            result = tool.run(args, ctx)
            assert isinstance(result, Result)
            return result.data
        except Refused as e:
            return json.loads(json.dumps(e.as_data()))


def _dangling(s: Stage) -> None:
    s.file.symlink_to("gone")


def _outside(s: Stage) -> None:
    outside = s.bench.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("SECRET")
    s.file.symlink_to("../outside/secret.txt")


def _folder_link(s: Stage) -> None:
    (s.bench.root / "sub").symlink_to("/etc")
    s.path = "sub/hostname"


def _sibling(s: Stage) -> None:
    evil = Path(f"{s.bench.root}-evil")
    evil.mkdir()
    (evil / "f").write_text("x")
    s.path = f"{evil}/f"


def _growing(s: Stage) -> None:
    s.file.write_text("l\n" * 200)

    def grow() -> None:
        with s.file.open("a") as file:
            while not s.stop.wait(0.001):
                file.write("l\n")
                file.flush()

    threading.Thread(target=grow).start()


def _replaced(s: Stage) -> None:
    s.file.write_text("old\n" * 1000)

    def replace() -> None:
        other = s.file.with_name("other")
        while not s.stop.wait(0.0005):
            for word in ("new", "old"):
                other.write_text(f"{word}\n" * 1000)
                other.rename(s.file)

    threading.Thread(target=replace).start()


def _sparse(s: Stage) -> None:
    s.file.touch()
    os.truncate(s.file, 20 << 30)


def _write(path: str, data: Callable[[], bytes]) -> Callable[[Stage], None]:
    def write(s: Stage) -> None:
        s.path = path if "FILE" in s.path else s.path
        s.file.write_bytes(data())

    return write


def _use(path: str) -> Callable[[Stage], None]:
    def use(s: Stage) -> None:
        s.path = path

    return use


def _process(s: Stage) -> None:
    s.bench.root, s.path = Path("/proc/self").resolve(), "status"


def _pair(names: Callable[[Path], None], path: str) -> Callable[[Stage], None]:
    def make(s: Stage) -> None:
        names(s.bench.root)
        s.path = path

    return make


SPECIAL: dict[str, Callable[[Stage], None]] = {
    "r-special-01": lambda s: os.mkfifo(s.file),
    "r-special-02": _use("/dev/zero"),
    "r-special-03": _use("/dev/stdin"),
    "r-special-04": lambda s: s.file.symlink_to("/dev/zero"),
    "r-special-06": _process,
    "r-special-07": _use("/proc/self/mem"),
    "r-special-08": _sparse,
    "r-path-02": _pair(lambda ws: (ws / "File.TXT").touch(), "file.txt"),
    "r-path-04": _dangling,
    "r-path-05": _outside,
    "r-path-06": _folder_link,
    "r-path-07": _pair(lambda ws: ((ws / "real.txt").write_text("in\n"), (ws / "FILE").symlink_to("real.txt")), "FILE"),
    "r-path-08": _sibling,
    "r-path-09": _pair(lambda ws: (ws / "sub").mkdir(), "sub/../../x"),
    "r-path-10": _use("f\0.txt"),
    "r-path-12": _pair(lambda ws: (ws / "re\u0301s.txt").write_text("n\n"), "r\u00e9s.txt"),
    "r-live-01": _growing,
    "r-live-04": _replaced,
    "r-pdf-02": _write("a.pdf", lambda: pdf_with_password("Hello", user="secret")),
    "r-pdf-03": _write("a.pdf", lambda: pdf_with_password("Hello", user="")),
    "r-pdf-04": _write("a.pdf", lambda: plain_pdf("this text is password protected")),
    "r-pdf-06": _write("a.pdf", lambda: plain_pdf(*["page"] * 500)),
    "r-image-03": _write("a.jpg", lambda: jpeg(9600, 7734)),
    "r-image-04": _write("a.png", gif),
    "r-image-07": _write("b.svg", lambda: b"<svg><!--" + b"x" * (3 << 20) + b"--></svg>"),
}


def said(answer: dict[str, Any]) -> str:
    return " ".join(str(answer.get(key, "")) for key in ("message", "note", "warning")).lower()


def listed(answer: dict[str, Any]) -> list[str]:
    """The lines of a numbered content."""
    content = answer["content"]
    return [re.fullmatch(r" *\d+\| (.*)", line, re.S)[1] for line in content.split("\n")] if content else []  # type: ignore[index]


def same_encoding(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def hold(row: dict[str, Any], answer: dict[str, Any], expect: dict[str, Any]) -> None:
    """The answer against what the row expects; each key has one meaning here."""
    if "any_of" in expect:
        codes = [OURS.get(e.get("error", ""), e.get("error")) for e in expect["any_of"]]
        if answer.get("error"):
            assert answer["error"] in codes
        else:
            hold(row, answer, next(e for e in expect["any_of"] if "error" not in e))
        return
    if "error" in expect:
        assert answer.get("error") == OURS.get(expect["error"], expect["error"]), answer
    else:
        assert "error" not in answer, answer
    long_line = row["id"] in {"r-longline-03", "r-longline-05", "r-longline-06"}  # SPEC R2 stands before their caps
    for key in ("total_lines", "truncated", "eol", "final_newline", "type", "mime", "cells", "suggest", "bom", "pages"):
        if key in expect and not (key == "truncated" and long_line):
            assert answer.get(key, False) == expect[key], key
    if "encoding" in expect:
        assert same_encoding(answer["encoding"]) == same_encoding(expect["encoding"])
    if "returned" in expect:
        assert len(listed(answer)) == expect["returned"]
    for key, at in (("first", 0), ("last", -1)):
        if expect.get(key) is not None and row["kind"] != "dedup":
            assert listed(answer)[at] == expect[key]
    if "first_line" in expect:
        assert int(answer["content"].split("|")[0]) == expect["first_line"]
    if "first_prefix" in expect:
        assert listed(answer)[0].startswith(expect["first_prefix"])
        assert answer["total_lines"] >= expect["min_lines"]
    if "next_offset" in expect:
        assert answer["next"] == {"offset": expect["next_offset"] - 1}
    if "next_offset_min" in expect:
        assert answer["next"]["offset"] >= expect["next_offset_min"] - 1
        assert all(len(line) == 1500 for line in listed(answer))
    for word in ("lone CR", "invalid bytes"):
        if expect.get("warning") == word:
            assert word.lower() in said(answer)
    wanted = expect.get("contains", [])
    for text in [wanted] if isinstance(wanted, str) else wanted:
        assert text in answer["content"]
    for text in expect.get("must_not", []):
        assert text not in str(answer)
    for text, line in expect.get("line_of", {}).items():
        assert text in listed(answer)[line - 1]
    notes = {"says the file is empty": "empty", "offer the raw text": "raw text", "symlink": "symbolic link",
             "ask for a page range": "page range"}  # fmt: skip
    if "note" in expect:
        assert notes.get(expect["note"], expect["note"]) in said(answer)
    if expect.get("well_formed"):
        json.dumps(answer, ensure_ascii=False).encode()


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"] != "dedup"], ids=lambda r: r["id"])
def test_every_row(row: dict[str, Any], bench: Any) -> None:
    """R1 to R7, as the cases have them."""
    stage = Stage(row, bench)
    try:
        stage.prepare()
        began = time.monotonic()
        answer = stage.read()
        assert (time.monotonic() - began) * 1000 < row["expect"].get("max_ms", 10_000)
    finally:
        stage.stop.set()
    hold(row, answer, row["expect"])
    if row["id"] == "r-live-01":
        assert set(listed(answer)) == {"l"}
    if row["id"] == "r-live-04":
        assert set(listed(answer)) in ({"old"}, {"new"})
    if row["id"] == "r-binary-02":
        assert answer["nul_offset"] == 4
        assert "offset 4" in answer["message"]


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"] == "dedup"], ids=lambda r: r["id"])
def test_a_repeated_read_says_unchanged_unless_there_is_something_to_show(row: dict[str, Any], bench: Any) -> None:
    """R8"""
    file = bench.root / "f.txt"
    file.write_text(row["content"])
    for step in row["pre"]:
        if step == "compact":
            bench.seen.forget_shown()
        elif step.startswith("write"):
            times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
            file.write_text("b\n")
            os.utime(file, ns=times)
        else:
            answer = bench.run(tool, path="f.txt").data
    expect = row["expect"]
    if expect["second_read"] == "unchanged":
        assert answer["status"] == "unchanged"
        assert "content" not in answer
    else:
        assert answer["content"] == f"     1| {expect.get('last', 'a')}"


@pytest.mark.parametrize("row", PATH_ROWS, ids=lambda r: r["id"])
def test_every_path_row(row: dict[str, Any], ground: Any, make_bench: Callable[..., Any]) -> None:
    """The read column of the path cases, with the rules that ship (P1 to P3)."""
    ground.lay(row["setup"])
    bench = make_bench(ground.ws, home=ground.home)
    bench.check = deny_rules
    verdict, code = "deny", ""
    try:
        args = tool.parse({"path": ground.fill(row["input"])})
        ctx = bench.context()
        call = tool.call(args, ctx)
        outcome = decide(call, built_in(), Mode.ASK, contained=True).outcome
        verdict = {"allow": "allow", "ask": "approve", "deny": "deny"}[outcome]
        ground.lay(row.get("then", []))
        result = tool.run(args, ctx)
        assert isinstance(result, Result)
        assert "SECRET" not in str(result.data)
    except Refused as e:
        code = e.code
    if code == "no_file":
        assert not (ground.ws / str(row["input"])).exists()
        return
    if code == "is_directory":
        assert row["verdict"] == "inside" or "inside" in row.get("also_ok", [])
        return
    if "inside" in row.get("also_ok", []) or (row.get("also_ok") and row["verdict"] == "inside") or row.get("then"):
        assert not code or code in ("bad_path", "outside", "conflict", "device")
    else:
        assert ("deny" if code else verdict) == row["read"], code


def test_following_next_in_json_gives_the_file(bench: Any) -> None:
    """R2: by the tool's own answers, numbered or not, inside a 500 KB line too."""
    text = "head\n" + "字x🎉" * 170_000 + "\r\n" + "tail\n" * 100 + "end"
    (bench.root / "f").write_bytes(text.encode())
    got, raw = "", {"line_numbers": False}
    answer = bench.run(tool, path="f", **raw).data
    while True:
        got += answer["content"]
        assert answer["truncated"] == (answer["next"] is not None)
        assert answer["total_lines"] == 103
        if not answer["next"]:
            break
        answer = bench.run(tool, path="f", **raw, **answer["next"]).data
    assert got == lines.lf_view(text)


def test_a_page_says_which_cap_cut_it(bench: Any) -> None:
    """R3"""
    (bench.root / "f").write_text("word word\n" * 50)
    bench.limits.update({"read.lines": 10})
    assert bench.run(tool, path="f").data["cut_by"] == "lines"
    bench.limits.update({"read.lines": 100, "read.chars": 35})
    answer = bench.run(tool, path="f").data
    assert (answer["cut_by"], answer["next"]) == ("chars", {"offset": 3})
    bench.limits.update({"read.chars": 10_000, "read.tokens": 9})
    bench.seen.forget_shown()
    answer = bench.run(tool, path="f").data
    assert (answer["cut_by"], answer["next"]) == ("tokens", {"offset": 3})


def test_lines_are_counted_at_least_where_the_scan_was_capped(bench: Any) -> None:
    """R3, R9"""
    (bench.root / "f").write_bytes(b"some line of text\n" * 1_200_000)
    bench.limits.update({"read.ahead": 1 << 20})
    answer = bench.run(tool, path="f").data
    assert answer["total_lines"] is None
    assert 80 <= answer["total_lines_at_least"] < 1_200_000
    assert answer["version"].startswith("stat-")
    bench.limits.update({"read.seek": 1 << 20})
    answer = bench.run(tool, path="f", offset=1_000_000).data
    assert (answer["cut_by"], answer["content"], answer["next"]) == ("seek", "", {"offset": 1_000_000})
    del bench.limits["read.seek"]
    answer = bench.run(tool, path="f", offset=1_199_999).data
    assert (answer["total_lines"], answer["next"]) == (1_200_000, None)


def test_an_offset_beyond_the_end_is_said(bench: Any) -> None:
    (bench.root / "f").write_text("a\nb\n")
    answer = bench.run(tool, path="f", offset=7).data
    assert (answer["content"], answer["next"], answer["total_lines"]) == ("", None, 2)
    assert "only 2 lines" in answer["note"]
    answer = bench.run(tool, path="f", offset=1, column=9).data
    assert "not longer than 9" in answer["note"]


@pytest.mark.parametrize(
    "raw", [{"limit": 0}, {"offset": -1}, {"column": -1}, {"start": 3}, {"path": 7}, {"encoding": "klingon"}]
)
def test_senseless_arguments(bench: Any, raw: dict[str, Any]) -> None:
    (bench.root / "f").write_text("a\n")
    with pytest.raises(Refused) as e:
        bench.run(tool, **{"path": "f", **raw})
    assert e.value.code == "bad_args"


def test_a_named_encoding_is_used_and_kept_apart(bench: Any) -> None:
    """R5"""
    (bench.root / "f").write_bytes("café, naïve\n".encode("cp1250", "replace") + b"\xb3\n")
    assert bench.run(tool, path="f", encoding="cp1250").data["content"].endswith("2| ł")
    assert bench.run(tool, path="f", encoding="latin-1").data["content"].endswith("2| ³")
    with pytest.raises(Refused) as e:
        bench.run(tool, path="f", encoding="cp037")
    assert e.value.code == "unsupported"


def test_utf16_without_a_bom_is_named_as_such(bench: Any) -> None:
    """R6: refused, with the way to read it."""
    (bench.root / "f").write_bytes("key=1\n".encode("utf-16-le"))
    with pytest.raises(Refused) as e:
        bench.run(tool, path="f")
    assert (e.value.code, "utf-16le" in e.value.message) == ("binary", True)
    assert bench.run(tool, path="f", encoding="utf-16le").data["content"] == "     1| key=1"


@pytest.mark.parametrize("text", ["文件系统错误\n", "# 中文注释\nx = 1\n", "名称=测试\nport=1\n"])
def test_chinese_in_gb18030_is_found_and_said(bench: Any, text: str) -> None:
    """R5"""
    (bench.root / "f").write_bytes(text.encode("gb18030"))
    answer = bench.run(tool, path="f", line_numbers=False).data
    assert (answer["content"], answer["encoding"], answer["encoding_detected"]) == (text, "gb18030", True)


def test_what_was_read_can_be_edited_and_nothing_else(bench: Any) -> None:
    """S2, S4"""
    (bench.root / "f").write_text("".join(f"l{i}\n" for i in range(200)))
    data = (bench.root / "f").read_bytes()
    with pytest.raises(Refused) as e:
        bench.seen.check("f", data, [(0, 1)])
    assert e.value.code == "not_read"
    bench.run(tool, path="f", limit=10)
    bench.seen.check("f", data, [(0, 10)])
    with pytest.raises(Refused) as e:
        bench.seen.check("f", data, [(9, 11)])
    assert (e.value.code, e.value.facts["unseen"]) == ("not_read", [[11, 11]])
    with pytest.raises(Refused):
        bench.seen.check("f", data, None)


def test_notes_rebuild_the_read_state(bench: Any) -> None:
    (bench.root / "f").write_text("a\nb\n")
    notes = json.loads(json.dumps(bench.run(tool, path="f").view["seen"]))
    bench.seen = type(bench.seen)()
    bench.seen.apply(notes)
    bench.seen.check("f", b"a\nb\n", None)
    assert bench.run(tool, path="f").data["status"] == "unchanged"


def test_pages_of_a_pdf(bench: Any) -> None:
    """R7"""
    (bench.root / "a.pdf").write_bytes(plain_pdf(*(f"text of page {n}" for n in range(1, 10))))
    first = bench.run(tool, path="a.pdf")
    assert first.data["shown"] == [1, 2, 3, 4, 5]
    assert first.data["next"] == {"pages": "6-9"}
    assert [part.mime for part in first.media] == ["image/png"] * 5
    second = bench.run(tool, path="a.pdf", **first.data["next"])
    assert "text of page 9" in second.data["content"]
    assert (second.data["truncated"], second.data["next"]) == (False, None)
    assert bench.run(tool, path="a.pdf", pages="2,4-5").data["shown"] == [2, 4, 5]
    assert bench.run(tool, path="a.pdf", pages="2,4-5").data["status"] == "unchanged"
    with pytest.raises(Refused) as e:
        bench.run(tool, path="a.pdf", pages="x")
    assert e.value.code == "bad_args"


def test_an_image_is_a_part_and_the_second_time_unchanged(bench: Any) -> None:
    """R7, R8"""
    (bench.root / "a.jpg").write_bytes(jpeg(3000, 1000))
    result = bench.run(tool, path="a.jpg")
    (part,) = result.media
    assert (part.mime, part.name) == ("image/jpeg", "a.jpg")
    assert max(Image.open(io.BytesIO(part.data)).size) <= 1568
    assert bench.run(tool, path="a.jpg").data["status"] == "unchanged"


def test_a_notebook_is_paged_and_its_raw_text_can_be_had(bench: Any) -> None:
    """R7"""
    cells = [{"cell_type": "code", "source": [f"x{n} = {n}"], "outputs": []} for n in range(100)]
    (bench.root / "a.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    answer = bench.run(tool, path="a.ipynb").data
    assert (answer["cells"], answer["truncated"]) == (100, True)
    answer = bench.run(tool, path="a.ipynb", **answer["next"]).data
    assert "x40 = 40" in answer["content"]
    raw = bench.run(tool, path="a.ipynb", encoding="utf-8").data
    assert raw["type"] == "text"
    assert raw["content"].startswith('     1| {"cells"')


def test_a_file_without_permission(bench: Any) -> None:
    """As a user that is not root."""
    (bench.root / "f").write_text("a\n")
    (bench.root / "f").chmod(0)
    os.chmod(bench.root, 0o755)
    script = (
        "import os, sys; from pathlib import Path\n"
        "from workbench.files.fence import Fence; from workbench.files import Refused\n"
        "os.setuid(65534); f = Fence(Path(sys.argv[1]))\n"
        "try: f.open(f.resolve('f'))\n"
        "except Refused as e: print(e.code)\n"
    )
    if os.getuid():
        with pytest.raises(Refused) as e:
            bench.run(tool, path="f")
        assert e.value.code == "permission"
        return
    for folder in (bench.root, *bench.root.parents):
        if folder.stat().st_uid == 0 and folder != Path("/") and str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    done = subprocess.run([sys.executable, "-c", script, str(bench.root)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "permission"


@pytest.mark.timeout(600)
def test_a_link_swapped_while_it_is_read(ground: Any, make_bench: Callable[..., Any], rounds: Any) -> None:
    """P1: 30,000 rounds of a folder and a link to the outside changing places; nothing from outside is ever read."""
    ground.lay(
        [
            {"op": "file", "path": "ws/d/e/f.txt", "content": "IN"},
            {"op": "file", "path": "out/e/f.txt", "content": "SECRET"},
            {"op": "symlink", "path": "ws/x", "target": "../out"},
        ]
    )
    bench = make_bench(ground.ws)
    seen: dict[str, int] = {}
    with ground.swapping(ground.ws / "d", ground.ws / "x"):
        for _ in range(rounds(30_000)):
            bench.seen.forget_shown()
            try:
                got = bench.run(tool, path="d/e/f.txt").data["content"]
            except Refused as e:
                got = e.code
            seen[got] = seen.get(got, 0) + 1
    assert seen.pop("     1| IN") > 0
    assert set(seen) <= {"outside", "conflict", "no_file"}, seen


def test_the_model_is_told_what_to_use_it_for() -> None:
    assert "instead of cat" in tool.description
    assert list(tool.schema["properties"]) == ["path", "offset", "limit", "column", "line_numbers", "encoding", "pages"]
    assert tool.Args.model_validate({"path": "x"}).model_dump()["limit"] == 80


def test_version_is_the_hash_of_the_bytes(bench: Any) -> None:
    """R9"""
    data = b"a\r\n\xff\n"
    (bench.root / "f").write_bytes(data)
    assert bench.run(tool, path="f").data["version"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("raw", [{"offset": True}, {"limit": True}, {"column": False}])
def test_true_is_not_a_number(bench: Any, raw: dict[str, Any]) -> None:
    with pytest.raises(Refused) as e:
        bench.run(tool, path="a.txt", **raw)
    assert e.value.code == "bad_args"
    assert "true or false" in e.value.message
