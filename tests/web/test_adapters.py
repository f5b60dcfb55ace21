"""The journal in the database keeps the promises of `agent/ports.py` (J1, J2, A7)."""

import asyncio
import threading
from pathlib import Path

import pytest
from django.db import connections, transaction

from workbench.agent.ports import LeaseLost, SeqConflict
from workbench.journal import chain, jsonl
from workbench.journal.kinds import (
    ApprovalAsked,
    ModelTurn,
    SessionStarted,
    ToolCall,
    UserMessage,
)
from workbench.web import adapters, models
from workbench.web.hub import hub

pytestmark = pytest.mark.django_db(transaction=True)

STARTED = SessionStarted(task="Do it\nnow", workspace="/w", model="demo", mode="ask", by="ann")


def say(text: str) -> UserMessage:
    return UserMessage(text=text, by="ann")


def test_nothing_appended_is_nothing_read(session_row: models.Session) -> None:
    assert adapters.append(session_row.pk, []) == []
    assert adapters.read(session_row.pk) == []


def test_records_come_back_as_they_were_given_with_gap_free_numbers(session_row: models.Session) -> None:
    given = [STARTED, say("a \u2028 line\n\x1b[31m"), say("雪 \U0001f600")]
    made = adapters.append(session_row.pk, given)
    assert [r.seq for r in made] == [1, 2, 3]
    read = adapters.read(session_row.pk)
    assert read == made
    assert [r.event for r in read] == given
    assert adapters.read(session_row.pk, after=2) == made[2:]
    assert adapters.read(session_row.pk, limit=1) == made[:1]


def test_the_chain_holds_and_a_changed_byte_shows(session_row: models.Session) -> None:
    for i in range(5):
        adapters.append(session_row.pk, [STARTED if i == 0 else say(str(i))])
    rows = models.Event.objects.filter(session=session_row)
    assert chain.verify(map(adapters.as_line, rows)) is None
    rows.filter(seq=3).update(body='{"by": "ann", "text": "other"}')
    flaw = chain.verify(map(adapters.as_line, rows.all()))
    assert flaw is not None
    assert flaw.seq == 3


def test_the_row_says_what_the_fold_says(session_row: models.Session) -> None:
    turn = ModelTurn(turn=1, text="", usage={"input_tokens": 7, "output_tokens": 3})
    call = ToolCall(call_id="c1", turn=1, tool="bash", args={"command": "git push"})
    asked = ApprovalAsked(call_id="c1", digest="d", reasons=["It reaches others."], cwd="/w")
    adapters.append(session_row.pk, [STARTED])
    session_row.refresh_from_db()
    assert (session_row.status, session_row.due, session_row.title) == ("running", True, "Do it")
    adapters.append(session_row.pk, [turn, call, asked])
    session_row.refresh_from_db()
    assert (session_row.status, session_row.due) == ("waiting", False)
    assert (session_row.input_tokens, session_row.output_tokens) == (7, 3)
    approval = models.Approval.objects.get()
    assert (approval.tool, approval.args, approval.status, approval.seq) == ("bash", call.args, "pending", 4)


def test_a_renamed_session_keeps_its_name(session_row: models.Session) -> None:
    models.Session.objects.filter(pk=session_row.pk).update(title="Mine")
    adapters.append(session_row.pk, [STARTED])
    session_row.refresh_from_db()
    assert session_row.title == "Mine"


def test_an_older_lease_appends_nothing(session_row: models.Session) -> None:
    models.Session.objects.filter(pk=session_row.pk).update(lease_owner="a", lease_token=2)
    with pytest.raises(LeaseLost):
        adapters.append(session_row.pk, [STARTED], lease=1)
    assert adapters.read(session_row.pk) == []
    adapters.append(session_row.pk, [STARTED], lease=2)


def test_a_released_lease_appends_nothing(session_row: models.Session) -> None:
    models.Session.objects.filter(pk=session_row.pk).update(lease_owner="", lease_token=2)
    with pytest.raises(LeaseLost):
        adapters.append(session_row.pk, [STARTED], lease=2)


