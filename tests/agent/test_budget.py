"""How much a session may use before a person must speak again (A1, A10)."""

import pytest

from workbench.agent.budget import Budget, exceeded
from workbench.journal.state import Leg, SessionState

NONE = Budget(turns=0, tokens=0, cost_usd=0, active_s=0, same_failure=0)


def used(**amounts: float) -> SessionState:
    state = SessionState(leg=Leg(turns=10, tokens=5000, cost_usd=1.5, active_ms=120_000))
    state.repeated = ("x", 4)
    return state


def test_no_limit_is_never_exceeded() -> None:
    assert exceeded(used(), NONE) == ""


def test_a_new_session_is_within_the_default() -> None:
    assert exceeded(SessionState(), Budget()) == ""


@pytest.mark.parametrize(
    ("limit", "within", "over", "words"),
    [
        ("turns", 11, 10, "10 model turns"),
        ("tokens", 5001, 5000, "5,000 tokens"),
        ("cost_usd", 1.51, 1.5, "1.50 US dollars"),
        ("active_s", 121, 120, "2 minutes of work"),
        ("same_failure", 5, 4, "same failing call 4 times"),
    ],
)
def test_each_limit(limit: str, within: float, over: float, words: str) -> None:
    from dataclasses import replace

    assert exceeded(used(), replace(NONE, **{limit: within})) == ""
    message = exceeded(used(), replace(NONE, **{limit: over}))
    assert words in message and "Send a message or resume" in message
