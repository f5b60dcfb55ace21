"""The own walk over a folder, against ripgrep's."""

import os
import subprocess
from pathlib import Path

import pytest

from workbench.files.fence import Fence
from workbench.files.walk import walk

TREE = {
    ".gitignore": "*.log\n!keep.log\nbuild/\n/only_here\n",
    "a.py": "", "x.log": "", "keep.log": "", "build/out.py": "", "only_here": "", "sub/only_here": "",
    "sub/.gitignore": "*.py\n!b.py\n", "sub/a.py": "", "sub/b.py": "", "sub/deep/c.py": "", "sub/deep/d.txt": "",
    ".ignore": "secret_plan\n", "secret_plan": "", ".hidden/x": "", ".git/config": "", "sub/.git/config": "",
    "both/.gitignore": "*.x\n", "both/.ignore": "!a.x\n", "both/a.x": "", "both/b.x": "", "名称.txt": "", "-rf": "",
    "empty.d/.gitignore": "*\n", "empty.d/f": "",
}  # fmt: skip


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "away").symlink_to("/etc")
    return Fence(tmp_path)


def walked(fence: Fence, path: str = ".") -> list[str]:
    return list(walk(fence, fence.resolve(path), lambda: False))


@pytest.mark.parametrize("path", [".", "sub", "sub/deep", "both", ".hidden"])
def test_it_finds_what_ripgrep_finds_in_the_same_order(fence: Fence, path: str) -> None:
    listed = subprocess.run(
        [
            "rg",
            "--files",
            "--hidden",
            "--no-require-git",
            "--no-ignore-global",
            "--glob=!.git",
            "--sort=path",
            f"./{path}",
        ],
        cwd=fence.root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert walked(fence, path) == [os.path.normpath(name) for name in listed]


def test_what_is_ignored_and_what_is_not(fence: Fence) -> None:
    found = walked(fence)
    assert {"a.py", "keep.log", "sub/only_here", "sub/b.py", ".hidden/x", "both/a.x", "-rf"} <= set(found)
    assert not {"x.log", "build/out.py", "only_here", "sub/a.py", "secret_plan", ".git/config", "both/b.x"} & set(found)
    assert not {"link.py", "away"} & set(found)


def test_git_info_exclude_counts(fence: Fence) -> None:
    (fence.root / ".git/info").mkdir()
    (fence.root / ".git/info/exclude").write_text("a.py\n")
    assert "a.py" not in walked(fence)


def test_it_ends_when_told(fence: Fence) -> None:
    assert list(walk(fence, fence.resolve("."), lambda: True)) == []


def test_names_that_can_not_be_written_are_passed_over(fence: Fence) -> None:
    with open(os.fsencode(fence.root) + b"/bad\xff.py", "w"):
        pass
    assert not any("bad" in name for name in walked(fence))


def test_nothing_stays_open(fence: Fence) -> None:
    before = len(os.listdir("/proc/self/fd"))
    found = walk(fence, fence.resolve("."), lambda: False)
    next(found)
    found.close()  # type: ignore[attr-defined]
    walked(fence)
    assert len(os.listdir("/proc/self/fd")) == before