def test_an_append_on_condition_fails_when_somebody_was_quicker(session_row: models.Session) -> None:
    adapters.append(session_row.pk, [STARTED])
    with pytest.raises(SeqConflict):
        adapters.append(session_row.pk, [say("late")], expect=0)
    assert adapters.append(session_row.pk, [say("in time")], expect=1)[0].seq == 2


def test_a_rolled_back_append_leaves_no_trace_in_rows_file_or_fold(session_row: models.Session, data: Path) -> None:
    adapters.append(session_row.pk, [STARTED])
    with pytest.raises(RuntimeError), transaction.atomic():
        adapters.append(session_row.pk, [say("never")])
        raise RuntimeError
    made = adapters.append(session_row.pk, [say("kept")])
    assert made[0].seq == 2
    assert [r.event for r in adapters.read(session_row.pk)] == [STARTED, say("kept")]
    lines = list(jsonl.read(data / "journal" / f"{session_row.pk}.jsonl"))
    assert [line["seq"] for line in lines] == [1, 2]


def test_watchers_hear_only_what_is_committed(session_row: models.Session) -> None:
    heard: list[int] = []
    unlisten = hub.listen(lambda _, records: heard.extend(r.seq for r in records))
    try:
        with transaction.atomic():
            adapters.append(session_row.pk, [STARTED])
            assert heard == []
    finally:
        unlisten()
    assert heard == [1]


def test_eight_writers_leave_no_gap_and_no_duplicate(session_row: models.Session, data: Path) -> None:
    adapters.append(session_row.pk, [STARTED])

    def write(name: int) -> None:
        try:
            for i in range(20):
                adapters.append(session_row.pk, [say(f"{name}.{i}")])
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = adapters.read(session_row.pk)
    assert [r.seq for r in records] == list(range(1, 162))
    assert len({r.event.text for r in records[1:]}) == 160
    assert chain.verify(map(chain.to_line, records)) is None
    file = data / "journal" / f"{session_row.pk}.jsonl"
    assert jsonl.verify_file(file) is None
    assert [line["seq"] for line in jsonl.read(file)] == list(range(1, 162))


def test_a_file_that_a_crash_left_behind_is_completed(session_row: models.Session, data: Path) -> None:
    file = data / "journal" / f"{session_row.pk}.jsonl"
    adapters.append(session_row.pk, [STARTED, say("a"), say("b")])
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - 20])
    assert adapters.reconcile() == 1
    assert file.read_bytes() == whole
    assert adapters.reconcile() == 0
    file.unlink()
    adapters.append(session_row.pk, [say("c")])
    assert [line["seq"] for line in jsonl.read(file)] == [1, 2, 3, 4]


def test_a_damaged_file_stops_neither_the_start_nor_an_append(session_row: models.Session, data: Path) -> None:
    file = data / "journal" / f"{session_row.pk}.jsonl"
    adapters.append(session_row.pk, [STARTED, say("a")])
    file.write_bytes(b"garbage\n" * 3)
    assert adapters.reconcile() == 0
    assert adapters.append(session_row.pk, [say("b")])[0].seq == 3
    assert file.read_bytes() == b"garbage\n" * 3, "what was tampered with stays to be seen"


def test_the_records_of_one_call_and_of_one_kind(session_row: models.Session) -> None:
    call = ToolCall(call_id="c1", turn=1, tool="bash", args={})
    adapters.append(session_row.pk, [STARTED, ModelTurn(turn=1), call, say("x")])
    assert [r.seq for r in adapters.read_call(session_row.pk, "c1")] == [3]
    assert [r.seq for r in adapters.read_kind(session_row.pk, "user_message")] == [4]


async def test_the_same_from_a_coroutine(session_row: models.Session) -> None:
    journal = adapters.DatabaseJournal()
    await asyncio.gather(*(journal.append(session_row.pk, [say(str(i))]) for i in range(10)))
    assert [r.seq for r in await journal.read(session_row.pk)] == list(range(1, 11))
