"""The account, and the fresh environment of a command."""

import sys
from pathlib import Path

import pytest

from workbench.shell.jail.host import Host, environment


def test_only_what_is_on_the_list_passes(tmp_path: Path) -> None:
    secret = {
        "OPENAI_API_KEY": "k", "HTTPS_PROXY": "http://user:pw@proxy", "LD_PRELOAD": "/x.so", "BASH_ENV": "/x",
        "BASH_FUNC_git%%": "() { evil; }", "PYTHONSTARTUP": "/x", "NODE_OPTIONS": "-r /x", "IFS": "x",
    }  # fmt: skip
    env = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "C",
        "PYENV_ROOT": "/p",
        **secret,
    }
    found = environment(Host.here(env), tmp_path / "ws")
    assert {"LANG", "LC_ALL", "PYENV_ROOT", "HOME", "PATH", "TERM"} <= found.keys()
    assert found["LANG"] == "de_DE.UTF-8"
    assert not secret.keys() & found.keys()


def test_a_proxy_passes_with_the_network_only(tmp_path: Path) -> None:
    host = Host.here({"HTTPS_PROXY": "http://proxy", "OPENAI_API_KEY": "k"})
    assert environment(host, tmp_path, network=True)["HTTPS_PROXY"] == "http://proxy"
    assert "HTTPS_PROXY" not in environment(host, tmp_path)
    assert "OPENAI_API_KEY" not in environment(host, tmp_path, network=True)


def test_the_search_path_holds_nothing_of_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / "bin").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root / "bin")
    path = f"{root}/bin:.:relative/bin::{tmp_path}/link:/usr/bin:{tmp_path}/missing"
    entries = environment(Host.here({"PATH": path}), root)["PATH"].split(":")
    assert entries[0] == "/usr/bin"
    assert all(entry.startswith("/") and Path(entry).is_dir() for entry in entries)
    assert not any(str(tmp_path) in entry for entry in entries)


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="needs a virtual environment")
def test_the_workbenchs_own_environment_is_not_the_projects(tmp_path: Path) -> None:
    """`uv run` puts it first; a project's `python -m pytest` must not find it."""
    own = Path(sys.prefix) / "bin"
    entries = environment(Host.here({"PATH": f"{own}:/usr/bin"}), tmp_path)["PATH"].split(":")
    assert str(own) not in entries
    assert str(Path(sys.base_prefix) / "bin") in entries, "some Python is there all the same"


def test_a_home_that_is_a_link_is_known_by_its_real_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to("real")
    assert Host.here({"HOME": str(tmp_path / "home")}).home == tmp_path / "real"
