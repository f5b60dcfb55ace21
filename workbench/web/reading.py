"""Files for the API, page by page: what the agent's read_file would give, read by nobody's session."""

import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from workbench.files.seen import Seen
from workbench.history.versions import History
from workbench.policy.rules import built_in
from workbench.tools import Context, ToolError, Waiting, all_tools, no_stream
from workbench.web import models, runtime
from workbench.web.version_rows import DatabaseVersions


def read_page(workspace: models.Workspace, path: str, **page: int | None) -> dict[str, Any]:
    """One page. Raises Refused, as the tool does."""
    tool = all_tools()["read_file"]
    wall = runtime.fence(Path(workspace.path), built_in())
    history = History(runtime.store(), DatabaseVersions(), wall, "", "", "reader")
    context = Context(
        "", "", wall, Seen(), history, runtime.sandbox(), settings.DATA / "spool", no_stream, threading.Event()
    )
    args = tool.parse({"path": path, **{name: value for name, value in page.items() if value is not None}})
    result = tool.run(args, context)
    if isinstance(result, Waiting):
        raise ToolError("unsupported", "Reading asks for nobody.")
    return result.data
