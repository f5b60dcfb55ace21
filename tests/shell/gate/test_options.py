"""The words of a command as options and operands."""

import pytest

from workbench.shell.gate.options import Options, sort
from workbench.shell.gate.tables import entries
from workbench.shell.gate.values import ANY, BENEATH, MANY, SOME

SPEC = entries(
    {
        "x": {
            "flags": "-a -b --all -#",
            "values": "-n --num",
            "optional": "-i --color",
            "write_values": "-o --out",
            "operands": "read*",
            "try": ["x"],
        }
    }
)["x"]
LONG = entries(
    {
        "x": {
            "long": True,
            "flags": "-v -name",
            "values": "-D -o",
            "prefixes": "-W",
            "opaque_prefixes": "-Wl,",
            "try": ["x"],
        }
    }
)["x"]
ANY_SPEC = entries({"x": {"options": "any", "values": "-n", "operands": "read*", "try": ["x"]}})["x"]
WRAP = entries({"x": {"flags": "-a", "values": "-n", "operands": "text program", "try": ["x"]}})["x"]
ENV = entries({"x": {"flags": "-i", "operands": "assign* program", "try": ["x"]}})["x"]
LEADING = entries({"x": {"flags": "-a", "leading": True, "operands": "script text*", "try": ["x"]}})["x"]


def used(found: Options) -> list[tuple[str, str | None]]:
    return [(u.name, u.value) for u in found.used]


@pytest.mark.parametrize(
    ("words", "options", "operands"),
    [
        (["-a", "f"], [("-a", None)], ["f"]),
        (["-ab", "f"], [("-a", None), ("-b", None)], ["f"]),
        (["-n", "3", "f"], [("-n", "3")], ["f"]),
        (["-n3", "f"], [("-n", "3")], ["f"]),
        (["-abn3"], [("-a", None), ("-b", None), ("-n", "3")], []),
        (["--num=3", "--num", "4"], [("--num", "3"), ("--num", "4")], []),
        (["-i", "f"], [("-i", None)], ["f"]),
        (["-i.bak", "f"], [("-i", ".bak")], ["f"]),
        (["--color=auto", "--color", "f"], [("--color", "auto"), ("--color", None)], ["f"]),
        (["f", "-a"], [("-a", None)], ["f"]),
        (["--", "-a", "f"], [], ["-a", "f"]),
        (["-", "-20"], [], ["-"]),
        (["-ao", "out"], [("-a", None), ("-o", "out")], []),
        (["-o"], [("-o", "")], []),
    ],
)
def test_options_are_taken_as_their_program_takes_them(
    words: list[str], options: list[tuple[str, str | None]], operands: list[str]
) -> None:
    found = sort(words, SPEC)
    assert used(found) == options
    assert found.operands == operands
    assert found.unknown == []


@pytest.mark.parametrize(
    "words", [["-z"], ["-az"], ["--al"], ["--outp=x"], ["--all=x"], ["--unknown"], [f"-{SOME}"], [f"--{ANY}"]]
)
def test_what_is_not_listed_is_unknown(words: list[str]) -> None:
    assert sort(words, SPEC).unknown


def test_a_word_that_may_be_an_option_makes_unsure() -> None:
    assert sort([ANY], SPEC).unsure
    assert sort([f"a{MANY}"], SPEC).unsure
    assert not sort([f"a{ANY}", SOME, f"./{BENEATH}"], SPEC).unsure
    assert not sort(["--", ANY], SPEC).unsure


def test_long_options_with_one_dash() -> None:
    found = sort(["-name", "-Dx=1", "-D", "y", "-Wall", "-Wl,-Map=x", "-ofile", "f"], LONG)
    assert used(found) == [
        ("-name", None),
        ("-D", "x=1"),
        ("-D", "y"),
        ("-W", "all"),
        ("-Wl,", "-Map=x"),
        ("-o", "file"),
    ]
    assert [u.role for u in found.used] == ["", "", "", "", "opaque", ""]
    assert sort(["-vname"], LONG).unknown == ["-vname"]


def test_where_any_option_goes_its_value_is_looked_at() -> None:
    found = sort(["--file=a/b", "-xf./c", "-n", "3", "d"], ANY_SPEC)
    assert ("--file", "a/b") in used(found)
    assert any(value == "f./c" for _, value in used(found))
    assert found.operands == ["d"]
    assert not found.unknown


def test_the_options_of_a_wrapper_end_at_the_program() -> None:
    assert sort(["-a", "5", "rm", "-rf", "x"], WRAP).operands == ["5", "rm", "-rf", "x"]
    assert sort(["-n", "3", "5", "-a", "rm", "-z"], WRAP).operands == ["5", "rm", "-z"]
    assert sort(["-i", "A=1", "B=2", "rm", "-z"], ENV).operands == ["A=1", "B=2", "rm", "-z"]
    assert not sort(["5", "rm", "-z"], WRAP).unknown


def test_the_options_of_an_interpreter_end_at_the_script() -> None:
    found = sort(["-a", "x.py", "-z", "--foo"], LEADING)
    assert found.operands == ["x.py", "-z", "--foo"]
    assert not found.unknown


def test_looking_up() -> None:
    found = sort(["-n", "1", "--num=2", "-a"], SPEC)
    assert found.has("-x", "-a")
    assert not found.has("-b")
    assert found.value("-n", "--num") == "2"
    assert found.value("-o") is None
