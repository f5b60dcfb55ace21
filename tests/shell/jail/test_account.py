"""Who the person is inside a sandbox: a name, and the harmless part of their git settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.shell.jail.account import git_settings, passwd
from workbench.shell.jail.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return replace(Host.here({"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}), user="dev", uid=0)


def test_the_mapped_number_is_the_person(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "passwd"
    file.write_text("root:x:0:0:root:/root:/bin/bash\nubuntu:x:1000:1000::/home/ubuntu:/bin/sh\ndev:x:5:5::/:/bin/sh\n")
    text = passwd(host, 1000, file)
    assert text is not None
    assert text.decode() == f"root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000:dev:{host.home}:/bin/bash\n"


def test_a_machine_without_a_plain_list_of_accounts_is_left_as_it_is(host: Host, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert passwd(host, 1000, tmp_path / "none") is None
    assert passwd(host, 1000, tmp_path / "link") is None


def test_the_name_passes_and_what_runs_something_does_not(host: Host) -> None:
    (host.home / ".gitconfig").write_text(
        '[user]\n\tname = "Ada \\"the\\" O\\\\L"\n\temail = ada@example.org\n\tsigningkey = ABC\n'
        "[core]\n\tautocrlf = input\n\thooksPath = /evil\n\tfsmonitor = /evil\n\tpager = /evil\n\tsshCommand = /evil\n"
        '[credential]\n\thelper = store\n[url "https://token@github.com/"]\n\tinsteadOf = https://github.com/\n'
        "[init]\n\tdefaultBranch = trunk\n[alias]\n\tst = !/evil\n"
    )
    text = git_settings(host).decode()
    assert '[user]\n\tname = "Ada \\"the\\" O\\\\L"\n' in text
    assert '\temail = "ada@example.org"\n' in text
    assert '\tdefaultbranch = "trunk"\n' in text
    assert not any(word in text for word in ("evil", "token", "helper", "ABC", "alias"))


def test_a_changed_name_counts_at_once(host: Host) -> None:
    (host.home / ".config" / "git").mkdir(parents=True)
    (host.home / ".config" / "git" / "config").write_text("[user]\n\tname = One\n")
    assert b'"One"' in git_settings(host)
    (host.home / ".gitconfig").write_text("[user]\n\tname = Two\n")
    assert b'"Two"' in git_settings(host)


def test_without_settings_there_is_only_the_workspace_to_trust(host: Host) -> None:
    assert git_settings(host) == b"[safe]\n\tdirectory = *\n"
