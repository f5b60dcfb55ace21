"""Where a path leads (B4, P1)."""

from pathlib import Path

import pytest

from workbench.policy.call import Verb
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.targets import Places, Target, matched
from workbench.shell.gate.values import ANY, BENEATH, SOME


@pytest.fixture
def places(tmp_path: Path) -> Places:
    root = tmp_path / "ws"
    (root / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    (root / "abs").symlink_to(root / "sub")
    (root / "sub" / "f").write_text("x")
    return Places(str(root))


def resolved(places: Places, word: str, folder: str = "") -> tuple[str, bool, bool]:
    (target,) = places.resolve(word, Scope((f"{places.root}{folder}",)))
    return target.path, target.inside, target.known


def test_paths_inside(places: Places) -> None:
    assert resolved(places, "a/b") == ("a/b", True, True)
    assert resolved(places, "./a//b/../c") == ("a/c", True, True)
    assert resolved(places, "../x", "/sub") == ("x", True, True)
    assert resolved(places, f"{places.root}/x") == ("x", True, True)
    assert resolved(places, ".") == ("", True, True)
    assert resolved(places, "abs/f") == ("sub/f", True, True)


def test_paths_outside(places: Places, tmp_path: Path) -> None:
    assert resolved(places, "../out/x") == (f"{tmp_path}/out/x", False, True)
    assert resolved(places, "/etc/passwd") == ("/etc/passwd", False, True)
    assert resolved(places, "up/out") == (f"{tmp_path}/out", False, True)
    assert resolved(places, "../ws_evil") == (f"{tmp_path}/ws_evil", False, True)
    assert resolved(places, "sub/../../ws/x") == ("x", True, True)


def test_paths_that_lead_nobody_knows_where(places: Places) -> None:
    assert not resolved(places, f"a{ANY}")[2]
    assert not resolved(places, "loop/x")[2]
    assert not resolved(places, f"{BENEATH}/../x")[2]
    (target,) = places.resolve("x", Scope(None))
    assert not target.known


def test_patterns_stay_where_their_folder_is(places: Places) -> None:
    assert resolved(places, f"sub/{SOME}.py") == (f"sub/{SOME}.py", True, True)
    assert resolved(places, f"{SOME}/../x") == ("x", True, True)
    assert not Target(f"a{SOME}", inside=True, known=True).exact


def test_links_of_the_script_itself_count(places: Places) -> None:
    scope = Scope((places.root,), links={f"{places.root}/l": "/etc", f"{places.root}/m": ANY})
    assert places.resolve("l/x", scope) == [Target("/etc/x", inside=False, known=True)]
    assert not places.resolve("m/x", scope)[0].known


def test_every_folder_that_it_may_be_is_considered(places: Places) -> None:
    found = places.resolve("x", Scope((places.root, f"{places.root}/sub")))
    assert [target.path for target in found] == ["x", "sub/x"]


def test_the_top_of_the_repository(places: Places) -> None:
    here = Scope((f"{places.root}/sub/deep",))
    assert places.repository(here) == places.root
    (Path(places.root) / "sub" / ".git").mkdir()
    assert places.repository(here) == f"{places.root}/sub"
    assert places.repository(Scope(None)) is None


def test_files_that_are_there(places: Places) -> None:
    scope = Scope((places.root,))
    assert places.there("sub/f", scope)
    assert not places.there("sub/g", scope)
    assert not places.there("/etc/passwd", scope)


@pytest.mark.parametrize(
    ("pattern", "verb"),
    [
        (f".e{SOME}v", Verb.SECRET),
        (f".env{SOME}", Verb.SECRET),
        (f"id_{SOME}", Verb.SECRET),
        (f"/etc/sh{SOME}w", Verb.SECRET),
        (f"/home/x/.s{SOME}/id_{SOME}", Verb.SECRET),
        (f".g{SOME}/config", Verb.PERSIST),
        (f".vs{SOME}/settings.json", Verb.PERSIST),
    ],
)
def test_a_pattern_that_may_be_a_protected_name_is_one(pattern: str, verb: Verb) -> None:
    effects = Target(pattern, inside=not pattern.startswith("/"), known=True).effects("write")
    assert verb in {effect.verb for effect in effects}


@pytest.mark.parametrize(
    "pattern", [SOME, f"{SOME}.json", f"{SOME}.md", f"src/{SOME}", f"test_{SOME}.py", f"{SOME}/{SOME}.toml"]
)
def test_everyday_patterns_are_none(pattern: str) -> None:
    assert matched(pattern) == ()
