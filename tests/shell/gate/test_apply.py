"""Judging by the table alone."""

import pytest

from workbench.shell.gate.apply import lookup

from . import told


def test_the_longest_known_name_counts() -> None:
    def name(*words: str) -> tuple[str, int]:
        spec, used = lookup(words[0], list(words[1:]))
        assert spec
        return spec.name, used

    assert name("git", "log", "-1") == ("git log", 1)
    assert name("git", "stash", "drop", "x") == ("git stash drop", 2)
    assert name("git", "frob") == ("git", 0)
    assert name("git", "-C", "log") == ("git", 0)
    assert name("npm", "run", "x") == ("npm", 0)
    assert name("command", "-v", "x") == ("command -v", 1)
    assert lookup("no-such-program", []) == (None, 0)


@pytest.mark.parametrize(
    ("command", "effects"),
    [
        ("cp a b c/", {"read a", "read b", "write_ws c/a", "write_ws c/b"}),
        ("uniq in out", {"read in", "write_ws out"}),
        ("cmp a b", {"read a", "read b"}),
        ("comm -12 a b", {"read a", "read b"}),
        ("git worktree add wt x", {"write_ws wt"}),
        ("tee a b", {"write_ws a", "write_ws b"}),
    ],
)
def test_operands_have_their_roles(command: str, effects: set[str]) -> None:
    assert told(command) == effects


def test_more_operands_than_there_are_roles_are_opaque() -> None:
    assert "opaque" in told("uniq a b c")
    assert "opaque" in told("uname x")


def test_a_word_that_may_be_many_has_all_roles() -> None:
    assert told("uniq $(cat list)") >= {"read …", "write_out …"}


def test_an_option_is_judged_wherever_it_stands() -> None:
    assert "write_ws out" in told("sort a -o out")
    assert "write_out /tmp/a" in told("cp a -t /tmp")
    assert "write_out /tmp/x" in told("git -C /tmp init x")


def test_help_and_version_of_what_is_known_do_nothing() -> None:
    for command in ("rm --help", "git push --help", "docker --version", "terraform --version", "npm --version"):
        assert told(command) <= {"read ."}


def test_a_short_help_is_none() -> None:
    assert "opaque" in told("bash deploy.sh -h")
    assert "opaque" in told("no-such-program --help")
