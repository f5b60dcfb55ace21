"""What is being written right now, as it grows on the page: the model's answer, and the output of running commands.

Copies only: the event that ends one replaces it. A piece that is `whole` replaces what was shown (a page that was just
opened); every other adds to it, so the state of each terminal and answer is kept here between the pieces. Where that
state is missing, the piece is drawn from all that is known so far instead.

DOM: `#live` holds the streaming answer, `#live-done` its finished blocks and `#live-tail` the one being written.
`#<id>` is a command's terminal, `#<id>-done` its finished lines and `#<id>-tail` the line being written.
"""

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from workbench.web.hub import Piece
from workbench.web.templatetags.prose import prose_html
from workbench.web.templatetags.terminal import Screen

KEPT = 64
LINES = 400
"""of a running command on the page; the whole output is in the spool"""
BURST = 128 * 1024
"""characters of one piece that are drawn; of a longer one the end"""
TAIL = 200
"""characters by which a piece is known to follow"""


def dom_id(what: str, key: str) -> str:
    """A DOM id for a turn or a call; call ids are the model's own and may hold anything."""
    return f"{what[0]}-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:12]}"


@dataclass
class Answer:
    """Streaming Markdown: finished blocks are drawn once, the last one anew with each piece."""

    done: int = 0
    """characters that are drawn for good"""
    text: str = ""

    def feed(self, text: str) -> tuple[str, str]:
        """(HTML of the blocks that are now finished, HTML of the rest)."""
        self.text += text
        cut = _block_end(self.text, self.done)
        finished, self.done = self.text[self.done : cut], cut
        return (prose_html(finished) if finished.strip() else ""), prose_html(self.text[cut:])


def _block_end(text: str, start: int) -> int:
    """Where the last finished block after `start` ends: a blank line outside a fence."""
    end, at, fenced = start, start, False
    for line in text[start:].splitlines(keepends=True):
        at += len(line)
        if re.match(r" {0,3}(```|~~~)", line):
            fenced = not fenced
        elif not fenced and line.endswith("\n") and not line.strip():
            end = at
    return end


@dataclass
class Writing:
    """A terminal or an answer between its pieces."""

    drawn: Screen | Answer
    tail: str = ""
    """the end of what it was fed, to see whether the next piece follows"""

    def feed(self, data: str) -> tuple[str, str]:
        """(HTML of what is finished now, HTML of what is being written)."""
        self.tail = (self.tail + data)[-TAIL:]
        if isinstance(self.drawn, Answer):
            return self.drawn.feed(data)
        before = self.drawn.finished
        self.drawn.feed(data.encode("utf-8", "replace"))
        new = self.drawn.finished - before
        lines = list(self.drawn.lines)[-new:] if new else []
        return "".join(f"{line}\n" for line in lines), self.drawn.current()

    def followed_by(self, piece: Piece, so_far: Piece | None) -> bool:
        """Nothing was missed before the piece."""
        return so_far is None or so_far.data.endswith((self.tail + piece.data)[-len(so_far.data) :])


class Kept:
    """What is being written, by (session, what, key), the least used dropped first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.held: OrderedDict[tuple[str, str, str], Writing] = OrderedDict()

    def find(self, key: tuple[str, str, str]) -> Writing | None:
        found = self.held.get(key)
        if found is not None:
            self.held.move_to_end(key)
        return found

    def begin(self, session: str, piece: Piece) -> None:
        """Start with all of `piece`."""
        writing = Writing(Screen(keep=LINES) if piece.what == "output" else Answer())
        writing.feed(piece.data)
        self.held[session, piece.what, piece.key] = writing
        while len(self.held) > KEPT:
            self.held.popitem(last=False)


_kept = Kept()


def draw(session: str, pieces: Sequence[Piece], so_far: Sequence[Piece], *, restart: bool = False) -> list[str]:
    """Out-of-band fragments for pieces. `restart`: rows were added, so the streaming answer starts anew below them."""
    html: list[str] = []
    known = {(p.what, p.key): p for p in so_far}
    with _kept.lock:
        if restart:
            still = [p for p in so_far if p.what == "text"]
            html.append(whole_answer(still[-1].data if still else "", oob=True))
            pieces = [p for p in pieces if p.what != "text"]
            for piece in still:
                _kept.begin(session, piece)
        return html + [_piece(session, piece, known.get((piece.what, piece.key))) for piece in pieces]


def _piece(session: str, piece: Piece, known: Piece | None) -> str:
    if piece.whole:
        return whole(piece)
    writing = _kept.find((session, piece.what, piece.key))
    if writing is None or not writing.followed_by(piece, known):
        _kept.begin(session, known or piece)
        return whole(known or piece)
    finished, rest = writing.feed(piece.data[-BURST:])
    if piece.what == "text":
        done = f'<div hx-swap-oob="beforeend:#live-done">{finished}</div>' if finished else ""
        return f'{done}<div id="live-tail" hx-swap-oob="true">{rest}</div>'
    name = dom_id(piece.what, piece.key)
    how = "beforeend" if finished.count("\n") < LINES else "innerHTML"
    done = f'<span hx-swap-oob="{how}:#{name}-done">{finished}</span>' if finished else ""
    return f'{done}<span id="{name}-tail" hx-swap-oob="true">{rest}</span>'


def whole(piece: Piece) -> str:
    """All that is known of an answer or an output, for a page that has nothing of it yet."""
    if piece.what == "text":
        return whole_answer(piece.data, oob=True)
    screen = Screen(keep=LINES)
    screen.feed(piece.data.encode("utf-8", "replace"))
    name = dom_id(piece.what, piece.key)
    lines = mark_safe("".join(f"{line}\n" for line in screen.lines))  # noqa: S308 - the screen escapes
    return format_html(
        '<span id="{0}-done" hx-swap-oob="true">{1}</span><span id="{0}-tail" hx-swap-oob="true">{2}</span>',
        name, lines, mark_safe(screen.current()),  # noqa: S308
    )  # fmt: skip


def whole_answer(text: str, *, oob: bool = False) -> str:
    """The block below the last row in which the model's answer grows; hidden while there is none."""
    finished, rest = Answer().feed(text)
    return render_to_string("parts/answer.html", {"finished": finished, "rest": rest, "hidden": not text, "oob": oob})
