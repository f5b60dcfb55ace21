"""The promises of the journal; the one in memory keeps them, so that the loop's tests mean something."""

from typing import Any

import pytest

from workbench.agent.ports import LeaseLost, SeqConflict
from workbench.journal import chain
from workbench.journal.kinds import SessionDone, SessionPaused, SessionResumed


async def test_records_follow_one_another_without_gaps(desk: Any) -> None:
    first = await desk.journal.append("s1", [SessionPaused(by="a"), SessionResumed(by="a")])
    second = await desk.journal.append("s1", [SessionDone()])
    assert [r.seq for r in first + second] == [1, 2, 3]
    assert await desk.journal.read("s1") == first + second
    assert await desk.journal.read("s1", 2) == second
    assert chain.verify(desk.journal.lines) is None


async def test_an_append_that_expects_another_state_is_refused_whole(desk: Any) -> None:
    await desk.journal.append("s1", [SessionPaused(by="a")])
    with pytest.raises(SeqConflict):
        await desk.journal.append("s1", [SessionResumed(by="a"), SessionDone()], expect=0)
    assert len(await desk.journal.read("s1")) == 1
    await desk.journal.append("s1", [SessionResumed(by="a")], expect=1)


async def test_an_old_token_is_refused(desk: Any) -> None:
    desk.journal.lease = 2
    with pytest.raises(LeaseLost):
        await desk.journal.append("s1", [SessionDone()], lease=1)
    assert await desk.journal.read("s1") == []
    await desk.journal.append("s1", [SessionDone()], lease=2)
