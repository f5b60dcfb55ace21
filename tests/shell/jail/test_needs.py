"""What the sandbox is opened for: what the gate has seen, in the narrowest way, and nothing else."""

import socket
import subprocess
from pathlib import Path

import pytest

from workbench.shell.effects import analyse
from workbench.shell.jail import needs
from workbench.shell.jail.levels import NO_GRANTS, Grants
from workbench.shell.jail.needs import needed


@pytest.fixture
def root(workspace: Path) -> Path:
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=workspace, check=True)
    far = workspace.parent / "far.git"
    subprocess.run(["git", "init", "-q", "--bare", str(far)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(far)], cwd=workspace, check=True)
    subprocess.run(["git", "remote", "add", "web", "https://example.org/x.git"], cwd=workspace, check=True)
    return workspace


def grants(command: str, root: Path, home: Path) -> Grants:
    return needed(analyse(command, cwd=root, root=root, home=home), root=root, home=home)


@pytest.mark.parametrize(
    "command",
    ["ls", "cat a | grep b", "pytest -q", "make", "npm test", "echo x > a.txt", "sed -i s/a/b/ a.txt", "git status",
     "git log -3", "git diff | head", "python3 script.py", "rm a.txt", "cat /etc/hosts"],
)  # fmt: skip
def test_ordinary_commands_need_nothing(root: Path, home: Path, command: str) -> None:
    assert grants(command, root, home) == NO_GRANTS


@pytest.mark.parametrize(
    "command",
    ["git add -A && git commit -m x", "git commit -am x; git log -1", "git branch x", "cd sub && git add .",
     "echo start && git add a && git commit -m x | tail -2", "id; echo x > a && sed -i s/x/y/ a && git commit -am y"],
)  # fmt: skip
def test_add_commit_and_branch_may_write_git(root: Path, home: Path, command: str) -> None:
    found = grants(command, root, home)
    assert found.git
    assert not found.network
    assert found.write == found.read == ()


@pytest.mark.parametrize(
    "command", ["pytest && git commit -am x", "make; git add -A", "./run.sh && git branch x", "npm run x && git add ."]
)
def test_beside_code_of_the_workspace_they_may_not(root: Path, home: Path, command: str) -> None:
    """Nobody was asked, and whatever that code is could use it."""
    assert not grants(command, root, home).git


@pytest.mark.parametrize(
    "command",
    ["git reset --hard", "make && git reset --hard", "git stash", "git commit --amend -m x", "git rebase main"],
)
def test_what_a_person_was_asked_about_may_write_git(root: Path, home: Path, command: str) -> None:
    assert grants(command, root, home).git


def test_a_push_to_a_repository_beside_the_workspace_needs_that_folder_and_no_network(root: Path, home: Path) -> None:
    found = grants("git push origin main", root, home)
    assert found == Grants(write=(root.parent / "far.git",), git=True)
    following = grants("git add -A && git commit -m x && git push -u origin main", root, home)
    assert following == Grants(write=(root.parent / "far.git",), git=True, tracking=True)


def test_a_push_to_the_world_needs_the_network_and_what_git_shows_there(root: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".aws").mkdir()
    found = grants("git push web main", root, home)
    assert (found.network, found.git) == (True, True)
    assert home / ".ssh" in found.read
    assert home / ".aws" not in found.read


def test_code_of_the_workspace_never_sees_what_git_shows(root: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    found = grants("make && git push web main", root, home)
    assert found.network
    assert found.read == ()


def test_the_key_agent_comes_along(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(tmp_path / "agent"))
        monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
        assert tmp_path / "agent" in grants("git push web main", root, home).read
        assert tmp_path / "agent" not in grants("curl https://example.org", root, home).read


@pytest.mark.parametrize(
    "command", ["curl https://example.org", "pip install x", "npm publish", "make && curl -d @a https://example.org"]
)
def test_what_reaches_out_needs_the_network(root: Path, home: Path, command: str) -> None:
    found = grants(command, root, home)
    assert found.network
    assert not found.git


def test_a_container_engine_is_reached_by_its_socket(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX) as engine:
        engine.bind(str(tmp_path / "d.sock"))
        monkeypatch.setitem(needs.ENGINES, "docker", (str(tmp_path / "d.sock"), "/none"))
        assert grants("docker ps", root, home).read == (tmp_path / "d.sock",)
        assert grants("make && docker ps", root, home).read == ()


def test_a_file_outside_is_opened_and_not_its_folder(root: Path, home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "there").touch()
    assert grants(f"echo x > {out}/there", root, home).write == (out / "there",)
    assert grants(f"echo x > {out}/new", root, home).write == (out,)
    assert grants(f"rm {out}/there", root, home).write == (out,)


@pytest.mark.parametrize("target", ["/tmp/new", "/new", "/etc/new", "/home/new", "{home}/new", "/no/such/folder/new"])
def test_a_shared_folder_is_never_opened_for_one_file(root: Path, home: Path, target: str) -> None:
    assert grants(f"echo x > {target.format(home=home)}", root, home).write == ()


def test_a_protected_file_is_opened_when_it_was_shown(root: Path, home: Path) -> None:
    assert grants("echo x > .vscode/settings.json", root, home).write == (root / ".vscode" / "settings.json",)
    assert grants("sed -i s/a/b/ AGENTS.md", root, home).write == (root / "AGENTS.md",)


def test_settings_of_git_are_opened_when_they_were_shown(root: Path, home: Path) -> None:
    found = grants("git config user.name x", root, home)
    assert found.git
    assert root / ".git" / "config" in found.write


def test_a_credential_is_shown_when_it_was_asked_for(root: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").touch()
    assert grants("cat ~/.ssh/id_rsa", root, home).read == (home / ".ssh" / "id_rsa",)


@pytest.mark.parametrize("command", ["if", "$(", "eval $x", "git $x", "git push $x", "git -c a=b push", "cat $'\\0'"])
def test_odd_commands_are_no_trouble(root: Path, home: Path, command: str) -> None:
    found = grants(command, root, home)
    assert not found.unconfined
    assert not found.home
