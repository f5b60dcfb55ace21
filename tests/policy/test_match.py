"""The conditions of rules: each that is given must hold (G2)."""

import pytest

from workbench.policy.call import Effect, Mode, Verb
from workbench.policy.match import Match, options
from workbench.policy.names import Paths

PUSH = ("git", "push", "origin", "main")


def test_without_conditions_everything_matches() -> None:
    match = Match()
    assert match.holds_for_call("bash", Mode.ASK)
    assert match.holds_for_command(PUSH, all_options=False)
    assert match.holds_for_command(None, all_options=True)
    assert match.holds_for_effect(Effect(Verb.KILL))
    assert not match.holds_for_path("a", "read")


@pytest.mark.parametrize(
    ("match", "argv"),
    [
        (Match(program=frozenset({"git"})), PUSH),
        (Match(program=frozenset({"git"})), ("/usr/bin/git", "push", "origin", "main")),
        (Match(program=frozenset({"git"}), subcommand=("push",)), PUSH),
        (Match(program=frozenset({"git"}), subcommand=("push", "origin")), ("git", "push", "--force", "origin")),
        (Match(argv=PUSH), PUSH),
        (Match(program=frozenset({"rm"}), option=frozenset({"-rf"})), ("rm", "-rf", "x")),
    ],
)
def test_a_command_matches(match: Match, argv: tuple[str, ...]) -> None:
    assert match.holds_for_command(argv, all_options=False)


@pytest.mark.parametrize(
    ("match", "argv"),
    [
        (Match(program=frozenset({"git"})), ("gitk",)),
        (Match(program=frozenset({"git"})), (None, "push")),
        (Match(program=frozenset({"git"})), ()),
        (Match(program=frozenset({"git"})), None),
        (Match(program=frozenset({"git"}), subcommand=("push",)), ("git", "pull")),
        (Match(program=frozenset({"git"}), subcommand=("push",)), ("git", None)),
        (Match(argv=PUSH), (*PUSH, "--force")),
        (Match(argv=PUSH), ("git", "push", "origin", None)),
        (Match(program=frozenset({"rm"}), option=frozenset({"-rf"})), ("rm", "x")),
    ],
)
def test_a_command_does_not_match(match: Match, argv: tuple[str | None, ...] | None) -> None:
    assert not match.holds_for_command(argv, all_options=False)


def test_an_allow_rule_lists_every_option_that_may_be_used() -> None:
    match = Match(program=frozenset({"pytest"}), option=frozenset({"-q", "--maxfail"}))
    assert match.holds_for_command(("pytest", "-q", "--maxfail=2", "tests"), all_options=True)
    assert match.holds_for_command(("pytest",), all_options=True)
    assert not match.holds_for_command(("pytest", "-q", "-p", "evil"), all_options=True)
    assert not match.holds_for_command(("pytest", None), all_options=True)


def test_the_options_of_a_command() -> None:
    assert options(("x", "-a", "--b=c", "-", "d", None)) == {"-a", "--b"}


def test_an_effect_matches_by_verb_kind_path_and_target() -> None:
    write = Effect(Verb.WRITE_WS, "docs/a.md")
    push = Effect(Verb.EXTERNAL, "origin")
    assert Match(effect=frozenset({Verb.WRITE_WS})).holds_for_effect(write)
    assert not Match(effect=frozenset({Verb.DELETE})).holds_for_effect(write)
    assert Match(path=Paths(["docs/**"])).holds_for_effect(write)
    assert Match(path=Paths(["docs/**"]), access="write").holds_for_effect(write)
    assert not Match(path=Paths(["docs/**"]), access="read").holds_for_effect(write)
    assert not Match(path=Paths(["docs/**"])).holds_for_effect(push)
    assert Match(target=("orig*",)).holds_for_effect(push)
    assert not Match(target=("orig*",)).holds_for_effect(Effect(Verb.READ, "origin"))
    assert Match(kind=frozenset({"one_path"})).holds_for_effect(Effect(Verb.DELETE, "a", kind="one_path"))
    assert not Match(kind=frozenset({"one_path"})).holds_for_effect(Effect(Verb.DELETE, "a"))


def test_looking_at_names_is_not_reading_the_file() -> None:
    assert not Match(path=Paths([".env"])).holds_for_effect(Effect(Verb.READ, ".env", kind="names"))
    assert Match(path=Paths([".env"])).holds_for_effect(Effect(Verb.READ, ".env"))


def test_tools_and_modes() -> None:
    assert Match(tool=("mcp__*",)).holds_for_call("mcp__mail", Mode.ASK)
    assert not Match(tool=("mcp__*",)).holds_for_call("bash", Mode.ASK)
    assert not Match(mode=frozenset({Mode.PLAN})).holds_for_call("bash", Mode.AUTO)
