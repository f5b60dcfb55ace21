"""Event -> HTML, the one place that does. A kind is drawn by `timeline/<kind>.html`; a tool by the partials `call` and
`result` of `tools/<tool>.html` (and `noun`, what an approval calls it). No kind and no tool is named here.

What holds:
- A row is a function of records alone, so first load, older pages, live push, replay and the queue draw the same HTML,
  and it is kept under the hash of its last record.
- A tool call is one card, `<article id="e<seq>">`: its `tool_call` record and all later records of the same call. They
  make no row of their own; a push swaps the whole card. Calls of one turn that ran at once share a row.
- A template that fails is logged, and `_unknown.html` or `_generic.html` is drawn in its place.

    page = rows("s3k7…")                             # the last rows; older: rows("s3k7…", before=page.first)
    html = frame("s3k7…", records, pieces, so_far)   # what watchers get for one tick of the hub
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from workbench.journal.kinds import Record, ToolCall
from workbench.web import streams
from workbench.web.adapters import as_record
from workbench.web.cards import Card, draw, draw_event
from workbench.web.hub import Piece
from workbench.web.models import Approval, Event, Question, Session
from workbench.web.templatetags.rail import waiting

WINDOW = 100
"""rows of one page"""
FURTHEST = 1000
"""rows loaded at once for a link to an old one"""
KEPT_CHARS = 48_000_000
"""of drawn HTML"""


@dataclass
class Row:
    """What stands beside one time on the timeline: an event, or the calls that ran at once."""

    record: Record
    cards: list[Card] = field(default_factory=list)

    @property
    def seq(self) -> int:
        return self.record.seq

    @property
    def hash(self) -> str:
        return " ".join(card.hash for card in self.cards) or self.record.hash

    @property
    def longest_ms(self) -> int:
        return max((card.result.duration_ms if card.result else 0 for card in self.cards), default=0)


@dataclass(frozen=True)
class Rows:
    """A page of rows, oldest first."""

    html: SafeString
    first: int = 0
    """sequence number of the oldest row; 0 when there is none"""
    older: bool = False
    """there are rows before it"""


def rows(session: str, *, before: int | None = None, back_to: int | None = None) -> Rows:
    """The last rows before `before`; with `back_to` all of them down to that sequence number, within reason."""
    found = Event.objects.filter(session=session, row=True).order_by("-seq")
    if before is not None:
        found = found.filter(seq__lt=before)
    limit = WINDOW
    if back_to is not None:
        limit = min(FURTHEST, max(WINDOW, found.filter(seq__gte=back_to).count() + 5))
    newest_first = list(found[: limit + 1])
    groups = _groups([as_record(row) for row in reversed(newest_first)])
    older = len(newest_first) > limit
    if older and len(groups) > 1:
        groups = groups[1:]  # the first may be cut in two: it belongs to the next page
    html = "".join(_row(row) for row in _with_parts(session, groups))
    return Rows(mark_safe(html), groups[0][0].seq if groups else 0, older)  # noqa: S308 - templates' output


def card(session: str, call_id: str) -> Card | None:
    """One call with all that became of it, for the queue."""
    return next(iter(_cards(Event.objects.filter(session=session, call_id=call_id).order_by("seq"))), None)


def cards(session: str, calls: Collection[str]) -> list[Card]:
    """These calls, oldest first."""
    return _cards(Event.objects.filter(session=session, call_id__in=calls).order_by("seq"))


def _cards(events: Iterable[Event]) -> list[Card]:
    by_call: dict[str, list[Record]] = {}
    for event in events:
        by_call.setdefault(event.call_id, []).append(as_record(event))
    return [Card(r[0], r[1:]) for r in by_call.values() if isinstance(r[0].event, ToolCall)]


def _groups(records: Iterable[Record]) -> list[list[Record]]:
    """Records in rows: calls of one turn that ran at once stand together."""

    def together(record: Record) -> tuple[int, ...]:
        event = record.event
        return (event.turn, event.batch) if isinstance(event, ToolCall) else (-record.seq,)

    return [list(group) for _, group in groupby(records, together)]


def _with_parts(session: str, groups: Sequence[list[Record]]) -> Iterator[Row]:
    """Rows of record groups, each call with its later records: one query for all."""
    calls = [r.event.call_id for group in groups for r in group if isinstance(r.event, ToolCall)]
    found = Event.objects.filter(session=session, call_id__in=calls).order_by("seq") if calls else ()
    by_seq = {card.seq: card for card in _cards(found)}
    for group in groups:
        yield Row(group[0], [by_seq[r.seq] for r in group if r.seq in by_seq])


def frame(session: str, records: Sequence[Record], pieces: Sequence[Piece] = (), so_far: Sequence[Piece] = ()) -> str:
    """Out-of-band fragments for what one tick of the hub brought.

    New rows go to the end, the cards of touched calls are swapped, live text and output grow, the head says how the
    session stands, and `#seq` how far the page has come. `so_far`: what is being written right now (`hub.so_far`).
    """
    new = [record for record in records if record.event.row and not record.event.part_of_call]
    html = [_appended(session, new)] if new else []
    mine = {record.event.call_id for record in new if isinstance(record.event, ToolCall)}
    touched = {getattr(r.event, "call_id", "") for r in records if r.event.part_of_call} - mine
    if touched:
        html += map(swapped, _cards(Event.objects.filter(session=session, call_id__in=touched).order_by("seq")))
    html += streams.draw(session, pieces, so_far, restart=bool(new))
    if records:
        html.append(facts(session))
        html.append(format_html('<span id="seq" data-seq="{}" hx-swap-oob="true" hidden></span>', records[-1].seq))
    return "".join(html)


def facts(session: str) -> str:
    """The head of the session page, out of band: status, mode, tokens, what can be done."""
    row = Session.objects.select_related("workspace").get(pk=session)
    return draw("pages/session.html#facts", {"session": row, "oob": True})


def queue_frame(records: Sequence[Record]) -> str:
    """What every page hears of the queue: how many requests wait, and that the lists should be asked for anew."""
    asked = next((r.session for r in reversed(records) if _waits(r)), "")
    latest = Session.objects.filter(pk=asked).values_list("title", flat=True).first() or asked
    return draw("parts/rail.html#count", {"waiting": waiting(), "latest": latest, "oob": True})


def _waits(record: Record) -> bool:
    """It is an open request."""
    where = {"session": record.session, "seq": record.seq, "status": "pending"}
    return Approval.objects.filter(**where).exists() or Question.objects.filter(**where).exists()


def _appended(session: str, records: Sequence[Record]) -> str:
    drawn = "".join(_row(row) for row in _with_parts(session, _groups(records)))
    return f'<div hx-swap-oob="beforeend:#rows">{drawn}</div>'


def swapped(card: Card) -> str:
    return card_html(card).replace("<article ", '<article hx-swap-oob="true" ', 1)


def card_html(card: Card) -> str:
    """The card alone, `<article id="e<seq>">`."""
    return _kept.get(f"card {card.hash}", lambda: draw_event(card.record, {"card": card, "call": card.call}))


def _row(row: Row) -> str:
    def html() -> str:
        body = "".join(map(card_html, row.cards)) or draw_event(row.record, {})
        return draw("parts/event.html", {"row": row, "body": mark_safe(body), "shared": len(row.cards) > 1})  # noqa: S308

    return _kept.get(f"row {row.hash}", html)


class Kept:
    """Drawn HTML by the hash of what it was drawn from, the least used dropped first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._html: OrderedDict[str, str] = OrderedDict()
        self._chars = 0

    def get(self, name: str, make: Callable[[], str]) -> str:
        with self._lock:
            if name in self._html:
                self._html.move_to_end(name)
                return self._html[name]
        html = make()
        with self._lock:
            self._chars += len(html) - len(self._html.get(name, ""))
            self._html[name] = html
            while self._chars > self._limit:
                self._chars -= len(self._html.popitem(last=False)[1])
        return html


_kept = Kept(KEPT_CHARS)
