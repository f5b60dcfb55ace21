"""What watchers may count on: order, one frame a tick, no unbounded buffer, nothing lost without being told (U1)."""

import asyncio
import threading
from datetime import UTC, datetime

import pytest

from workbench.journal.kinds import (
    ApprovalAsked,
    Event,
    ModelFailed,
    ModelTurn,
    Record,
    SessionStopped,
    ToolResult,
    UserMessage,
)
from workbench.web.hub import BACKLOG, QUEUE, Frame, Hub, Lagging, Piece, join


def record(seq: int, event: Event | None = None, session: str = "s") -> Record:
    return Record(session, seq, datetime.now(UTC), event or UserMessage(text=str(seq), by="ann"), "", str(seq))


@pytest.fixture
async def hub() -> Hub:
    made = Hub()
    made.bind(asyncio.get_running_loop())
    return made


async def test_nobody_watches_and_nothing_is_kept(hub: Hub) -> None:
    hub.publish("s", [record(1)])
    await asyncio.sleep(0.05)
    assert hub.watched() == set()


async def test_what_comes_in_one_tick_is_one_frame_in_order(hub: Hub) -> None:
    watcher = hub.watch("s")
    for seq in (3, 1, 2):
        hub.publish("s", [record(seq)])
    frame = await watcher.next()
    assert [r.seq for r in frame.records] == [1, 2, 3]
    hub.publish("s", [record(4)])
    assert [r.seq for r in (await watcher.next()).records] == [4]


async def test_a_thread_may_publish(hub: Hub) -> None:
    watcher = hub.watch("s")
    thread = threading.Thread(target=lambda: [hub.publish("s", [record(i)]) for i in range(1, 101)])
    thread.start()
    seen: list[int] = []
    while len(seen) < 100:
        seen += [r.seq for r in (await asyncio.wait_for(watcher.next(), 5)).records]
    thread.join()
    assert seen == list(range(1, 101))


async def test_all_watchers_share_the_frame_and_other_sessions_are_not_disturbed(hub: Hub) -> None:
    first, second, other = hub.watch("s"), hub.watch("s"), hub.watch("t")
    hub.publish("s", [record(1)])
    assert await first.next() is await second.next()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(other.next(), 0.05)


async def test_who_comes_later_gets_no_piece_from_before(hub: Hub) -> None:
    early = hub.watch("s")
    hub.text("s", 1, "one ")
    await asyncio.sleep(0)
    late = hub.watch("s")
    assert late.so_far == (Piece("text", "1", "one ", whole=True),)
    hub.text("s", 1, "two")
    assert [(await early.next()).pieces, (await early.next()).pieces] == [
        (Piece("text", "1", "one "),),
        (Piece("text", "1", "two"),),
    ]
    frame = await late.next()
    assert frame.pieces == (Piece("text", "1", "two"),)
    assert frame.so_far == (Piece("text", "1", "one two", whole=True),)


async def test_a_watcher_that_lags_is_cut_off_and_the_others_are_not(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, quick = hub.watch("s"), hub.watch("s")
    for seq in range(BACKLOG + 1):
        slow.push(Frame((record(seq + 1),)))
    with pytest.raises(Lagging):
        await slow.next()
    hub.publish("s", [record(1)])
    assert (await quick.next()).records[0].seq == 1
    slow.close()
    quick.close()
    assert hub.watched() == set()


async def test_live_things_end_with_the_event_that_holds_the_whole(hub: Hub) -> None:
    hub.text("s", 1, "answer")
    hub.output("s", "c1", b"line\n")
    await asyncio.sleep(0)
    assert {p.what for p in hub.so_far("s")} == {"text", "output"}
    hub.publish("s", [record(1, ModelTurn(turn=1, text="answer"))])
    await asyncio.sleep(0)
    assert {p.what for p in hub.so_far("s")} == {"output"}
    hub.publish("s", [record(2, ToolResult(call_id="c1", ok=True, data={}))])
    await asyncio.sleep(0)
    assert hub.so_far("s") == ()


async def test_a_stop_ends_all_live_things(hub: Hub) -> None:
    hub.output("s", "c1", b"x")
    hub.publish("s", [record(1, SessionStopped(by="ann"))])
    await asyncio.sleep(0)
    assert hub.so_far("s") == ()


async def test_text_of_a_request_that_failed_does_not_go_on_in_the_next(hub: Hub) -> None:
    hub.text("s", 1, "half an ")
    hub.output("s", "c1", b"x")
    await asyncio.sleep(0)
    hub.publish("s", [record(1, ModelFailed(message="gone", attempt=1))])
    hub.text("s", 1, "answer")
    await asyncio.sleep(0)
    assert {(p.what, p.data) for p in hub.so_far("s")} == {("output", "x"), ("text", "answer")}


async def test_a_piece_that_comes_with_its_end_is_left_out(hub: Hub) -> None:
    watcher = hub.watch("s")
    hub.output("s", "c1", b"late")
    hub.publish("s", [record(1, ToolResult(call_id="c1", ok=True, data={}))])
    frame = await watcher.next()
    assert (len(frame.records), frame.pieces) == (1, ())


async def test_a_character_that_is_cut_in_two_is_one_character(hub: Hub) -> None:
    whole = "雪".encode()
    hub.output("s", "c1", whole[:1])
    hub.output("s", "c1", whole[1:])
    await asyncio.sleep(0)
    assert hub.so_far("s")[0].data == "雪"


async def test_the_queue_hears_what_people_wait_for_in_any_session(hub: Hub) -> None:
    queue = hub.watch(QUEUE)
    hub.publish("s", [record(1)])
    hub.publish("s", [record(2, ApprovalAsked(call_id="c", digest="d"))])
    hub.publish("t", [record(2, ApprovalAsked(call_id="c", digest="d"), "t")])
    frame = await queue.next()
    assert [(r.session, r.seq) for r in frame.records] == [("s", 2), ("t", 2)]


async def test_a_hub_whose_loop_is_gone_says_nothing(hub: Hub) -> None:
    hub.bind(None)
    hub.publish("s", [record(1)])
    hub.output("s", "c", b"x")


async def test_listeners_hear_at_once_in_the_publishing_thread(hub: Hub) -> None:
    heard: list[int] = []
    end = hub.listen(lambda _, records: heard.append(len(records)))
    hub.publish("s", [record(1), record(2)])
    assert heard == [2]
    end()
    hub.publish("s", [record(3)])
    assert heard == [2]


def test_neighbours_of_the_same_thing_are_joined_and_a_whole_one_starts_anew() -> None:
    pieces = [Piece("text", "1", "a"), Piece("text", "1", "b"), Piece("output", "c", "x"), Piece("text", "1", "c")]
    assert [p.data for p in join(pieces)] == ["ab", "x", "c"]
    again = [Piece("text", "1", "a"), Piece("text", "1", "whole", whole=True), Piece("text", "1", "d")]
    assert [(p.data, p.whole) for p in join(again)] == [("a", False), ("wholed", True)]
