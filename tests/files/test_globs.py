"""Globs, against the standard library's where they mean the same."""

import fnmatch
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.files.globs import Glob, glob


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "x/src/a.py", False),
        ("/a.py", "a.py", True),
        ("/a.py", "src/a.py", False),
        ("**/a.py", "a.py", True),
        ("**/a.py", "x/y/a.py", True),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/x/y/a.ts", True),
        ("*.{ts,tsx}", "x/a.tsx", True),
        ("{src,lib}/**/*.{c,h}", "lib/x/a.h", True),
        ("{src,lib}/*.c", "bin/a.c", False),
        ("a?.txt", "ab.txt", True),
        ("a?.txt", "a/.txt", False),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[!ab].txt", "c.txt", True),
        ("[a-c]x", "bx", True),
        ("app/[id]/*.tsx", "app/[id]/page.tsx", True),
        ("[]x].txt", "].txt", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        (".github/*", ".github/w.yml", True),
        ("*", ".env", True),
        ("名*", "src/名称.txt", True),
        ("a,b", "a,b", True),
        ("a}b", "a}b", True),
        ("a+b(c)|d^$.txt", "a+b(c)|d^$.txt", True),
    ],
)
def test_what_matches(pattern: str, path: str, matches: bool) -> None:
    assert Glob(pattern).matches(path) is matches


@given(st.text(alphabet="ab*?.x"), st.text(alphabet="ab.x", min_size=1))
def test_names_match_as_in_fnmatch(pattern: str, name: str) -> None:
    if "**" in pattern or not pattern:
        return
    assert Glob(pattern).matches(name) == fnmatch.fnmatchcase(name, pattern)


@given(st.text(st.characters(), min_size=1, max_size=20), st.text(max_size=20))
def test_any_text_is_a_glob_or_refused(pattern: str, path: str) -> None:
    try:
        Glob(pattern).matches(path)
    except Refused as e:
        assert e.code == "bad_args"


def test_a_hostile_glob_is_fast() -> None:
    began = time.monotonic()
    assert not Glob("*a" * 100 + "b").matches("a" * 5000)
    assert time.monotonic() - began < 0.5


@pytest.mark.parametrize("pattern", ["{a,b", "{{a}", "[z-a]", "a\0b", "\ud800"])
def test_senseless_globs(pattern: str) -> None:
    with pytest.raises(Refused) as e:
        glob(pattern)
    assert e.value.code == "bad_args"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("*.py", "*.py"), ("src/**/*.ts", "*.ts"), ("src/**", None), ("*.{a,b}", None), ("[ab]", None), ("src/", "src")],
)
def test_the_glob_of_the_last_name(pattern: str, name: str | None) -> None:
    assert Glob(pattern).name == name
