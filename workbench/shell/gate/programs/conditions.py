"""`test`, `[` and `[[`: they only look, but a subscript in an operand is evaluated, and arithmetic may run commands."""

import re

from workbench.shell.gate.command import Command
from workbench.shell.gate.options import Options
from workbench.shell.gate.stream import NOTHING
from workbench.shell.gate.tables import Spec

_HIDDEN = re.compile(r"\[.*(?:\$\(|`)", re.DOTALL)
_CALCULATING = frozenset(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])


def test(command: Command, spec: Spec, options: Options) -> None:
    del options
    words = command.words[1:]
    calculates = spec.name == "[[" and any(w in _CALCULATING for w in words)
    for at, word in enumerate(words):
        if _HIDDEN.search(word) or (at and words[at - 1] in ("-v", "-R") and re.search(r"[`$]", word)):
            command.opaque("what a subscript evaluates")
        elif calculates and _beside(words, at) and re.search(r"[`$]", word):
            command.opaque("what arithmetic runs")
    command.out = NOTHING


def _beside(words: list[str], at: int) -> bool:
    """Whether a word is an operand of an arithmetic comparison."""
    return any(w in _CALCULATING for w in words[max(0, at - 1) : at + 2])
