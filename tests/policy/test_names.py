"""Path patterns and the aliases of protected names (P3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.policy.names import Paths, fold


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (".env", ".env"),
        (".env", "deep/down/.env"),
        (".env.*", ".env.local"),
        ("*.pem", "certs/server.pem"),
        (".git/**", ".git"),
        (".git/**", ".git/config"),
        (".git/**", "sub/.git/hooks/x"),
        (".github/workflows/**", ".github/workflows/ci.yml"),
        ("./docs/**", "docs/a/b"),
        ("/etc/shadow*", "/etc/shadow-"),
        ("/proc/*/environ", "/proc/self/environ"),
        ("a/**/z", "a/b/c/z"),
        ("a/**/z", "a/z"),
        ("x?", "xy"),
        ("caf\u00e9", "cafe\u0301"),
    ],
)
def test_a_pattern_matches(pattern: str, path: str) -> None:
    assert Paths([pattern]).match(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (".env", ".environment"),
        (".env", "x.env"),
        ("*.pem", "pem"),
        (".git/**", ".gitignore"),
        (".git/**", "legit/x"),
        (".git/**", ".gi\u0131t/config"),
        ("./docs/**", "sub/docs/a"),
        ("/etc/shadow", "etc/shadow"),
        ("/proc/*/environ", "/proc/1/task/1/environ"),
        ("x?", "x/"),
        (".git/**", "\uff0egit/config"),
    ],
)
def test_a_pattern_leaves_alone(pattern: str, path: str) -> None:
    assert not Paths([pattern]).match(path)


@pytest.mark.parametrize(
    "alias",
    [
        ".GIT/config", ".Git/config", ".git /config", ".git./config", ".git. ./config", "git~1/config", "GIT~1/config",
        "git~4/config", ".g\u200cit/config", ".git\u200b/config", "\ufeff.git/config", ".git::$INDEX_ALLOCATION/config",
        ".git\\config", "sub\\.git\\config",
    ],
)  # fmt: skip
def test_an_alias_of_a_protected_name_is_that_name(alias: str) -> None:
    assert Paths([".git/**"]).match(alias)


@pytest.mark.parametrize(
    ("pattern", "alias"), [(".vscode/**", "VSCODE~1/x"), ("authorized_keys", "AUTHOR~1"), (".gitmodules", "gi7eba~1")]
)
def test_short_names_of_the_patterns_own_words_count(pattern: str, alias: str) -> None:
    assert Paths([pattern]).match(alias)


def test_an_exclamation_mark_takes_back() -> None:
    keys = Paths(["id_*", "!*.pub"])
    assert keys.match("id_rsa")
    assert not keys.match("id_rsa.pub")


def test_equal_patterns_are_equal() -> None:
    assert Paths(["a"]) == Paths(["a"])
    assert len({Paths(["a"]), Paths(["a"]), Paths(["b"])}) == 2
    assert "a" in repr(Paths(["a"]))


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(path: str) -> None:
    assert fold(fold(path)) == fold(path)


@given(st.text(max_size=40))
def test_case_never_matters(path: str) -> None:
    assert Paths([".git/**", "*.pem"]).match(path) == Paths([".git/**", "*.pem"]).match(path.casefold())
