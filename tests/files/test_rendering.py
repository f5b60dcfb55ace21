"""How a rendering worker answers, and its limits."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(body: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    script = f"from workbench.files.rendering import Failed, serve\ndef make(data, job):\n    {body}\nserve(make)"
    return subprocess.run([sys.executable, "-c", script, '{"n": 2}'], input=data, capture_output=True, cwd=ROOT)


def test_facts_and_parts_come_back() -> None:
    done = run("return {'got': len(data), 'n': job['n']}, [('image/png', b'ab\\nc'), ('image/gif', b'd')]", b"xyz")
    header, _, blobs = done.stdout.partition(b"\n")
    assert json.loads(header) == {"facts": {"got": 3, "n": 2}, "parts": [["image/png", 4], ["image/gif", 1]]}
    assert blobs == b"ab\ncd"


def test_a_failure_is_an_answer() -> None:
    done = run("raise Failed('bad_image', 'so it is', width=3)")
    assert json.loads(done.stdout) == {"error": "bad_image", "message": "so it is", "facts": {"width": 3}}


def test_memory_is_limited() -> None:
    done = run("return {'n': len(bytearray(8 << 30))}, []")
    assert done.returncode != 0
    assert b"MemoryError" in done.stderr


def test_no_file_can_be_written(tmp_path: Path) -> None:
    run(f"open({str(tmp_path / 'f')!r}, 'w').write('x' * 10); return {{}}, []")
    assert not (tmp_path / "f").exists() or (tmp_path / "f").read_text() == ""
