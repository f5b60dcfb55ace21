"""Rules at three levels: built in, user, workspace. They match tools, paths and parsed commands, never text.

Deny beats ask beats allow, with one addition: the built-in asks are defaults, so an allow rule that a person made stands
before them, while a built-in deny stands before everything. An allow rule must cover all that a command does; an ask or
deny rule needs one thing it does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.policy.call import Effect, Outcome

Level = Literal["built in", "user", "workspace"]
PathAccess = Literal["read", "write"]


class BadRules(ValueError):
    """Rules that can't be loaded; `problems` says for each what is wrong and where."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Rule:
    """One rule. A match that is left out matches everything."""

    name: str
    level: Level
    outcome: Outcome
    reason: str = ""
    version: int = 1


@dataclass(frozen=True)
class Rules:
    """All rules that hold for a session, built in first."""

    rules: tuple[Rule, ...]

    def path_outcome(self, rel: str, access: PathAccess) -> tuple[Outcome, str, str]:
        """(outcome, rule name, reason) for a path relative to the workspace, or absolute when outside."""
        raise NotImplementedError


def load(source: str | Iterable[Mapping[str, Any]], level: Level) -> tuple[Rule, ...]:
    """Rules from TOML text (`[[rule]]` tables) or from a list of mappings; `BadRules` says what is wrong."""
    raise NotImplementedError


def built_in() -> Rules:
    """The rules that ship."""
    raise NotImplementedError


def path_effects(rel: str, access: PathAccess) -> tuple[Effect, ...]:
    """The effects of reading or writing one path: `read`, or `write_ws`, with `secret` and `persist` where they apply.

    `rel` is resolved and relative to the workspace, or absolute when outside (a write is then `write_out`).
    """
    raise NotImplementedError


def path_outcome(rel: str, access: PathAccess) -> tuple[Outcome, str, str]:
    """(outcome, rule name, reason) by the built-in rules; the reason is a whole sentence, empty for allow."""
    raise NotImplementedError
