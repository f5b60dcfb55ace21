"""The words for how far a command is contained."""

import pytest

from workbench.shell.jail.levels import NO_GRANTS, Grants, Sandbox


@pytest.mark.parametrize(
    ("level", "words", "contained"),
    [
        ("A", "isolated", True),
        ("B", "with gaps", True),
        ("C", "files can be read", False),
        ("D", "not isolated", False),
    ],
)
def test_a_level_says_what_it_is(level: str, words: str, *, contained: bool) -> None:
    sandbox = Sandbox(level)  # type: ignore[arg-type]
    assert words in sandbox.words
    assert f"(level {level})" in sandbox.words
    assert sandbox.contained is contained


def test_nothing_is_granted_by_default() -> None:
    assert Grants() == NO_GRANTS
    assert not any(vars(NO_GRANTS).values())
