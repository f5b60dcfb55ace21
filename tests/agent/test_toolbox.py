"""What a session's calls need."""

import threading
from typing import Any

from workbench.agent.toolbox import nothing_kept
from workbench.tools import no_stream


def test_each_call_gets_a_context_of_its_own(desk: Any) -> None:
    box = desk.box()
    stop = threading.Event()
    one, two = (box.context(name, no_stream, stop) for name in ("c1", "c2"))
    assert (one.call, two.call) == ("c1", "c2") and one is not two
    assert one.stop is stop


def test_without_a_history_nothing_is_known_of_changes() -> None:
    assert nothing_kept("c1") == []
