"""May it run? A pure function of the call, the rules and the mode."""

from typing import Any

from workbench.policy.call import Call, Decision, Mode
from workbench.policy.rules import Rules


def decide(call: Call, rules: Rules, mode: Mode, *, contained: bool) -> Decision:
    """What the gate says about one call.

    `contained` is False where no sandbox runs: then every bash command asks, except the plainly read-only single ones.
    """
    raise NotImplementedError


def explain(call: Call, decision: Decision) -> dict[str, Any]:
    """`{"decision", "reasons", "commands": [{"argv", "effects", "targets"}], "rule"}`, JSON values only."""
    raise NotImplementedError
