"""Which spellings of a path are taken, and that honest names stay as they are (P2)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.files.spelling import Spelled, spell

HOME = Path("/home/me")


@pytest.mark.parametrize(
    "name",
    [
        "[id].tsx",
        "$slug.ts",
        "routes/$postId.tsx",
        "..a",
        "a..",
        "...",
        "résumé.txt",
        "re\u0301s.txt",
        "👨\u200d👩.md",
        " lead",
        "trail ",
        "a.txt.",
        "-rf",
        "--output=x",
        "50%.txt",
        "..%2fx",
        "a b'#%41.txt",
        "notes: today",
        "10:30:00.log",
        "a&b;c|d",
        "می\u200cخواهم.txt",
        "C",
        "c/x",
        "$HOME.txt",
        "x/$HOME/y",
        "Foo::Bar.3pm",
    ],
)
def test_honest_names_are_kept(name: str) -> None:
    assert spell(name, HOME) == Spelled(tuple(name.split("/")), absolute=False, folder=False)


@pytest.mark.parametrize(
    ("path", "parts", "absolute", "folder"),
    [
        ("a//b///c", ("a", "b", "c"), False, False),
        ("./a/./b", ("a", "b"), False, False),
        ("a/../b", ("a", "..", "b"), False, False),
        ("a/", ("a",), False, True),
        ("a/.", ("a",), False, True),
        (".", (), False, True),
        ("/etc/x", ("etc", "x"), True, False),
        ("~/x", ("home", "me", "x"), True, False),
        ("~", ("home", "me"), True, True),
        ("./~/x", ("~", "x"), False, False),
    ],
)
def test_what_is_meant(path: str, parts: tuple[str, ...], absolute: bool, folder: bool) -> None:
    assert spell(path, HOME) == Spelled(parts, absolute, folder)


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "\u3000",
        "a\nb",
        "a\rb",
        "a\tb",
        "\x1b[2K",
        "a\x7f",
        "a\x85b",
        "a\u2028b",
        "a\u202eb",
        "a\u200bb",
        "\ufeffa",
        "\ud800x",
        "a\udcffb",
        "\\\\server\\share",
        "a\\b",
        "C:\\x",
        "C:/x",
        "c:x",
        "file:a",
        "FILE:///x",
        "http://x/y",
        "jar:file:///x",
        "vscode://x",
        "a.txt:stream",
        "a.txt:12",
        "a.txt::$DATA",
        ".git::$INDEX_ALLOCATION/config",
        "$HOME/x",
        "${HOME}/x",
        "$env:X/y",
        "%APPDATA%/x",
        "~root/x",
        "~-/x",
        "x" * 256,
        "é" * 128,
        "d/" * 2100,
    ],
)
def test_what_is_refused_before_the_disk_is_touched(path: str) -> None:
    with pytest.raises(Refused) as e:
        spell(path, HOME)
    assert e.value.code == "bad_path"
    e.value.message.encode()


def test_a_nul_is_a_bad_argument() -> None:
    with pytest.raises(Refused) as e:
        spell("a\0.txt")
    assert e.value.code == "bad_args"


def test_home_is_not_guessed() -> None:
    with pytest.raises(Refused):
        spell("~/x", None)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("C:\\work\\a.txt", ("C:", "work", "a.txt")),
        ("c:/work/a.txt", ("C:", "work", "a.txt")),
        ("/c/work/a.txt", ("C:", "work", "a.txt")),
        ("/d", ("D:",)),
        ("/usr/x", ("usr", "x")),
        ("src\\a.txt", ("src", "a.txt")),
    ],
)
def test_windows_forms(path: str, parts: tuple[str, ...]) -> None:
    assert spell(path, windows=True).parts == parts


@pytest.mark.parametrize("path", ["\\\\server\\share\\x", "//server/share/x", "\\\\?\\C:\\x", "c:relative"])
def test_windows_forms_that_leave_the_machine_or_mean_two_things(path: str) -> None:
    with pytest.raises(Refused):
        spell(path, windows=True)


@given(st.text())
def test_any_text_is_spelt_or_refused(path: str) -> None:
    try:
        found = spell(path, HOME)
    except Refused as e:
        assert e.code in ("bad_path", "bad_args")
    else:
        assert all(part and part != "." and "/" not in part for part in found.parts)
