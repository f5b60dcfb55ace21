"""What parameter expansions make of values that are known in part."""

import subprocess

import pytest

from workbench.shell.gate.params import change_case, replace, strip
from workbench.shell.gate.values import ANY, BENEATH, SOME


@pytest.mark.parametrize("value", ["src/a.test.py", "a", "", "x.y.z", "/abs/path/f.tar.gz"])
@pytest.mark.parametrize(
    ("operator", "pattern"),
    [("%", ".*"), ("%%", ".*"), ("#", "*/"), ("##", "*/"), ("%", ".py"), ("#", "a"), ("%", "?")],
)
def test_known_values_are_cut_as_bash_cuts_them(value: str, operator: str, pattern: str) -> None:
    told = subprocess.run(
        ["bash", "-c", f'printf %s "${{1{operator}{pattern}}}"', "_", value], capture_output=True, text=True, check=True
    )
    assert strip(value, operator, pattern) == told.stdout


@pytest.mark.parametrize(
    ("value", "operator", "pattern", "found"),
    [
        (f"{SOME}.txt", "%", ".txt", SOME),
        (f"src/{SOME}.py", "##", "*/", f"{SOME}.py"),
        (f"src/{BENEATH}", "##", "*/", SOME),
        (f"src/{SOME}.py", "%", ".*", BENEATH),
        (f"./{BENEATH}", "#", "./", BENEATH),
        (f"/abs/{SOME}", "%", ".*", ANY),
        (f"../{SOME}", "%", ".*", ANY),
        (f"a{ANY}", "%", ".py", ANY),
        (f"a{SOME}", "#", "*", ANY),
        ("a", "%", ANY, ANY),
    ],
)
def test_values_known_in_part(value: str, operator: str, pattern: str, found: str) -> None:
    assert strip(value, operator, pattern) == found


def test_replacing_is_worked_out_only_where_all_is_literal() -> None:
    assert replace("a-b-c", "/", "-", "+") == "a+b-c"
    assert replace("a-b-c", "//", "-", "+") == "a+b+c"
    assert replace("abc", "/", "*", "rm") == ANY
    assert replace(f"{SOME}", "/", "a", "b") == ANY
    assert replace("abc", "/", "b", "&") == ANY


def test_case() -> None:
    assert change_case("abc", "^") == "Abc"
    assert change_case("abc", "^^") == "ABC"
    assert change_case("ABC", ",") == "aBC"
    assert change_case("ABC", ",,") == "abc"
