"""Records to HTML: the same rows at first load, on older pages and in a push (U1, U2)."""

import logging
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.web import hostile
from tests.web.records import DIFF, answered, asked, call, decided, question, result, rolled_back, started
from workbench.journal import chain
from workbench.journal.kinds import KINDS, Event, ModelTurn, Unknown, UserMessage
from workbench.web import adapters, models, timeline
from workbench.web.hub import Piece
from workbench.web.templatetags.shown import HIDDEN

pytestmark = pytest.mark.django_db(transaction=True)


def add(session: models.Session, *events: Event) -> list[int]:
    return [record.seq for record in adapters.append(session.pk, events)]


def ids(html: str) -> list[str]:
    return re.findall(r'id="(e\d+)"', html)


def say(n: int) -> UserMessage:
    return UserMessage(text=f"word {n}", by="Wei")


def test_no_events_no_rows(session_row: models.Session) -> None:
    page = timeline.rows(session_row.pk)
    assert (page.html, page.first, page.older) == ("", 0, False)


def test_rows_come_in_order_and_older_ones_page_by_page(session_row: models.Session) -> None:
    add(session_row, *(say(n) for n in range(250)))
    page = timeline.rows(session_row.pk)
    assert ids(page.html) == [f"e{n}" for n in range(151, 251)] and page.older and page.first == 151
    older = timeline.rows(session_row.pk, before=page.first)
    assert ids(older.html) == [f"e{n}" for n in range(51, 151)] and older.older
    oldest = timeline.rows(session_row.pk, before=older.first)
    assert ids(oldest.html) == [f"e{n}" for n in range(1, 51)] and not oldest.older


def test_a_link_to_an_old_event_brings_all_rows_down_to_it(session_row: models.Session) -> None:
    add(session_row, *(say(n) for n in range(400)))
    page = timeline.rows(session_row.pk, before=301, back_to=20)
    assert "e20" in ids(page.html) and ids(page.html)[-1] == "e300"
    add(session_row, *(say(n) for n in range(1200)))
    assert len(ids(timeline.rows(session_row.pk, back_to=1).html)) == timeline.FURTHEST


def test_every_call_is_one_card_with_all_that_became_of_it(session_row: models.Session) -> None:
    add(session_row, call(), asked(), decided(), started(), result())
    html = timeline.rows(session_row.pk).html
    assert ids(html) == ["e1"]
    for piece in ("Asked first", "Approved", "fine", "exit"):
        assert piece in html


def test_calls_that_ran_at_once_stand_side_by_side(session_row: models.Session) -> None:
    add(session_row, call(call_id="a"), call(call_id="b"), call(call_id="c", batch=1), result(call_id="b"))
    html = timeline.rows(session_row.pk).html
    assert ids(html) == ["e1", "e2", "e3"]
    assert html.count('class="pair"') == 1 and "2 at once, 38 ms" in html
    assert re.findall(r'id="r(\d+)"', html) == ["1", "3"]


def test_a_page_never_cuts_calls_that_ran_at_once(session_row: models.Session) -> None:
    add(
        session_row,
        *(say(n) for n in range(60)),
        *(call(call_id=f"c{n}") for n in range(70)),
        *(say(n) for n in range(40)),
    )
    page = timeline.rows(session_row.pk)
    assert page.first == 131 and page.older
    older = timeline.rows(session_row.pk, before=page.first)
    assert "70 at once" in older.html and len(ids(older.html)) == 100
    assert ids(older.html) == [f"e{n}" for n in range(31, 131)]


