"""Which repository on this disk a git command would reach."""

import subprocess
from pathlib import Path

import pytest

from workbench.shell.jail.remote import git_words, reached


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["git", "push", "origin", "main"], ["push", "origin", "main"]),
        (["git", "--no-pager", "log", "-1"], ["log", "-1"]),
        (["git", "-C", "sub", "push"], []),
        (["git", "-c", "a=b", "push"], []),
        (["git", "--git-dir=x", "push"], []),
        (["git", "push", None], []),
        (["git", None, "push"], []),
        (["git"], []),
    ],
)
def test_the_words_of_a_git_command(argv: list[str | None], words: list[str]) -> None:
    assert git_words(argv) == words


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A workspace and the bare repository beside it that is its origin."""
    workspace, bare = tmp_path / "ws", tmp_path / "ws.git"
    subprocess.run(["git", "init", "-q", "-b", "main", str(workspace)], check=True)
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(bare)], cwd=workspace, check=True)
    subprocess.run(["git", "remote", "add", "web", "https://example.org/x.git"], cwd=workspace, check=True)
    subprocess.run(["git", "remote", "add", "near", "../ws.git"], cwd=workspace, check=True)
    return workspace, bare


@pytest.mark.parametrize(
    "command",
    ["push", "push origin", "push origin main", "push -u origin main", "push --force origin", "push -o ci.skip origin",
     "fetch", "pull", "ls-remote near", "push near main", "push ../ws.git main", "clone ../ws.git copy"],
)  # fmt: skip
def test_a_remote_beside_the_workspace_is_found(pair: tuple[Path, Path], command: str) -> None:
    assert reached(command.split(), pair[0]) == pair[1]


@pytest.mark.parametrize(
    "command",
    ["push web", "push elsewhere", "push https://example.org/x.git", "push git@example.org:x.git", "fetch --all",
     "status", "push ../nowhere", "push ext::sh"],
)  # fmt: skip
def test_what_lies_elsewhere_is_not(pair: tuple[Path, Path], command: str) -> None:
    assert reached(command.split(), pair[0]) is None


def test_a_branch_may_have_its_own_remote(pair: tuple[Path, Path]) -> None:
    subprocess.run(["git", "config", "branch.main.remote", "web"], cwd=pair[0], check=True)
    assert reached(["push"], pair[0]) is None
    assert reached(["push", "origin"], pair[0]) == pair[1]


def test_a_remote_that_is_pushed_to_elsewhere(pair: tuple[Path, Path]) -> None:
    subprocess.run(["git", "config", "remote.origin.pushurl", "https://example.org/x.git"], cwd=pair[0], check=True)
    assert reached(["push"], pair[0]) is None
    assert reached(["fetch"], pair[0]) == pair[1]


def test_a_folder_without_a_repository_reaches_nothing(tmp_path: Path) -> None:
    assert reached(["push"], tmp_path) is None
