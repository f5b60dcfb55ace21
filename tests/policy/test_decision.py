"""May it run: effects, modes, levels of rules, no sandbox (G1-G3, B5)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.policy.call import Call, Decision, Effect, Mode, Verb
from workbench.policy.decision import decide, explain
from workbench.policy.rules import Rules, built_in, load

ORDER = {"allow": 0, "ask": 1, "deny": 2}


def bash(*units: tuple[str, list[Effect]], reads_only: bool = False) -> Call:
    """A bash call of simple commands with their effects."""
    commands = tuple(tuple(text.split()) for text, _ in units)
    effects = tuple(
        Effect(e.verb, e.target, e.detail, i, e.kind) for i, (_, effects) in enumerate(units) for e in effects
    )
    return Call("bash", {"command": "; ".join(t for t, _ in units)}, effects, reads_only=reads_only, commands=commands)


def judge(call: Call, mode: Mode = Mode.ASK, rules: Rules | None = None, *, contained: bool = True) -> Decision:
    return decide(call, rules or built_in(), mode, contained=contained)


@pytest.mark.parametrize(
    ("verb", "ask", "auto", "plan"),
    [
        (Verb.READ, "allow", "allow", "allow"),
        (Verb.WRITE_WS, "allow", "allow", "deny"),
        (Verb.DELETE, "ask", "ask", "deny"),
        (Verb.HISTORY, "ask", "ask", "deny"),
        (Verb.PERSIST, "ask", "ask", "deny"),
        (Verb.WRITE_OUT, "ask", "ask", "deny"),
        (Verb.SECRET, "ask", "ask", "ask"),
        (Verb.NET_READ, "ask", "ask", "ask"),
        (Verb.EXTERNAL, "ask", "ask", "deny"),
        (Verb.PRIV, "ask", "ask", "deny"),
        (Verb.KILL, "ask", "ask", "deny"),
        (Verb.OPAQUE, "ask", "ask", "deny"),
    ],
)
def test_each_effect_in_each_mode(verb: Verb, ask: str, auto: str, plan: str) -> None:
    call = bash(("x", [Effect(verb, "t")]))
    assert [judge(call, mode).outcome for mode in (Mode.ASK, Mode.AUTO, Mode.PLAN)] == [ask, auto, plan]


def test_every_verb_is_decided_on() -> None:
    known = {verb for rule in built_in().rules for verb in rule.match.effect}
    assert known == set(Verb)


def test_auto_mode_deletes_one_literal_path_that_history_can_take_back() -> None:
    one = bash(("rm a", [Effect(Verb.DELETE, "a", kind="one_path")]))
    assert judge(one, Mode.ASK).outcome == "ask"
    assert judge(one, Mode.AUTO).outcome == "allow"
    outside = bash(("rm /a", [Effect(Verb.DELETE, "/a", kind="one_path"), Effect(Verb.WRITE_OUT, "/a")]))
    assert judge(outside, Mode.AUTO).outcome == "ask"


@pytest.mark.parametrize("kind", ["download_run", "raw_socket", "exfiltrate", "wipe", "kill_all", "host_root"])
def test_what_is_never_right_is_denied(kind: Any) -> None:
    assert judge(bash(("x", [Effect(Verb.OPAQUE, kind=kind)]))).outcome == "deny"


def test_paths_count_whatever_tool_names_them() -> None:
    assert judge(Call("write_file", {}, (Effect(Verb.WRITE_WS, ".git/hooks/x"),))).outcome == "deny"
    assert judge(Call("write_file", {}, (Effect(Verb.WRITE_WS, "a.txt"),))).outcome == "allow"
    assert judge(Call("read_file", {}, (Effect(Verb.READ, ".workbench/db"),), reads_only=True)).outcome == "deny"
    asked = judge(Call("read_file", {}, (Effect(Verb.READ, ".env"), Effect(Verb.SECRET, ".env")), reads_only=True))
    assert (asked.outcome, asked.rule) == ("ask", "built in / credentials ask")


def test_listing_the_name_of_a_credential_runs() -> None:
    assert judge(bash(("ls .env", [Effect(Verb.READ, ".env", kind="names")]), reads_only=True)).outcome == "allow"


def test_the_gravest_part_decides_and_speaks_first() -> None:
    decision = judge(
        bash(
            ("cat a", [Effect(Verb.READ, "a")]),
            ("rm -rf build", [Effect(Verb.DELETE, "build", "with all beneath")]),
            ("git push origin main", [Effect(Verb.EXTERNAL, "origin", "pushes commits")]),
        )
    )
    assert decision.outcome == "ask"
    assert decision.rule == "built in / outward asks"
    assert decision.reasons == (
        "`git push origin main` reaches other people or systems: origin (pushes commits).",
        "`rm -rf build` deletes: build (with all beneath).",
    )


def test_plan_mode_tells_the_model_to_present_a_plan() -> None:
    decision = judge(Call("edit_file", {}, (Effect(Verb.WRITE_WS, "a"),)), Mode.PLAN)
    assert decision.outcome == "deny"
    assert "present a plan instead" in decision.reasons[0]


def test_many_targets_are_counted() -> None:
    decision = judge(bash(("rm", [Effect(Verb.DELETE, f"f{i}") for i in range(7)])))
    assert decision.reasons == ("`rm` deletes: f0, f1, f2, f3 and 3 more.",)


def test_an_unknown_tool_asks() -> None:
    decision = judge(Call("mcp__x", {}))
    assert (decision.outcome, decision.rule) == ("ask", "built in / unknown asks")
    assert decision.reasons == ("Nothing is known about what mcp__x does.",)


def test_a_tool_that_only_reads_runs() -> None:
    assert judge(Call("grep", {}, reads_only=True)) == Decision("allow", (), "built in / reading runs")


def test_a_command_without_effects_runs() -> None:
    assert judge(bash(("true", []), reads_only=True)).outcome == "allow"


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        (bash(("cat a", [Effect(Verb.READ, "a")]), reads_only=True), "allow"),
        (bash(("cat .env", [Effect(Verb.READ, ".env"), Effect(Verb.SECRET, ".env")]), reads_only=True), "ask"),
        (bash(("cat a", [Effect(Verb.READ, "a")]), ("cat b", [Effect(Verb.READ, "b")]), reads_only=True), "ask"),
        (bash(("git status", [Effect(Verb.READ)]), reads_only=True), "ask"),
        (bash(("touch a", [Effect(Verb.WRITE_WS, "a")])), "ask"),
        (Call("write_file", {}, (Effect(Verb.WRITE_WS, "a"),)), "allow"),
    ],
)
def test_without_a_sandbox_commands_ask_but_for_a_short_list(call: Call, outcome: str) -> None:
    decision = judge(call, contained=False)
    assert decision.outcome == outcome
    if outcome == "ask":
        assert any("No sandbox" in reason for reason in decision.reasons) or "credential" in decision.reasons[0]


def test_without_a_sandbox_the_grave_reason_still_comes_first() -> None:
    decision = judge(bash(("git push", [Effect(Verb.EXTERNAL)])), contained=False)
    assert decision.rule == "built in / outward asks"
    assert "No sandbox" in decision.reasons[-1]


PUSH = bash(("git push origin main", [Effect(Verb.EXTERNAL, "origin")]))
FORCED = bash(("git push --force origin main", [Effect(Verb.EXTERNAL, "origin"), Effect(Verb.HISTORY, "main")]))
BOTH = bash(("git push origin main", [Effect(Verb.EXTERNAL)]), ("rm -rf x", [Effect(Verb.DELETE, "x")]))


def with_rule(**table: Any) -> Rules:
    return built_in().plus(*load([{"name": "mine", **table}], "user"))


@pytest.mark.parametrize(
    "narrow",
    [
        {"argv": ["git", "push", "origin", "main"]},
        {"program": ["git"], "subcommand": ["push", "origin"], "option": ["-q"]},
        {"program": ["git"], "subcommand": ["push"], "effect": ["external"]},
        {"effect": ["external"], "target": ["origin"]},
    ],
)
def test_an_allow_rule_covers_what_it_names_and_no_more(narrow: dict[str, Any]) -> None:
    rules = with_rule(outcome="allow", **narrow)
    assert judge(PUSH, rules=rules) == Decision("allow", (), "user / mine", PUSH.effects)
    assert judge(FORCED, rules=rules).outcome == "ask"
    assert judge(BOTH, rules=rules).outcome == "ask"


def test_an_allow_rule_does_not_cover_the_unknown_unless_it_says_so() -> None:
    call = bash(("./x.sh a", [Effect(Verb.OPAQUE, "x.sh")]))
    assert judge(call, rules=with_rule(outcome="allow", program=["x.sh"])).outcome == "ask"
    assert judge(call, rules=with_rule(outcome="allow", argv=["./x.sh", "a"])).outcome == "allow"
    assert judge(call, rules=with_rule(outcome="allow", program=["x.sh"], effect=["opaque"])).outcome == "allow"


def test_a_persons_ask_and_deny_beat_a_persons_allow() -> None:
    allow = {"name": "a", "outcome": "allow", "tool": ["bash"]}
    ask = {"name": "b", "outcome": "ask", "program": ["git"], "subcommand": ["push"]}
    deny = {"name": "c", "outcome": "deny", "program": ["git"], "option": ["--force"], "reason": "{what} is forced"}
    rules = built_in().plus(*load([allow, ask, deny], "workspace"))
    assert judge(PUSH, rules=rules).rule == "workspace / b"
    forced = judge(FORCED, rules=rules)
    assert (forced.outcome, forced.rule) == ("deny", "workspace / c")
    assert forced.reasons[0] == "`git push --force origin main` is forced."


def test_a_rule_without_a_reason_names_itself() -> None:
    rules = with_rule(outcome="ask", program=["ls"])
    assert judge(bash(("ls", []), reads_only=True), rules=rules).reasons == ("The rule user / mine holds for `ls`.",)


def test_an_allow_rule_never_reaches_what_is_never_right() -> None:
    call = bash(("sh", [Effect(Verb.OPAQUE, kind="download_run")]))
    assert judge(call, rules=with_rule(outcome="allow", tool=["bash"], effect=["opaque"])).outcome == "deny"


def test_explain_gives_json_with_the_parse_the_effects_and_the_rule() -> None:
    told = explain(BOTH, judge(BOTH))
    assert json.loads(json.dumps(told)) == told
    assert told["decision"] == "ask"
    assert told["rule"] == "built in / outward asks"
    assert [c["argv"] for c in told["commands"]] == [["git", "push", "origin", "main"], ["rm", "-rf", "x"]]
    assert told["commands"][1]["targets"] == ["x"]
    assert told["commands"][1]["effects"] == ["delete"]
    assert told["commands"][1]["details"] == [{"verb": "delete", "target": "x", "detail": "", "kind": ""}]


def test_explain_of_a_tool_that_is_no_command() -> None:
    call = Call("write_file", {}, (Effect(Verb.WRITE_WS, "a"),))
    assert explain(call, judge(call))["commands"] == [
        {
            "argv": [],
            "effects": ["write_ws"],
            "targets": ["a"],
            "details": [{"verb": "write_ws", "target": "a", "detail": "", "kind": ""}],
        }
    ]


EFFECTS = st.builds(Effect, st.sampled_from(Verb), st.sampled_from(["", "a", ".env", ".git/x", "/etc/x"]))
UNITS = st.lists(st.tuples(st.sampled_from(["ls a", "git push", "x"]), st.lists(EFFECTS, max_size=4)), max_size=4)


@given(UNITS, UNITS, st.sampled_from(Mode), st.booleans())
def test_more_commands_never_make_a_decision_lighter(
    some: list[tuple[str, list[Effect]]], more: list[tuple[str, list[Effect]]], mode: Mode, contained: bool
) -> None:
    one = judge(bash(("true", []), *some), mode, contained=contained)
    both = judge(bash(("true", []), *some, *more), mode, contained=contained)
    assert ORDER[both.outcome] >= ORDER[one.outcome]


@given(UNITS, st.sampled_from(Mode))
def test_reasons_are_whole_sentences_and_stand_wherever_someone_must_be_told(
    units: list[tuple[str, list[Effect]]], mode: Mode
) -> None:
    decision = judge(bash(*units), mode)
    assert decision.rule
    assert (decision.outcome == "allow") == (not decision.reasons)
    assert all(reason.endswith(".") for reason in decision.reasons)
