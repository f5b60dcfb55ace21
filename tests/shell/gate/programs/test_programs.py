"""Which program a command names, and who judges it (B4)."""

import pytest

from workbench.shell.gate.programs import judge_named

from .. import allowed, stopped, told, understood


@pytest.mark.parametrize(
    "command", ["/bin/rm x", "/usr/bin/rm x", '"/bin/rm" x', "/usr/local/bin/rm x", "~/../../bin/rm x"]
)
def test_a_program_of_the_system_may_be_named_by_path(command: str) -> None:
    assert told(command) == {"delete x"}


@pytest.mark.parametrize("command", ["/tmp/cat a", "../cat a", "~/bin/cat a", "/usr/share/x a", "/bin/../tmp/cat a"])
def test_a_program_elsewhere_is_opaque_whatever_it_is_called(command: str) -> None:
    assert "opaque" in told(command)


def test_a_file_of_the_workspace_is_a_script_whatever_it_is_called() -> None:
    assert told("./ls") == {"write_ws ls"}
    assert understood("./ls").scripts == ("ls",)
    assert not understood("./ls").reads_only


def test_what_the_package_manager_installed_is_judged_by_name() -> None:
    assert stopped("node_modules/.bin/tsc --noEmit\n.venv/bin/pytest\nvendor/bin/phpunit") == []
    assert (
        allowed("""
node_modules/.bin/prisma migrate reset
.venv/bin/pip install x
node_modules/.bin/unheard-of deploy
""")
        != []
    )
    assert "external" in told("node_modules/.bin/prisma migrate reset")
    assert understood("node_modules/.bin/tsc").scripts == ("node_modules/.bin/tsc",)


def test_wrappers_of_build_tools_are_those_tools() -> None:
    assert told("./gradlew test") == {"write_ws ."}
    assert "opaque" in told("./gradlew publish")
    assert understood("./mvnw test").scripts == ("mvnw",)


def test_unknown_programs_are_opaque_and_odd_letters_are_named() -> None:
    assert told("frobnicate x") == {"opaque"}
    (effect,) = understood("c\u0430t a").effects
    assert "CYRILLIC SMALL LETTER A" in effect.detail
    assert told("\uff52\uff4d x") == {"opaque"}
    assert told("GIT status") == {"opaque"}


def test_keywords_in_odd_places_are_opaque() -> None:
    assert "opaque" in told("git status; do rm x; done")
    assert "opaque" in told("env then")


def test_judges_are_found_by_name() -> None:
    assert judge_named("files.copy").__name__ == "copy"
    with pytest.raises(AttributeError):
        judge_named("files.frob")
