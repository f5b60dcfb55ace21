"""How much a session may use before a person must speak again (SPEC A1, A10).

Everything counts from the last message or resume of a person (`journal.state.Leg`): whoever says "go on" gives the
whole allowance again. Time spent waiting for people does not count.
"""

from dataclasses import dataclass

from workbench.journal.state import SessionState


@dataclass(frozen=True)
class Budget:
    """Limits; 0 means none."""

    turns: int = 200
    tokens: int = 20_000_000
    """input and output together"""
    cost_usd: float = 0.0
    active_s: int = 4 * 3600
    """time in model requests and tools"""
    same_failure: int = 5
    """the same call failing with the same error in a row"""
    retries: tuple[float, ...] = (1, 2, 4, 8, 16, 30)
    """seconds before each further try of a failed model request"""
    patience_s: float = 300
    """the longest wait that an endpoint may ask for"""


def exceeded(state: SessionState, budget: Budget) -> str:
    """Why the session ends before its next model request, for a person; empty when it may go on."""
    leg = state.leg
    failed = state.repeated[1]
    minutes = leg.active_ms // 60_000
    checks = (
        (budget.turns, leg.turns, f"{leg.turns} model turns were used up."),
        (budget.tokens, leg.tokens, f"{leg.tokens:,} tokens were used up."),
        (budget.cost_usd, leg.cost_usd, f"{leg.cost_usd:.2f} US dollars were used up."),
        (budget.active_s, leg.active_ms / 1000, f"{minutes} minutes of work were used up."),
        (budget.same_failure, failed, f"The model made the same failing call {failed} times in a row."),
    )
    why = next((text for limit, used, text in checks if limit and used >= limit), "")
    return f"{why} Send a message or resume the session to let it go on." if why else ""
