"""Small facts of the session page."""

import pytest

from workbench.journal.kinds import SessionResumed
from workbench.journal.state import STATUS
from workbench.web.templatetags.session_facts import next_act, plus, words


@pytest.mark.parametrize("status", ["paused", "stopped", "failed"])
def test_what_can_be_resumed_offers_it(status: str) -> None:
    assert next_act(status) == "resume"
    assert status in STATUS[SessionResumed][0]


def test_what_runs_can_be_paused_and_what_is_done_offers_nothing() -> None:
    assert next_act("running") == next_act("waiting") == "pause"
    assert next_act("done") == ""


def test_words_and_sums() -> None:
    assert words("a b  c") == ["a", "b", "c"]
    assert plus(2, 3) == 5
