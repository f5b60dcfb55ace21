"""What a shell command would do: every simple command it holds, with effects and resolved targets.

`analyse` is pure but for `lstat` and `readlink`, and never raises: what cannot be known is an `opaque` effect, which
asks. The classifier may only raise scrutiny; the sandbox is the boundary.
"""

from dataclasses import dataclass
from pathlib import Path

from workbench.policy.call import Effect, Verb
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.stream import UNKNOWN
from workbench.shell.gate.targets import Places
from workbench.shell.gate.walk import Walk


@dataclass(frozen=True)
class Part:
    """One simple command, wherever in the text it stands."""

    argv: tuple[str | None, ...]
    """its words without their quotes; None where a word is known only when it runs"""
    text: str
    """as written"""
    span: tuple[int, int]
    """start and end in the command, in characters; a command inside a quoted script has the span of that script"""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """Everything the gate and the approval card need to know about one command."""

    parts: tuple[Part, ...] = ()
    effects: tuple[Effect, ...] = ()
    """those of all parts in order, with `part` set; effects of the text as a whole have `part` None"""
    reads_only: bool = False
    """every part is plainly known to read and nothing else"""
    problems: tuple[str, ...] = ()
    """why something is opaque, and invisible characters by name, each a whole sentence"""
    scripts: tuple[str, ...] = ()
    """files of the workspace that would be executed, relative to it; an approval binds their content"""

    @property
    def commands(self) -> tuple[tuple[str | None, ...], ...]:
        """For `Call.commands`."""
        return tuple(part.argv for part in self.parts)


def analyse(command: str, *, cwd: Path, root: Path, home: Path | None = None) -> Analysis:
    """What `command` would do when bash runs it in `cwd`, with the workspace at `root`.

    `home` is what `~` and `$HOME` stand for; without it they are unknown, and what is written there asks.
    """
    walk = Walk(Places(str(root)))
    scope = Scope((str(cwd),), str(home) if home else None, arguments=())
    try:
        walk.script(command, scope, UNKNOWN)
    except Exception as e:  # the one border: a fault of ours must ask, whatever it is
        walk.problem(f"It could not be understood ({type(e).__name__}).")
    parts = tuple(
        Part(tuple(draft.words), command[slice(*draft.span)], draft.span, effects) for draft, effects in walk.numbered()
    )
    effects = (*(e for part in parts for e in part.effects), *walk.loose)
    return Analysis(
        parts=parts,
        effects=effects,
        reads_only=all(e.verb == Verb.READ for e in effects),
        problems=tuple(walk.problems),
        scripts=tuple(walk.executed),
    )
