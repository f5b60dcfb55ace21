"""What a command sees of the disk, wherever the workspace lies."""

import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import NO_GRANTS, Grants
from workbench.shell.jail.mounts import Mount, layout


@pytest.fixture
def host(tmp_path: Path) -> Host:
    home = tmp_path / "home"
    home.mkdir()
    return replace(Host.here({"HOME": str(home)}), path=())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def kinds(mounts: list[Mount]) -> dict[Path, str]:
    return {mount.at: mount.kind for mount in mounts}


def effective(mounts: list[Mount], path: Path) -> str:
    """The kind of the mount that a path lies in."""
    above = [mount for mount in mounts if path.is_relative_to(mount.at)]
    return above[-1].kind if above else "ro"


def test_deeper_mounts_come_later(host: Host, root: Path) -> None:
    depths = [len(mount.at.parts) for mount in layout(host, root, NO_GRANTS)]
    assert depths == sorted(depths)


def test_the_workspace_is_writable_and_its_surroundings_are_not_there(host: Host, root: Path) -> None:
    mounts = layout(host, root, NO_GRANTS, hide=[root.parent / "data"])
    assert effective(mounts, root / "a") == "rw"
    assert effective(mounts, host.home / "x") == "empty"
    assert effective(mounts, Path("/tmp/x")) == "empty"
    assert effective(mounts, Path("/run/x")) == "closed"
    assert effective(mounts, Path("/usr/bin/x")) == "ro"


@pytest.mark.parametrize("place", ["work/project", "."])
def test_a_workspace_in_the_home_shows_itself_and_no_credentials(host: Host, place: str) -> None:
    root = (host.home / place).resolve()
    root.mkdir(parents=True, exist_ok=True)
    for name in (".ssh", ".aws", ".config/gh"):
        (host.home / name).mkdir(parents=True)
    (host.home / ".netrc").touch()
    mounts = layout(host, root, NO_GRANTS)
    assert effective(mounts, root / "a.py") == "rw"
    assert effective(mounts, host.home / ".ssh" / "id") in ("closed", "empty")
    assert effective(mounts, host.home / ".aws" / "credentials") in ("closed", "empty")
    assert effective(mounts, host.home / ".config" / "gh" / "hosts.yml") in ("closed", "empty")
    assert effective(mounts, host.home / ".netrc") in ("hidden", "empty")


def test_a_workspace_around_the_home_does_not_show_it(host: Host) -> None:
    (host.home / "x").touch()
    mounts = layout(host, host.home.parent, NO_GRANTS)
    assert effective(mounts, host.home.parent / "a") == "rw"
    assert effective(mounts, host.home / "x") == "empty"


def test_the_workbenchs_data_is_hidden_inside_the_workspace_and_around_it(host: Host, root: Path) -> None:
    (root / "data" / "ws").mkdir(parents=True)
    inside = layout(host, root, NO_GRANTS, hide=[root / "data"])
    assert effective(inside, root / "data" / "key") == "closed"
    around = layout(host, root / "data" / "ws", NO_GRANTS, hide=[root / "data"])
    assert effective(around, root / "data" / "key") == "closed"
    assert effective(around, root / "data" / "ws" / "a") == "rw"
    granted = layout(host, root / "data" / "ws", Grants(write=(root,), home=True), hide=[root / "data"])
    assert effective(granted, root / "data" / "key") == "closed"


def test_the_session_can_have_a_tmp_of_its_own(host: Host, root: Path, tmp_path: Path) -> None:
    mounts = layout(host, root, NO_GRANTS, tmp=tmp_path / "t")
    assert Mount("rw", Path("/tmp"), tmp_path / "t") in mounts


def test_what_acts_later_is_read_only_unless_a_person_allowed_it(host: Host, root: Path) -> None:
    for name in (".vscode", ".github/workflows"):
        (root / name).mkdir(parents=True)
    (root / "AGENTS.md").touch()
    (root / ".cursor").symlink_to("/etc")
    found = kinds(layout(host, root, NO_GRANTS))
    assert [found.get(root / n) for n in (".vscode", ".github", ".github/workflows", "AGENTS.md", ".cursor")] == [
        "ro", "rw", "ro", "ro", None,
    ]  # fmt: skip
    allowed = kinds(layout(host, root, Grants(write=(root / ".vscode" / "settings.json", root / "AGENTS.md"))))
    assert allowed.get(root / ".vscode") is None
    assert allowed.get(root / "AGENTS.md") is None, "a file that is a mount could not be replaced"
    assert allowed.get(root / ".github/workflows") == "ro"


