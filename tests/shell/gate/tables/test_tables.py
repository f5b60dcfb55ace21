"""Every line of the tables has examples, and each holds (B4)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.shell.effects import analyse
from workbench.shell.gate import tables
from workbench.shell.gate.programs import judge_named
from workbench.shell.gate.tables import BadTable, Spec

ROOT, HOME = Path("/home/dev/project"), Path("/home/dev")


def examples() -> Iterator[tuple[str, str]]:
    """(command, effects) of every entry, once though an entry has many names."""
    seen = set()
    for spec in tables.load().values():
        for line in spec.examples:
            if line not in seen:
                seen.add(line)
                command, _, effects = line.partition("=>")
                yield command.strip(), effects.strip()


def told(command: str) -> set[str]:
    found = analyse(command, cwd=ROOT, root=ROOT, home=HOME).effects
    return {f"{e.verb} {e.target}".strip() for e in found}


@pytest.mark.parametrize(("command", "effects"), list(examples()))
def test_every_example_in_the_tables_holds(command: str, effects: str) -> None:
    assert told(command) == {e.strip() for e in effects.split(",") if e.strip()}


def test_every_entry_has_examples_of_its_own() -> None:
    assert sorted({spec.name for spec in tables.load().values() if not spec.examples}) == []


def test_every_judge_that_a_table_names_exists() -> None:
    for by in {spec.by for spec in tables.load().values() if spec.by}:
        assert callable(judge_named(by))


def test_options_that_are_not_listed_are_unknown() -> None:
    assert not any(spec.any_option and spec.wraps for spec in tables.load().values())


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"frob": "-x"}, "there is no key frob"),
        ({"frob_flags": "-x"}, "there is no key frob_flags"),
        ({"operands": "frob"}, "are not roles"),
        ({"operands": "read* write*"}, "at most one"),
        ({"prints": "frob"}, "prints 'frob'"),
        ({"like": "frob"}, "which stands in no table"),
    ],
)
def test_a_bad_entry_is_refused(entry: dict[str, str], said: str) -> None:
    with pytest.raises(BadTable, match=said):
        tables.entries({"x": entry})


def test_likeness_adds_options_and_replaces_the_rest() -> None:
    base = {"flags": "-a", "operands": "read*", "try": ["x"]}
    found = tables.entries({"one": base, "two": {"like": "one", "flags": "-b", "operands": "text"}})
    assert set(found["two"].options) == {"-a", "-b"}
    assert found["two"].operands == ("text",)
    assert found["two"].examples == ()


def test_a_spec_knows_whether_it_runs_another_program() -> None:
    assert Spec("x", operands=("text", "program")).wraps
    assert not Spec("x", operands=("read*",)).wraps
