"""The calls of a session over time, as bars in percent of the width, so that no inline style is needed.

Time is drawn to scale, but a long stretch in which only a person was waited for is folded, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from workbench.journal.kinds import ModelTurn, Record
from workbench.web.cards import Card
from workbench.web.templatetags.figures import clock, duration

FOLDED = 0.2
"""share of the working time that a folded wait is drawn as, at most"""
SHORTEST_S = 2.0
"""a wait below this is never folded"""
LANES = 2
LABEL = 0.62
"""percent of the width that a character of a label takes, at the narrowest width that is drawn (880 px)"""
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600)

Span = tuple[float, float]


@dataclass(frozen=True)
class Bar:
    """A call, or the model's work, or a wait."""

    seq: int
    look: str
    """class of the bar: done, failed, denied, running, needs, quiet, model"""
    x: float
    width: float
    lane: int = 0
    label: str = ""
    inside: bool = False
    """the label fits into the bar"""

    @property
    def label_x(self) -> float:
        return self.x if self.inside else min(99.0, self.x + self.width)

    @property
    def y(self) -> int:
        return 6 + 18 * self.lane


@dataclass(frozen=True)
class Tick:
    x: float
    label: str


class Scale:
    """Seconds since the first event -> percent of the width, folded waits left out."""

    def __init__(self, start: datetime, end: datetime, waits: Iterable[Span], work: Iterable[Span]) -> None:
        self.start = start
        self.length = max(1.0, (end - start).total_seconds())
        idle = _without(waits, work)
        self.fold = max(SHORTEST_S, FOLDED * (self.length - sum(b - a for a, b in idle)))
        self.folds = [span for span in idle if span[1] - span[0] > 1.5 * self.fold]
        self.shown = self.length - sum(b - a - self.fold for a, b in self.folds)

    def seconds(self, moment: datetime) -> float:
        return min(self.length, max(0.0, (moment - self.start).total_seconds()))

    def percent(self, seconds: float) -> float:
        gone = 0.0
        for a, b in self.folds:
            if seconds >= b:
                gone += b - a - self.fold
            elif seconds > a:
                gone += (seconds - a) * (1 - self.fold / (b - a))
        return round(100 * (seconds - gone) / self.shown, 3)

    def ticks(self) -> list[Tick]:
        step = next((s for s in STEPS if self.shown / s <= 8), 43200)
        marks = [float(n * step) for n in range(int(self.length // step) + 1)]
        ticks = [Tick(self.percent(s), clock(s)) for s in marks if not any(a < s < b for a, b in self.folds)]
        ticks += [Tick(self.percent(a), f"{clock(a)}, this wait is folded") for a, _ in self.folds]
        ticks.sort(key=lambda t: t.x)
        return [ticks[0], *(after for before, after in pairwise(ticks) if after.x - before.x > 4 or "," in after.label)]


def _without(waits: Iterable[Span], work: Iterable[Span]) -> list[Span]:
    """The waits, those that overlap as one, less every stretch in which something ran."""
    left: list[Span] = []
    for begin, end in sorted(waits):
        if left and begin <= left[-1][1]:
            left[-1] = (left[-1][0], max(end, left[-1][1]))
        else:
            left.append((begin, end))
    for a, b in work:
        left = [piece for s, e in left for piece in ((s, min(e, a)), (max(s, b), e)) if piece[1] > piece[0]]
    return sorted(left)


@dataclass(frozen=True)
class Waterfall:
    cards: Sequence[Card]
    turns: Sequence[Record]
    now: datetime
    """where an open bar ends"""

    @cached_property
    def scale(self) -> Scale:
        moments = [card.record.at for card in self.cards] + [_began(record) for record in self.turns]
        start = min(moments, default=self.now)
        waits = [(start, span) for card in self.cards for span in self._waits(card)]
        seconds = [((a - s).total_seconds(), (b - s).total_seconds()) for s, (a, b) in waits]
        work = [((a - start).total_seconds(), (b - start).total_seconds()) for a, b in self._work()]
        return Scale(start, self.now, seconds, work)

    def _work(self) -> list[tuple[datetime, datetime]]:
        ran = [span for card in self.cards if (span := self._ran(card))]
        return ran + [(_began(record), record.at) for record in self.turns]

    def _ran(self, card: Card) -> tuple[datetime, datetime] | None:
        started = card.last.get("tool_started")
        ended = card.last.get("tool_result")
        if started is None or card.state.question is not None:
            return None
        return started.at, ended.at if ended else self.now

    def _waits(self, card: Card) -> list[tuple[datetime, datetime]]:
        pairs = (("approval_asked", "approval_decided"), ("question_asked", "question_answered"))
        found = []
        for asked, decided in pairs:
            if asked in card.last:
                begin, end = card.last[asked].at, card.last.get(decided)
                found.append((begin, end.at if end and end.at > begin else self.now if not card.result else begin))
        return found

    @cached_property
    def bars(self) -> list[Bar]:
        """Calls and waits in lanes, so that labels don't lie on one another; the model's turns beneath."""
        spans = []
        for card in self.cards:
            for begin, end in self._waits(card):
                words = "needs you" if card.state.waits else "asked you"
                spans.append((begin, end, "needs", f"{words} {_length(begin, end)}", card.seq))
            if ran := self._ran(card):
                look = "quiet" if card.rolled_back or card.look == "interrupted" else card.look
                said = "running" if card.look == "running" else duration((ran[1] - ran[0]).total_seconds() * 1000)
                spans.append((*ran, look, f"{card.call.tool} {said}", card.seq))
            elif card.result and not self._waits(card):
                spans.append((card.record.at, card.record.at, card.look, card.call.tool, card.seq))
        model = [self._bar(_began(record), record.at, "model", "", record.seq, 0) for record in self.turns]
        return [*model, *self._laned(sorted(spans, key=lambda span: span[0]))]

    def _laned(self, spans: Iterable[tuple[datetime, datetime, str, str, int]]) -> list[Bar]:
        """Bars in lanes; a label is drawn inside its bar, or behind it where the lane is free for as long."""
        lanes: list[list[Bar]] = [[] for _ in range(LANES)]
        for begin, end, look, label, seq in spans:
            x = self.scale.percent(self.scale.seconds(begin))
            ends = [bars[-1].x + bars[-1].width if bars else 0.0 for bars in lanes]
            lane = next((n for n in range(LANES) if ends[n] <= x), min(range(LANES), key=lambda n: ends[n]))
            lanes[lane].append(self._bar(begin, end, look, label, seq, lane))
        return [bar for bars in lanes for bar in map(_labelled, bars, [*(b.x for b in bars[1:]), 100.0])]

    def _bar(self, begin: datetime, end: datetime, look: str, label: str, seq: int, lane: int) -> Bar:
        x, to = (self.scale.percent(self.scale.seconds(moment)) for moment in (begin, end))
        width = max(0.3, round(to - x, 3))
        x = min(x, 99.7)
        return Bar(seq, look, x, width, lane, label, inside=bool(label) and width > len(label) * LABEL + 1)

    @property
    def ticks(self) -> list[Tick]:
        return self.scale.ticks()

    @property
    def said(self) -> str:
        """The whole in a sentence."""
        waited = sum((end - begin).total_seconds() for card in self.cards for begin, end in self._waits(card))
        told = f"{len(self.cards)} calls in {clock(self.scale.length)}"
        return f"{told}, {clock(waited)} of it waiting for people" if waited else told


def _labelled(bar: Bar, next_x: float) -> Bar:
    fits = bar.inside or bar.x + bar.width + len(bar.label) * LABEL + 0.5 < next_x
    return bar if fits else replace(bar, label="")


def _began(record: Record) -> datetime:
    """When the model was asked for this turn."""
    from_ms = record.event.duration_ms if isinstance(record.event, ModelTurn) else 0
    return datetime.fromtimestamp(record.at.timestamp() - from_ms / 1000, record.at.tzinfo)


def _length(begin: datetime, end: datetime) -> str:
    return clock((end - begin).total_seconds())
