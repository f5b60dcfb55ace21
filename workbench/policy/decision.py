"""May it run? A pure function of the call, the rules and the mode.

A call is judged in units: each simple command of a bash call by itself, any other call as a whole. The gravest unit
decides. What no rule knows asks.
"""

import shlex
from dataclasses import dataclass
from typing import Any

from workbench.policy.call import Call, Decision, Effect, Mode, Outcome, Verb
from workbench.policy.match import Argv
from workbench.policy.rules import Rule, Rules, winner

PLAIN = frozenset(
    """
    basename cat cmp comm cut date df diff dirname du echo false file grep head id ls nl pwd realpath stat tail tr true
    uname wc which whoami
    """.split()  # noqa: SIM905 - reads better than thirty quoted words
)
"""programs that may run without a sandbox and without asking, one at a time, when they read and nothing else"""

_RANK: dict[Outcome, int] = {"allow": 0, "ask": 1, "deny": 2}
_GRAVITY = {
    Verb.READ: 0, Verb.WRITE_WS: 1, Verb.NET_READ: 2, Verb.OPAQUE: 3, Verb.DELETE: 4, Verb.WRITE_OUT: 5,
    Verb.KILL: 6, Verb.HISTORY: 7, Verb.PERSIST: 8, Verb.SECRET: 9, Verb.EXTERNAL: 10, Verb.PRIV: 11,
}  # fmt: skip
"""the order of reasons"""
_SHOWN = 4
"""targets named in one reason; the card lists all"""


@dataclass(frozen=True, slots=True)
class _Finding:
    """One rule that stands against one unit."""

    outcome: Outcome
    gravity: int
    rule: str
    reason: str


def decide(call: Call, rules: Rules, mode: Mode, *, contained: bool) -> Decision:
    """What the gate says about one call.

    `contained` is False where no sandbox runs: then every bash command asks, except the plainly read-only single ones.
    """
    findings: list[_Finding] = []
    allowed = "built in / reading runs"
    for unit in _units(call):
        for rule, effects in _judge_unit(call, unit, rules, mode):
            if rule is not None and rule.outcome == "allow":
                allowed = rule.title
            else:
                findings.append(_finding(rule, effects, unit))
    if not call.effects and not call.commands and not call.reads_only:
        findings.append(_Finding("ask", 0, "built in / unknown asks", f"Nothing is known about what {call.tool} does."))
    if call.tool == "bash" and not contained and not _plainly_reads(call):
        reason = "No sandbox contains this command, so every command asks except single ones that plainly only read."
        findings.append(_Finding("ask", -1, "built in / no sandbox asks", reason))
    if not findings:
        return Decision("allow", (), allowed, call.effects)
    findings.sort(key=lambda f: (-_RANK[f.outcome], -f.gravity))
    gravest = findings[0]
    reasons = tuple(dict.fromkeys(f.reason for f in findings if f.reason))
    return Decision(gravest.outcome, reasons, gravest.rule, call.effects)


@dataclass(frozen=True, slots=True)
class _Unit:
    argv: Argv | None
    effects: tuple[Effect, ...]
    tool: str

    @property
    def what(self) -> str:
        """The command or tool, for a sentence."""
        if self.argv is not None:
            return f"`{_shown(self.argv)}`"
        return "This command" if self.tool == "bash" else self.tool


def _units(call: Call) -> list[_Unit]:
    """The simple commands, then what belongs to none of them."""
    by_part: dict[int | None, list[Effect]] = {}
    for effect in call.effects:
        by_part.setdefault(effect.part, []).append(effect)
    units = [_Unit(argv, tuple(by_part.get(i, ())), call.tool) for i, argv in enumerate(call.commands)]
    if None in by_part or not units:
        units.append(_Unit(None, tuple(by_part.get(None, ())), call.tool))
    return units


def _judge_unit(call: Call, unit: _Unit, rules: Rules, mode: Mode) -> list[tuple[Rule | None, list[Effect]]]:
    """The rules that decide on one unit, each with the effects it decides on; None decides on what no rule knows."""
    said = [(effect, rules.spoken(call.tool, mode, effect, unit.argv)) for effect in unit.effects]
    whole = [
        rule
        for rule in rules.about(call.tool, mode, None)
        if rule.match.holds_for_command(unit.argv, all_options=rule.outcome == "allow")
    ]
    covering = next((rule for rule in whole if _covers(rule, said)), None)
    found: dict[str, tuple[Rule | None, list[Effect]]] = {}
    for effect, rule in said:
        decided = winner([rule, covering]) if rule and covering else covering or rule
        found.setdefault(decided.title if decided else "", (decided, []))[1].append(effect)
    for rule in whole:
        if rule.outcome != "allow":
            found.setdefault(rule.title, (rule, []))
    return list(found.values())


def _covers(rule: Rule, said: list[tuple[Effect, Rule | None]]) -> bool:
    """Whether an allow rule that a person made covers every effect of a unit that is not allowed anyway.

    What cannot be known is covered only where the rule says so, by its exact words or by naming `opaque`.
    """
    if not rule.permits:
        return False
    contested = [e for e, spoken in said if spoken is None or spoken.outcome != "allow"]
    if not all(rule.match.holds_for_effect(e) for e in contested):
        return False
    opaque = any(e.verb == Verb.OPAQUE for e in contested)
    return not opaque or bool(rule.match.argv) or Verb.OPAQUE in rule.match.effect


def _finding(rule: Rule | None, effects: list[Effect], unit: _Unit) -> _Finding:
    gravity = max((_GRAVITY[e.verb] for e in effects), default=0)
    about = dict.fromkeys(_about(e) for e in effects if e.target or e.detail)
    more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
    tail = f": {', '.join(list(about)[:_SHOWN])}{more}" if about else ""
    if rule is None:
        return _Finding("ask", gravity, "built in / unknown asks", f"No rule knows what {unit.what} does{tail}.")
    spoken = rule.reason.replace("{what}", unit.what) if rule.reason else f"The rule {rule.title} holds for {unit.what}"
    return _Finding(rule.outcome, gravity, rule.title, f"{spoken.rstrip('.')}{tail}.")


def _about(effect: Effect) -> str:
    if effect.target and effect.detail:
        return f"{effect.target} ({effect.detail})"
    return effect.target or effect.detail


def _plainly_reads(call: Call) -> bool:
    """One command of the short list that reads and nothing else."""
    if not call.reads_only or len(call.commands) != 1 or any(e.verb != Verb.READ for e in call.effects):
        return False
    return bool(call.commands[0]) and call.commands[0][0] in PLAIN


def _shown(argv: Argv) -> str:
    return " ".join("…" if word is None else shlex.quote(word) for word in argv)


def explain(call: Call, decision: Decision) -> dict[str, Any]:
    """`{"decision", "reasons", "commands": [{"argv", "effects", "targets", "details"}], "rule"}`, JSON values only.

    `effects` are the verbs, each once; `details` says which of them does what to which target. A call that is no
    command counts as one command without words.
    """
    commands = [
        {
            "argv": list(unit.argv or ()),
            "effects": list(dict.fromkeys(e.verb.value for e in unit.effects)),
            "targets": list(dict.fromkeys(e.target for e in unit.effects if e.target)),
            "details": [
                {"verb": e.verb.value, "target": e.target, "detail": e.detail, "kind": e.kind} for e in unit.effects
            ],
        }
        for unit in _units(call)
    ]
    return {
        "decision": decision.outcome,
        "reasons": list(decision.reasons),
        "commands": commands,
        "rule": decision.rule,
    }
