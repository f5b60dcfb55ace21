"""Finding a repository by its files, and telling a harmless one from a trap."""

import subprocess
from pathlib import Path

import pytest

from workbench.shell.jail.repository import around, at, find, harmless, same_but_for_branches


def git(folder: Path, *words: str) -> None:
    settings = (
        "-c",
        "user.name=n",
        "-c",
        "user.email=e@x",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
    )
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def test_there_may_be_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()  # an empty folder is no repository, and ends the search as it does for git's own fence
    assert find(tmp_path) is None
    assert around(tmp_path) == []


def test_a_folder_in_a_repository_belongs_to_it(repo: Path) -> None:
    (repo / "a" / "b").mkdir(parents=True)
    found = find(repo / "a" / "b")
    assert found is not None
    assert (found.top, found.own, found.common) == (repo, repo / ".git", repo / ".git")


def test_a_linked_work_tree_knows_where_the_objects_lie(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    found = find(tmp_path / "tree")
    assert found is not None
    assert (found.own, found.common) == (repo / ".git" / "worktrees" / "tree", repo / ".git")


def test_a_submodule_lies_in_its_parents_folder(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repo), "other")
    git(repo, "submodule", "add", "-q", str(tmp_path / "other"), "sub")
    found = at(repo / "sub")
    assert found is not None
    assert found.own == found.common == repo / ".git" / "modules" / "sub"
    assert [r.top for r in around(repo)] == [repo, repo / "sub"]


def test_a_planted_pointer_opens_nobodys_repository(repo: Path, tmp_path: Path) -> None:
    """`.git` as a file may name any folder; what it names must know this work tree."""
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / ".git").write_text(f"gitdir: {repo}/.git\n")
    assert find(workspace) is None
    (workspace / ".git").unlink()
    (workspace / ".git").symlink_to(repo / ".git")
    assert find(workspace) is None


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: /nowhere", "nonsense", "gitdir: \0"])
def test_a_broken_pointer_is_no_repository(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert find(tmp_path) is None


def test_a_fresh_repository_is_harmless(repo: Path) -> None:
    git(repo, "config", "user.name", "someone else")
    git(repo, "remote", "add", "origin", "https://example.org/x.git")
    git(repo, "branch", "other")
    assert harmless(repo / ".git")


@pytest.mark.parametrize(
    "trap",
    [
        ("config", "core.fsmonitor", "./x"),
        ("config", "core.hooksPath", "hooks"),
        ("config", "core.sshCommand", "./x"),
        ("config", "filter.x.clean", "./x"),
        ("config", "diff.external", "./x"),
        ("config", "include.path", "../x"),
        ("config", "alias.st", "!./x"),
        ("config", "core.worktree", "/"),
        ("config", "remote.origin.uploadpack", "./x"),
        ("config", "remote.origin.url", "ext::sh -c x"),
        ("config", "extensions.worktreeConfig", "true"),
    ],
)
def test_a_setting_that_runs_something_is_not(repo: Path, trap: tuple[str, ...]) -> None:
    git(repo, *trap)
    assert not harmless(repo / ".git")


@pytest.mark.parametrize(
    "name", ["hooks/pre-commit", "info/attributes", "commondir", "config.worktree", "worktrees/x", "modules/x"]
)
def test_a_file_that_runs_something_is_not(repo: Path, name: str) -> None:
    (repo / ".git" / name).parent.mkdir(exist_ok=True)
    (repo / ".git" / name).write_text("x")
    assert not harmless(repo / ".git")


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tbare = false\\\n",
        "[core] fsmonitor = x\n",
        "[CORE]\nfsmonitor=x\n",
        "[core]\nbare\n",
        "[core]\n\tbare = x ; [include]\n[include]\npath=x\n",
    ],
)
def test_a_config_that_is_written_oddly_is_not(repo: Path, text: str) -> None:
    (repo / ".git" / "config").write_text(text)
    assert not harmless(repo / ".git")


BEFORE = '[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n'


@pytest.mark.parametrize(
    "added",
    [
        '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
        '[branch "a/b-c.d"]\n\tremote = .\n\tmerge = refs/heads/x\n\trebase = true\n',
        '[branch "q\\"q"]\n\tremote = origin\n',
    ],
)
def test_following_a_branch_is_allowed(added: str) -> None:
    assert same_but_for_branches(BEFORE.encode(), (BEFORE + added).encode())
    assert same_but_for_branches((BEFORE + added).encode(), BEFORE.encode())


@pytest.mark.parametrize(
    "added",
    [
        "[core]\n\tfsmonitor = x\n",
        '[branch "main"]\n\tremote = origin\n[core]\n\tfsmonitor = x\n',
        '[branch "main"] [core] fsmonitor = x\n',
        '[branch "main"][core]\nfsmonitor = x\n',
        '[branch "main"]\n\tmerge = x\\\n[core]\nfsmonitor = x\n',
        '[branch "main"]\n\tmergeoptions = --no-verify\n',
        '[branch "main"]\n[include]\n\tpath = x\n',
        '[branch "x\n"]\n',
        "# only a comment, but not what git writes\n",
    ],
)
def test_anything_else_is_not(added: str) -> None:
    assert not same_but_for_branches(BEFORE.encode(), (BEFORE + added).encode())
