"""Tool calls without a model and without a journal: for `tool`, `explain` and the file pages of the API.

Their changes are versions all the same; a session row of its own holds them, archived and at rest.
"""

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workbench.agent.arguments import clean
from workbench.agent.scheduler import run_now
from workbench.agent.toolbox import Toolbox
from workbench.files import Refused
from workbench.journal.kinds import ToolCall
from workbench.policy.call import Mode
from workbench.policy.decision import explain
from workbench.tools import Waiting, all_tools, no_stream
from workbench.web import models, runtime
from workbench.web.actions import open_workspace

log = logging.getLogger(__name__)

TITLE = "tool calls in a terminal"


class Bench:
    """One workspace and one read state, kept from call to call."""

    def __init__(self, workspace: Path) -> None:
        """Refused when the folder cannot be a workspace."""
        self._session = models.Session(
            workspace=open_workspace(workspace), model="", title=TITLE, status="done", archived=True
        )
        self._saved = False
        self._count = 0
        self._box: Toolbox = runtime.toolbox(self._session, tool_of=lambda call: call.rpartition("-")[0])

    def run(self, tool: str, args: Any, *, approve: bool) -> dict[str, Any]:
        """The result as the model would read it; a call that asks is refused, unless `approve`."""
        if not self._saved:
            self._session.save(force_insert=True)
            self._saved = True
        self._count += 1
        asked = ToolCall(call_id=f"{clean(tool)}-{self._count}", turn=0, tool=clean(tool), args=args)
        return run_now(self._box, asked, Mode.ASK, approve=approve).data

    def explain(self, tool: str, args: Any) -> dict[str, Any]:
        """What the gate would decide, and why; a call that cannot even be judged is a deny."""
        found = all_tools().get(tool)
        if found is None:
            message = f"There is no tool {tool!r}. There are: {', '.join(all_tools())}."
            return _not_judged(Refused("unsupported", message))
        try:
            context = self._box.context(f"{tool}-0", no_stream, threading.Event())
            call = found.call(found.parse(args), context)
            return explain(call, self._box.decide(call, Mode.ASK))
        except Refused as e:
            return _not_judged(e)

    def read_page(self, path: str, **page: int | None) -> dict[str, Any]:
        """One page of a file, as read_file gives it. Raises Refused."""
        tool = all_tools()["read_file"]
        args = tool.parse({"path": path, **{name: value for name, value in page.items() if value is not None}})
        result = tool.run(args, self._box.context("read_file-0", no_stream, threading.Event()))
        assert not isinstance(result, Waiting)
        return result.data


def _not_judged(e: Refused) -> dict[str, Any]:
    return {"decision": "deny", "reasons": [e.message], "commands": [], "rule": "", "error": e.code}


def answer(given: str | bytes | dict[str, Any], do: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """What `do` gives for one line of input; whatever goes wrong is an answer too, so that no line ends the loop."""
    try:
        return do(given if isinstance(given, dict) else _object(given))
    except Refused as e:
        return e.as_data()
    except Exception as e:
        log.exception("a line could not be answered")
        return Refused("io", f"The workbench made a mistake here: {type(e).__name__}: {e}").as_data()


def lines() -> Iterator[bytes]:
    """The lines of the input, as they come. As bytes: one that is no UTF-8 is an error of that line only."""
    return (raw for raw in sys.stdin.buffer if raw.strip())


def _object(raw: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw if isinstance(raw, str) else raw.decode())
    except (ValueError, RecursionError) as e:
        raise Refused("bad_args", f"The line is not JSON: {e}. Send one object a line.") from None
    if not isinstance(value, dict):
        raise Refused("bad_args", f"The line must be a JSON object, not {type(value).__name__}.")
    return value