def test_git_is_read_only_and_may_be_written_without_what_runs_something(host: Host, root: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    assert kinds(layout(host, root, NO_GRANTS))[root / ".git"] == "ro"
    found = kinds(layout(host, root, Grants(git=True)))
    dot = root / ".git"
    assert (found[dot], found[dot / "config"], found[dot / "hooks"], found[dot / "info"]) == ("rw", "ro", "ro", "ro")
    tracking = kinds(layout(host, root, Grants(git=True, tracking=True)))
    assert (dot / "config") not in tracking
    hooks = kinds(layout(host, root, Grants(git=True, write=(dot / "hooks" / "pre-commit",))))
    assert (dot / "hooks") not in hooks


def test_a_linked_work_tree_may_commit_and_leaves_its_siblings_alone(host: Host, tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], cwd=main, check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=main, check=True)
    for name in ("one", "two"):
        subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / name)], cwd=main, check=True, capture_output=True)
    found = kinds(layout(host, tmp_path / "one", Grants(git=True)))
    dot = main / ".git"
    assert (found[dot], found[dot / "worktrees" / "one"], found[dot / "worktrees" / "two"]) == ("rw", "rw", "ro")
    assert (found[dot / "config"], found[dot / "hooks"], found[tmp_path / "one" / ".git"]) == ("ro", "ro", "ro")
    assert found[dot / "worktrees" / "one" / "commondir"] == "ro"
    plain = kinds(layout(host, tmp_path / "one", NO_GRANTS))
    assert (plain[dot], plain[dot / "worktrees" / "one"]) == ("ro", "ro")


def test_a_folder_of_a_larger_repository_sees_the_whole_of_it(host: Host) -> None:
    top = host.home / "mono"
    (top / "pkg").mkdir(parents=True)
    (top / "other").mkdir()
    subprocess.run(["git", "init", "-q"], cwd=top, check=True)
    mounts = layout(host, top / "pkg", NO_GRANTS)
    assert effective(mounts, top / "other" / "x") == "ro"
    assert effective(mounts, top / "pkg" / "x") == "rw"


def test_a_home_that_is_a_repository_stays_hidden(host: Host) -> None:
    (host.home / "project").mkdir()
    subprocess.run(["git", "init", "-q"], cwd=host.home, check=True)
    mounts = layout(host, host.home / "project", NO_GRANTS)
    assert effective(mounts, host.home / ".git" / "config") == "empty"


def test_sockets_of_this_machine_are_covered(host: Host, root: Path) -> None:
    for base in ("/srv", "/opt", "/var/lib"):
        try:
            path = Path(base) / f"workbench-test-{root.parent.name[:20]}"
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(path))
                listener.listen()
                assert kinds(layout(host, root, NO_GRANTS))[path] == "hidden"
            path.unlink()
            return
        except PermissionError:
            continue
    pytest.skip("no folder outside the masks can be written")


def test_the_real_home_can_be_shown(host: Host, root: Path) -> None:
    (host.home / ".ssh").mkdir()
    mounts = layout(host, root, Grants(home=True))
    assert effective(mounts, host.home / ".ssh" / "id") == "ro"


def test_further_folders_can_be_written_and_shown(host: Host, root: Path, tmp_path: Path) -> None:
    for name in ("out", "in"):
        (tmp_path / name).mkdir()
    grants = Grants(write=(tmp_path / "out", tmp_path / "not there"), read=(tmp_path / "in",))
    mounts = layout(host, root, grants)
    assert effective(mounts, tmp_path / "out" / "x") == "rw"
    assert effective(mounts, tmp_path / "in" / "x") == "ro"
    assert effective(mounts, tmp_path / "not there" / "x") == "empty"


def test_a_bare_repository_that_may_be_pushed_to_keeps_its_hooks(host: Host, root: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    found = kinds(layout(host, root, Grants(write=(bare,))))
    assert (found[bare], found[bare / "hooks"], found[bare / "config"]) == ("rw", "ro", "ro")
