"""Lists that judges look things up in."""

from fnmatch import fnmatchcase

from workbench.shell.gate.lists import listed, table


def test_settings_of_git_name_what_they_may_be() -> None:
    assert all("=" in setting for setting in listed("git_settings"))
    for setting in ("alias.x=!rm", "core.pager=./x", "core.fsmonitor=./x", "core.sshCommand=x", "diff.external=x"):
        assert not any(fnmatchcase(setting, allowed) for allowed in listed("git_settings"))


def test_a_module_of_python_has_one_role() -> None:
    names = [name for names in table("python_modules").values() for name in names]
    assert len(names) == len(set(names))


def test_subcommands_by_program() -> None:
    assert "fmt" in table("local_subcommands")["terraform"]
    assert "apply" not in table("local_subcommands")["terraform"]
