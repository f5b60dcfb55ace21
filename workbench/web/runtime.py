"""What a session's calls run with: its fence, rules, read state, history, sandbox and prompt, made from the rows."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from workbench.agent.prompt import system
from workbench.agent.toolbox import Stream, Toolbox
from workbench.files import Refused
from workbench.files.fence import Access, Fence
from workbench.files.seen import Seen
from workbench.history import snapshot
from workbench.history.store import Store
from workbench.history.versions import History
from workbench.journal.kinds import ToolResult
from workbench.policy.call import Call, Decision, Mode, digest
from workbench.policy.decision import decide
from workbench.policy.rules import Rules, built_in
from workbench.shell.sandbox import Sandbox, probe
from workbench.tools import Context, all_tools, no_stream
from workbench.web import adapters, models, vault
from workbench.web.version_rows import DatabaseVersions


@cache
def sandbox() -> Sandbox:
    """Probed once a process."""
    return probe(hide=[settings.DATA])


def sandbox_words() -> str:
    return sandbox().words


@cache
def _store(root: Path) -> Store:
    return Store(root)


def store() -> Store:
    return _store(settings.DATA / "store")


@cache
def workers() -> Executor:
    """Where tools run."""
    return ThreadPoolExecutor(16, thread_name_prefix="tool")


def rules(session: models.Session) -> Rules:
    """Built in, then what people made."""
    del session
    return built_in()


def fence(root: Path, held: Rules) -> Fence:
    """The workspace's fence: a deny rule on a path stops every tool; an ask is the gate's affair."""

    def check(rel: str, access: Access) -> None:
        outcome, rule, reason = held.path_outcome(rel, access.value)
        if outcome == "deny":
            raise Refused("denied", f"{reason or 'A rule denies this path.'} (rule: {rule})", path=rel, rule=rule)

    return Fence(root, check=check, home=Path.home())


def seen(session: str) -> Seen:
    """The read state, rebuilt from what the results of the session noted."""
    state = Seen()
    for record in adapters.read_kind(session, ToolResult.kind):
        if isinstance(record.event, ToolResult):
            state.apply(record.event.view.get("seen", []))
    return state


def changes(history: Callable[[str], History], call: str) -> list[dict[str, Any]]:
    """What the history knows that a call changed, a command that was cut off by a crash included."""
    mine = history(call)
    snapshot.settle(mine)
    found = []
    for version in mine.versions.of_call(mine.session, call):
        made = version.before.kind == "absent"
        gone = version.after is not None and version.after.kind == "absent"
        found.append({"path": version.path, "change": "created" if made else "deleted" if gone else "changed"})
    return found


def toolbox(session: models.Session, *, tool_of: Callable[[str], str] | None = None) -> Toolbox:
    """Everything the calls of one session need. Made when a runner takes the session, or a person edits a call.

    `tool_of`: call id -> tool; from the journal unless given.
    """
    named = tool_of or partial(_tool_of, session.pk)
    root = Path(session.workspace.path)
    held = rules(session)
    wall = fence(root, held)
    known = seen(session.pk)
    spool = settings.DATA / "spool" / session.pk
    box = sandbox()
    key = vault.digest_key(settings.DATA)

    def history(call: str) -> History:
        return History(store(), DatabaseVersions(), wall, session.pk, call, named(call))

    def context(call: str, stream: Stream, stop: threading.Event) -> Context:
        spool.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Context(session.pk, call, wall, known, history(call), box, spool, stream, stop)

    return Toolbox(
        tools=all_tools(),
        context=context,
        decide=partial(_decide, session=session.pk, rules=held, contained=box.contained, key=key),
        key=key,
        system=partial(_system, wall=wall, box=box),
        keep=store().put,
        recall=_recall,
        pool=workers(),
        changes=partial(changes, history),
    )


def watch(box: Toolbox) -> None:
    """Begin to look at the workspace, in the background, so that the first command finds it known."""
    snapshot.open_workspace(box.context("", no_stream, threading.Event()).history)


def _tool_of(session: str, call: str) -> str:
    row = models.Event.objects.filter(session=session, call_id=call, kind="tool_call").first()
    event = adapters.as_record(row).event if row else None
    return str(getattr(event, "tool", "")) or "tool"


def _decide(call: Call, mode: Mode, *, session: str, rules: Rules, contained: bool, key: bytes) -> Decision:
    """The gate's decision; what it would ask about is allowed when a person said so for this session."""
    decision = decide(call, rules, mode, contained=contained)
    if decision.outcome != "ask":
        return decision
    grant = models.Grant.objects.filter(session=session, digest=digest(call, key)).first()
    if grant is None:
        return decision
    return replace(decision, outcome="allow", rule=f"session / allowed by {grant.by} at {grant.at:%H:%M} UTC")


def _system(mode: Mode, *, wall: Fence, box: Sandbox) -> str:
    today = timezone.localdate().isoformat()
    return system(mode, fence=wall, sandbox=box.words, today=today)


def _recall(sha256: str) -> bytes | None:
    held = store()
    return held.get(sha256) if held.has(sha256) else None
