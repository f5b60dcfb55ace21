"""How a command is contained: the level this machine allows, and the bubblewrap arguments for it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Sandbox:
    """The isolation that a real probe found on this machine (`research`: levels A to D)."""

    level: Literal["A", "B", "C", "D"]
    reason: str = ""
    """why it is not A, for a person, with the way to mend it"""
