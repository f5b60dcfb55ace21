"""Loading rules, and the built-in rules on paths (P3, G2)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from workbench.policy.call import Effect, Verb
from workbench.policy.rules import BadRules, Rule, built_in, load, path_effects, path_outcome

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "data/paths/paths.jsonl").read_text().splitlines()]
INSIDE = [row for row in ROWS if row["verdict"] == "inside" and row.get("needs") != "root"]
CHOSEN = {("P241", "read"): "ask"}
"""`.npmrc` stands in the rows twice, readable (P241) and a credential (P262): we take it for a credential"""
WORDS = {"approve": "ask"}


def lay_out(row: dict[str, Any], base: Path) -> Path:
    """The row's files and links; where its input leads, relative to the workspace."""
    (base / "ws").mkdir()
    (base / "home").mkdir()
    for step in row["setup"]:
        path = base / step["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        match step["op"]:
            case "file":
                path.write_text(step["content"])
            case "mkdir":
                path.mkdir(parents=True, exist_ok=True)
            case "symlink":
                path.symlink_to(step["target"])
            case "hardlink":
                os.link(base / step["target"], path)
            case other:
                pytest.skip(f"no path rule is about {other}")
    given = row["input"].replace("@WS@", str(base / "ws")).replace("@HOME@", str(base / "home"))
    real = os.path.realpath(os.path.join(base / "ws", given))
    return Path(os.path.relpath(real, os.path.realpath(base / "ws")))


@pytest.mark.parametrize("row", INSIDE, ids=lambda row: row["id"])
def test_every_path_inside_comes_out_as_its_row_says(row: dict[str, Any], tmp_path: Path) -> None:
    where = lay_out(row, tmp_path)
    rel = "" if where == Path() else where.as_posix()
    for access in ("read", "write"):
        expected = CHOSEN.get((row["id"], access), WORDS.get(row[access], row[access]))
        outcome, rule, reason = path_outcome(rel, access)  # type: ignore[arg-type]
        assert outcome == expected, f"{access} {rel!r}: {rule} {reason}"
        assert reason.endswith(".") == (outcome != "allow")


@pytest.mark.parametrize(
    ("rule", "example"), [(r, e) for r in built_in().rules for e in r.examples], ids=lambda v: getattr(v, "name", v)
)
def test_every_example_in_the_built_in_rules_holds(rule: Rule, example: str) -> None:
    assert rule.match.path is not None
    assert rule.match.path.match(example)


def test_every_built_in_path_rule_has_examples() -> None:
    assert [r.name for r in built_in().rules if r.match.path and not r.examples] == []


@pytest.mark.parametrize(
    "path",
    [".env.example", "id_rsa.pub", "/home/dev/.ssh/known_hosts", "keys.py", "src/credentials.py", "env", "docs/env.md"],
)
def test_what_only_resembles_a_credential_may_be_read(path: str) -> None:
    assert path_outcome(path, "read")[0] == "allow"


@pytest.mark.parametrize(
    "path", [".gitignore", ".github/CODEOWNERS", "Makefile", "package.json", "agents.py", "src/git/config"]
)
def test_ordinary_files_may_be_written(path: str) -> None:
    assert path_effects(path, "write") == (Effect(Verb.WRITE_WS, path),)
    assert path_outcome(path, "write") == ("allow", "", "")


def test_effects_of_paths() -> None:
    assert path_effects("a", "read") == (Effect(Verb.READ, "a"),)
    assert path_effects(".env", "read") == (Effect(Verb.READ, ".env"), Effect(Verb.SECRET, ".env"))
    assert path_effects("/tmp/x", "write") == (Effect(Verb.WRITE_OUT, "/tmp/x"),)
    assert path_effects("/h/.bashrc", "write") == (
        Effect(Verb.WRITE_OUT, "/h/.bashrc"),
        Effect(Verb.PERSIST, "/h/.bashrc"),
    )
    assert {e.verb for e in path_effects(".npmrc", "write")} == {Verb.WRITE_WS, Verb.SECRET, Verb.PERSIST}


def test_rules_load_from_toml_and_from_mappings_alike() -> None:
    text = '[[rule]]\nname = "docs"\noutcome = "allow"\npath = ["docs/**"]\neffect = ["persist"]\nversion = 3\n'
    table = {"name": "docs", "outcome": "allow", "path": ["docs/**"], "effect": ["persist"], "version": 3}
    (rule,) = load(text, "user")
    assert load([table], "user") == (rule,)
    assert rule.title == "user / docs"
    assert rule.version == 3
    assert load("", "user") == ()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("x", "is not a table"),
        ({"outcome": "ask", "tool": ["x"]}, "rule 1 has no name"),
        ({"name": "n", "tool": ["x"]}, "has no outcome"),
        ({"name": "n", "outcome": "maybe", "tool": ["x"]}, "maybe is no outcome; choose from allow, ask, deny"),
        ({"name": "n", "outcome": "ask"}, "matches everything"),
        ({"name": "n", "outcome": "ask", "prefix": "git"}, "no condition called 'prefix'"),
        ({"name": "n", "outcome": "ask", "tool": "bash"}, "tool must be a list of texts"),
        ({"name": "n", "outcome": "ask", "tool": []}, "tool is empty"),
        ({"name": "n", "outcome": "ask", "effect": ["boom"]}, "boom is no effect"),
        ({"name": "n", "outcome": "ask", "tool": ["x"], "version": 0}, "version must be"),
        ({"name": "n", "outcome": "ask", "tool": ["x"], "reason": 3}, "reason must be a text"),
        ({"name": "n", "outcome": "ask", "tool": ["x"], "unless": 3}, "unless must be a table"),
        ({"name": "n", "outcome": "ask", "tool": ["x"], "unless": {"name": "y"}}, "no condition called 'name'"),
    ],
)
def test_a_bad_rule_is_refused_with_what_is_wrong(table: Any, said: str) -> None:
    with pytest.raises(BadRules) as refused:
        load([table], "user")
    assert said in refused.value.problems[0]


