"""What the walk has found so far: the simple commands in order, their effects, and the reasons for not knowing."""

from dataclasses import dataclass, field

from workbench.policy.call import Effect, Verb
from workbench.shell.gate.stream import Stream
from workbench.shell.gate.targets import Places
from workbench.shell.gate.values import static

Key = tuple[object, ...]

MAX_STEPS = 800
"""simple commands looked at, loops unrolled; what would take more is opaque"""


@dataclass(slots=True)
class Draft:
    """A simple command, perhaps met several times (in a loop, in a function)."""

    words: list[str | None]
    span: tuple[int, int]
    effects: list[Effect] = field(default_factory=list)

    def meet(self, words: list[str]) -> None:
        """The same command once more: words that differ are known only when it runs."""
        if len(words) != len(self.words):
            longer = max(len(words), len(self.words))
            self.words = (self.words + [None] * longer)[:longer]
            words = (words + [""] * longer)[:longer]
        same = zip(self.words, words, strict=True)
        self.words = [mine if mine is not None and mine == other else None for mine, other in same]


class Ledger:
    """Shared by everything that judges one command."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.drafts: dict[Key, Draft] = {}
        self.loose: list[Effect] = []
        """effects of the text as a whole"""
        self.sink: list[Effect] = self.loose
        """where notes about words go: the effects of the command whose words they are"""
        self.problems: list[str] = []
        self.written: dict[str, bool] = {}
        self.pipes: dict[str, Stream] = {}
        self.executed: dict[str, None] = {}
        self.steps = 0

    def draft(self, key: Key, words: list[str], span: tuple[int, int]) -> Draft:
        """The entry of a simple command, new or met again."""
        found = self.drafts.get(key)
        if found is None:
            found = self.drafts[key] = Draft([w if static(w) else None for w in words], span)
        else:
            found.meet(words)
        return found

    def enter(self, draft: Draft, effects: list[Effect]) -> None:
        """Add effects to a command, each once."""
        for effect in effects:
            if effect not in draft.effects:
                draft.effects.append(effect)

    def note(self, effect: Effect) -> None:
        """Note an effect where words are being looked at."""
        if effect not in self.sink:
            self.sink.append(effect)

    def opaque(self, why: str) -> None:
        """Something about the words being looked at cannot be known."""
        self.note(Effect(Verb.OPAQUE, "", why))

    def problem(self, sentence: str) -> None:
        """The text as a whole cannot be known, for a reason that is a whole sentence."""
        if sentence not in self.problems:
            self.problems.append(sentence)
            self.loose.append(Effect(Verb.OPAQUE, "", sentence.rstrip(".")))

    def step(self) -> bool:
        """Whether one more command may be looked at."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.problem(f"It would run more than {MAX_STEPS:,} commands, which are not all looked at.")
        return self.steps <= MAX_STEPS

    def numbered(self) -> list[tuple[Draft, tuple[Effect, ...]]]:
        """The commands in order, each with its effects, which carry its number."""
        return [
            (draft, tuple(Effect(e.verb, e.target, e.detail, index, e.kind) for e in draft.effects))
            for index, draft in enumerate(self.drafts.values())
        ]
