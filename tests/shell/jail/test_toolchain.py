"""Programs of a masked home stay usable; nothing else of it is opened, whatever the workspace names."""

import sys
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.shell.jail import toolchain
from workbench.shell.jail.host import Host
from workbench.shell.jail.toolchain import shown


@pytest.fixture
def host(tmp_path: Path) -> Host:
    home = tmp_path / "home"
    home.mkdir()
    toolchain._of_account.cache_clear()
    return replace(Host.here({"HOME": str(home)}), path=())


def make(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def seen(host: Host, root: Path, *path: Path) -> set[str]:
    masked = [host.home, Path("/masked")]
    found = shown(replace(host, path=path), root, masked)
    return {p.relative_to(host.home).as_posix() for p in found if p.is_relative_to(host.home)}


def test_an_empty_home_shows_nothing(host: Host, tmp_path: Path) -> None:
    assert seen(host, tmp_path / "ws") == set()


def test_folders_of_version_managers_are_shown_and_documents_are_not(host: Host, tmp_path: Path) -> None:
    make(
        host.home / ".cargo/bin/cargo", host.home / ".pyenv/bin/pyenv", host.home / "Documents/x", host.home / ".ssh/id"
    )
    make(host.home / ".config/gh/hosts.yml", host.home / ".local/share/keyrings/x", host.home / "go/pkg/mod/x")
    make(host.home / "go/src/private/x")
    assert seen(host, tmp_path / "ws") == {".cargo", ".pyenv", "go/pkg"}


def test_an_installation_on_the_search_path_is_shown_whole(host: Host, tmp_path: Path) -> None:
    make(
        host.home / "apps/zig/bin/zig",
        host.home / "apps/zig/lib/std",
        host.home / "bin/mine",
        host.home / "apps/other/x",
    )
    assert seen(host, tmp_path / "ws", host.home / "apps/zig/bin", host.home / "bin") == {"apps/zig", "bin"}


def test_the_home_itself_on_the_search_path_is_not_shown(host: Host, tmp_path: Path) -> None:
    make(host.home / "lib/x")
    assert seen(host, tmp_path / "ws", host.home, host.home / "bin") == set()


def test_links_among_programs_are_followed_to_their_installation(host: Host, tmp_path: Path) -> None:
    make(
        host.home / "opt/poetry/bin/poetry",
        host.home / "opt/poetry/lib/x",
        host.home / "scripts/tool.sh",
        host.home / "scripts/key",
    )
    make(host.home / ".local/bin/x")
    (host.home / ".local/bin/poetry").symlink_to(host.home / "opt/poetry/bin/poetry")
    (host.home / ".local/bin/tool").symlink_to("../../scripts/tool.sh")
    (host.home / ".local/bin/loop").symlink_to("loop")
    (host.home / ".local/bin/home").symlink_to(host.home)
    assert seen(host, tmp_path / "ws") == {".local/bin", "opt/poetry", "scripts/tool.sh"}


def test_the_interpreter_of_a_virtual_environment_is_shown(host: Host, tmp_path: Path) -> None:
    python = host.home / "pythons/3.13"
    make(python / "bin/python3", python / "lib/python3.13/os.py")
    root = tmp_path / "ws"
    make(root / ".venv/bin/x")
    (root / ".venv/pyvenv.cfg").write_text(f"home = {python}/bin\nversion = 3.13\n")
    assert seen(host, root) == {"pythons/3.13"}


@pytest.mark.parametrize(
    "named", ["{home}/.ssh/x", "{home}/Documents/bin", "{home}/bin", "{home}", "/", "relative", "/etc/x"]
)
def test_a_workspace_cannot_open_a_folder_by_naming_it(host: Host, tmp_path: Path, named: str) -> None:
    make(host.home / ".ssh/x/id", host.home / "Documents/bin/x", host.home / "bin/python3", host.home / "lib/python3/x")
    root = tmp_path / "ws"
    make(root / ".venv/bin/x")
    (root / ".venv/pyvenv.cfg").write_text(f"home = {named.format(home=host.home)}\n")
    assert seen(host, root) == set()


def test_nothing_that_holds_the_workspace_is_shown_read_only(host: Host) -> None:
    root = host.home / "go/pkg/mine"
    make(root / "x")
    assert seen(host, root) == set()


def test_a_folder_of_the_workspace_is_left_to_the_workspace(host: Host) -> None:
    root = host.home / "project"
    make(root / "python/bin/python3", root / "python/lib/python3.13/x", root / ".venv/x")
    (root / ".venv/pyvenv.cfg").write_text(f"home = {root}/python/bin\n")
    assert seen(host, root) == set()


def test_a_real_environment_names_this_python(tmp_path: Path, host: Host) -> None:
    venv.create(tmp_path / "ws" / ".venv", symlinks=True)
    base = Path(sys.base_prefix).resolve()
    assert base in shown(host, tmp_path / "ws", [base.parent])