def test_the_number_of_queries_does_not_grow_with_the_rows(
    session_row: models.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for size in (3, 30):
        add(
            session_row,
            *(
                event
                for n in range(size)
                for event in (
                    call(call_id=f"{size}-{n}", batch=n),
                    started(f"{size}-{n}"),
                    result(call_id=f"{size}-{n}"),
                )
            ),
        )
        monkeypatch.setattr(timeline, "_kept", timeline.Kept(10**7))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            timeline.rows(session_row.pk)
        counts.append(len(queries))
    assert counts[0] == counts[1] == 2


def test_a_row_is_kept_under_what_it_was_drawn_from(
    session_row: models.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(session_row, call(), started(), result(versions=[7]))
    first = timeline.rows(session_row.pk).html
    drawn: list[str] = []
    monkeypatch.setattr(timeline, "draw_event", lambda record, _: drawn.append(str(record.seq)) or "x")
    assert timeline.rows(session_row.pk).html == first and not drawn
    add(session_row, rolled_back())
    assert timeline.rows(session_row.pk).html != first and drawn == ["1"]


def test_the_least_used_html_is_dropped_first() -> None:
    kept = timeline.Kept(10)
    kept.get("a", lambda: "aaaa")
    kept.get("b", lambda: "bbbb")
    kept.get("a", lambda: "never")
    kept.get("c", lambda: "cccc")
    assert kept.get("a", lambda: "anew") == "aaaa" and kept.get("b", lambda: "anew") == "anew"


def test_a_frame_adds_new_rows_and_swaps_the_cards_of_old_calls(session_row: models.Session) -> None:
    add(session_row, say(0), call(call_id="a"))
    records = adapters.append(session_row.pk, [started("a"), say(1), call(call_id="b", turn=2), started("b")])
    html = timeline.frame(session_row.pk, records)
    assert '<article hx-swap-oob="true" class="call" id="e2"' in html
    added = html.split('<div hx-swap-oob="beforeend:#rows">')[1]
    assert ids(added)[:2] == ["e4", "e5"] and html.count("hx-swap-oob") == html.count("hx-swap-oob=")
    assert '<span id="seq" data-seq="6" hx-swap-oob="true" hidden></span>' in html
    for chip in ("s-status", "s-mode", "s-usage", "s-act"):
        assert f'id="{chip}"' in html


def test_what_a_frame_pushes_is_what_a_load_draws(session_row: models.Session) -> None:
    pushed = ""
    for events in (
        [say(0), call(call_id="a"), call(call_id="b")],
        [started("a"), started("b")],
        [result(call_id="b"), result(call_id="a")],
    ):
        pushed = timeline.frame(session_row.pk, adapters.append(session_row.pk, events))
    loaded = timeline.rows(session_row.pk).html
    for article in re.findall(r'<article hx-swap-oob="true" .*?</article>', pushed, re.DOTALL):
        assert article.replace(' hx-swap-oob="true"', "", 1) in loaded


def test_a_frame_of_pieces_alone_says_nothing_of_the_sequence(session_row: models.Session) -> None:
    piece = Piece("output", "a", "line\n")
    html = timeline.frame(session_row.pk, [], [piece], [Piece("output", "a", "line\n", whole=True)])
    assert "line" in html and 'id="seq"' not in html


def test_a_running_command_has_the_place_where_its_output_grows(session_row: models.Session) -> None:
    add(session_row, call(), started())
    name = timeline.streams.dom_id("output", "c1")
    html = timeline.rows(session_row.pk).html
    assert f'id="{name}-done"' in html and f'id="{name}-tail"' in html and 'role="log"' in html
    add(session_row, result())
    assert f'id="{name}-done"' not in timeline.rows(session_row.pk).html


def test_an_open_request_is_decided_in_place_and_shows_all_of_it(session_row: models.Session) -> None:
    command = "git push origin main && rm -rf build/ # " + "x" * 5000
    add(session_row, call(args={"command": command}), asked())
    html = timeline.rows(session_row.pk).html
    pk = models.Approval.objects.get().pk
    assert f'hx-post="/approvals/{pk}/decide"' in html and "x" * 5000 in html
    for said in (
        "Approve this command?",
        "Reaches outside",
        "origin/main",
        "2 commits",
        "It reaches outside.",
        "7f3a c21e",
    ):
        assert said in html
    assert "autofocus" not in html


def test_a_question_is_answered_in_place_and_then_shows_the_choice(session_row: models.Session) -> None:
    add(session_row, call("ask_user", {}), started(), question())
    html = timeline.rows(session_row.pk).html
    pk = models.Question.objects.get().pk
    assert f'hx-post="/questions/{pk}/answer"' in html and "Which <strong>one</strong>?" in html
    add(session_row, answered("second"))
    html = timeline.rows(session_row.pk).html
    assert "hx-post" not in html and re.search(r'value="second" checked disabled', html)


def test_an_edit_shows_its_diff_and_can_be_taken_back(session_row: models.Session) -> None:
    add(
        session_row,
        call("edit_file", {"path": "a.py"}),
        started(),
        result({"path": "a.py", "diff": DIFF}, versions=[7]),
    )
    html = timeline.rows(session_row.pk).html
    assert 'hx-get="/changes/7/plan"' in html and '<tr class="a">' in html and "Side by side" in html
    add(session_row, rolled_back())
    html = timeline.rows(session_row.pk).html
    assert 'data-state="rolled-back"' in html and 'hx-post="/changes/8/rollback"' in html and "Put back" in html
    assert 'hx-get="/changes/7/plan"' not in html


def test_a_refusal_shows_its_code_and_message(session_row: models.Session) -> None:
    add(session_row, call(), result({"error": "timeout_cap", "message": "At most 120 s."}, ok=False))
    html = timeline.rows(session_row.pk).html
    assert "timeout_cap" in html and "At most 120 s." in html


def test_an_event_of_a_later_version_is_drawn_as_stored(session_row: models.Session) -> None:
    add(session_row, Unknown(kind_name="from_the_future", data={"a": "<b>"}))
    html = timeline.rows(session_row.pk).html
    assert "from_the_future" in html and "&lt;b&gt;" in html


def test_the_queue_hears_how_many_wait_and_of_which_session(session_row: models.Session) -> None:
    session_row.title = "Nightly <b>"
    session_row.save()
    records = adapters.append(session_row.pk, [call(), asked()])
    html = timeline.queue_frame(records)
    assert 'id="needs" data-count="1" data-latest="Nightly &lt;b&gt;"' in html and 'hx-swap-oob="true"' in html
    records = adapters.append(session_row.pk, [decided("rejected")])
    assert 'data-count="0"' in timeline.queue_frame(records) and "data-latest" not in timeline.queue_frame(records)


def test_every_kind_is_drawn_without_the_fallback(
    session_row: models.Session, caplog: pytest.LogCaptureFixture
) -> None:
    events = hostile.events("plain")
    assert {event.kind for event in events} == set(KINDS)
    with caplog.at_level(logging.ERROR):
        add(session_row, *events)
        html = timeline.rows(session_row.pk).html
    assert not caplog.records and "can&#x27;t draw it" not in html


@pytest.mark.parametrize("payload", [text for text in hostile.PAYLOADS if "\ud800" not in text])
def test_no_event_acts_and_nothing_in_it_stays_hidden(session_row: models.Session, payload: str) -> None:
    """Sixty hostile texts in every field of every kind and tool (security G1 to G4, E1 to E3)."""
    sealed = [
        chain.seal(session_row.pk, "", number, session_row.created_at, event)
        for number, event in enumerate(hostile.events(payload), 1)
    ]
    models.Event.objects.bulk_create(map(adapters._as_row, sealed))
    loaded, pushed = timeline.rows(session_row.pk, back_to=1).html, timeline.frame(session_row.pk, sealed)
    assert not hostile.acts(loaded + pushed)
    assert len(set(ids(loaded))) == len(ids(loaded)) > 30
    # a field holds the very text that would run; beside it the marks are shown
    seen = re.sub(r'<textarea.*?</textarea>|value="[^"]*"', "", loaded, flags=re.DOTALL)
    assert not re.search(f"[{HIDDEN}]", re.sub("[\u200d\ufe0f\xa0]", "", seen))


def test_model_turns_without_a_word_take_no_room(session_row: models.Session) -> None:
    add(session_row, ModelTurn(turn=1))
    assert 'class="ev bare"' in timeline.rows(session_row.pk).html
