"""Patches: the text for the model, and the bytes that `git apply` takes."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history.patch import Side, file_patch, git_mode, unified

LINES = b"".join(b"line %d\n" % i for i in range(1, 31))


def test_no_change_is_no_patch() -> None:
    assert unified(LINES, LINES, "a.py") == ""
    assert file_patch("a", Side(b"x"), Side(b"x")) == b""


def test_unified_reads_like_git() -> None:
    assert unified(b"a\nb\nc\n", b"a\nB\nc\n", "d/f.py") == (
        "--- a/d/f.py\n+++ b/d/f.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_unified_says_where_a_newline_is_missing() -> None:
    assert unified(b"a", b"a\n", "f").endswith("-a\n\\ No newline at end of file\n+a\n")


def test_unified_of_binary_and_of_text_beyond_the_limit() -> None:
    assert unified(b"\0a", b"\0bc", "i.png") == "Binary file i.png changed: 2 -> 3 bytes.\n"
    text = unified(LINES, LINES.replace(b"line", b"row"), "f", limit=200)
    assert len(text) < 320
    assert "more lines of this diff are not shown" in text


def test_modes() -> None:
    assert [git_mode("file", 0o644), git_mode("file", 0o755), git_mode("link", 0)] == ["100644", "100755", "120000"]


class Repo:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        subprocess.run(["git", "config", "core.autocrlf", "false"], cwd=root, check=True)

    def put(self, name: str, side: Side | None) -> None:
        path = os.path.join(os.fsencode(self.root), name.encode("utf-8", "surrogateescape"))
        if os.path.lexists(path):
            os.unlink(path)
        if side is None:
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if side.mode == "120000":
            os.symlink(side.data, path)
            return
        with open(path, "wb") as f:
            f.write(side.data)
        os.chmod(path, 0o755 if side.mode == "100755" else 0o644)

    def get(self, name: str) -> Side | None:
        path = os.path.join(os.fsencode(self.root), name.encode("utf-8", "surrogateescape"))
        if not os.path.lexists(path):
            return None
        if os.path.islink(path):
            return Side(os.readlink(path), "120000")
        with open(path, "rb") as f:
            return Side(f.read(), "100755" if os.stat(path).st_mode & 0o100 else "100644")

    def apply(self, patch: bytes, *args: str) -> None:
        done = subprocess.run(["git", "apply", "-p1", *args, "-"], cwd=self.root, input=patch, capture_output=True)
        assert done.returncode == 0, (done.stderr, patch)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


CASES = {
    "edit": (Side(LINES), Side(LINES.replace(b"line 9\n", b"nine\n"))),
    "made": (None, Side(LINES)),
    "made empty": (None, Side(b"")),
    "gone": (Side(LINES), None),
    "gone empty": (Side(b""), None),
    "mode": (Side(LINES), Side(LINES, "100755")),
    "mode and text": (Side(LINES), Side(LINES + b"x\n", "100755")),
    "no newline": (Side(b"a\nb"), Side(b"a\nc")),
    "newline added": (Side(b"a\nb"), Side(b"a\nb\n")),
    "crlf": (Side(b"a\r\nb\r\n"), Side(b"a\nb\r\n")),
    "no encoding": (Side(b"\xff\xfea\n\xc3(\n"), Side(b"\xff\xfea\n\xc3)\n")),
    "binary": (Side(bytes(range(256)) * 40), Side(bytes(range(255, -1, -1)) * 17)),
    "binary made": (None, Side(b"\0" * 1000)),
    "binary gone": (Side(b"\0\1\2"), None),
    "link made": (None, Side(b"target/of it", "120000")),
    "link changed": (Side(b"a", "120000"), Side(b"b", "120000")),
    "file to link": (Side(LINES), Side(b"elsewhere", "120000")),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["a.txt", "d/e/f.txt", "with space", "caf\udce9", "中.txt", 'q"uote\\', "tab\tx"])
def test_git_applies_it_and_takes_it_back(repo: Repo, case: str, name: str) -> None:
    old, new = CASES[case]
    repo.put(name, old)
    patch = file_patch(name, old, new)
    repo.apply(patch)
    assert repo.get(name) == new
    repo.apply(patch, "-R")
    assert repo.get(name) == old


LINE = st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\xff\n", b"+x\n", b"-- \n", b"@@\n"])
CONTENT = st.builds(
    lambda lines, tail: b"".join(lines) + tail, st.lists(LINE, max_size=20), st.sampled_from([b"", b"x", b"\r"])
)


def test_git_applies_any_text(tmp_path: Path, rounds) -> None:
    repo = Repo(tmp_path / "r")

    @settings(max_examples=rounds(600), deadline=None)
    @given(CONTENT, CONTENT)
    def check(old: bytes, new: bytes) -> None:
        if old == new:
            return
        repo.put("f", Side(old))
        repo.apply(file_patch("f", Side(old), Side(new)))
        assert repo.get("f") == Side(new)

    check()