def test_bad_toml_and_other_tables_are_refused() -> None:
    with pytest.raises(BadRules, match="not valid TOML"):
        load("[[rule", "user")
    with pytest.raises(BadRules, match=r"written as \[\[rule\]\] tables; found other"):
        load("[other]\n", "user")
    with pytest.raises(BadRules, match="written as"):
        load("rule = 3\n", "user")


def test_all_problems_are_told_at_once() -> None:
    good = {"name": "n", "outcome": "ask", "tool": ["x"]}
    with pytest.raises(BadRules) as refused:
        load([{"name": "m"}, good, good], "user")
    assert len(refused.value.problems) == 3
    assert "Two rules are called 'n'" in refused.value.problems[2]


def test_a_persons_allow_beats_a_built_in_ask_but_never_a_deny() -> None:
    mine = load(
        [
            {"name": "env", "outcome": "allow", "path": [".env", ".git/**"]},
            {"name": "not here", "outcome": "ask", "path": ["vault/.env"]},
            {"name": "never", "outcome": "deny", "path": ["prod/**"]},
        ],
        "user",
    )
    rules = built_in().plus(*mine)
    assert rules.path_outcome(".env", "read")[:2] == ("allow", "user / env")
    assert rules.path_outcome("vault/.env", "read")[:2] == ("ask", "user / not here")
    assert rules.path_outcome(".git/config", "write")[0] == "deny"
    assert rules.path_outcome("prod/.env", "read")[:2] == ("deny", "user / never")


def test_remembered_paths_stay_bounded() -> None:
    rules = built_in().plus()
    for i in range(5000):
        rules.path_outcome(f"f{i}", "read")
    assert len(rules._paths) <= 4097
