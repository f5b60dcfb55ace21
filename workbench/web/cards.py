"""One tool call as its templates see it, and how a template is drawn so that one bad card never takes the page down."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from workbench.journal.kinds import Record, RolledBack, ToolCall, ToolResult
from workbench.journal.state import CallState, advance_call
from workbench.web.models import Approval, Question
from workbench.web.streams import dom_id

log = logging.getLogger(__name__)

FALLBACK_TOOL = "_generic"
REFUSED = ("denied", "rejected", "outside", "approval_required")
"""error codes by which a rule or a person said no, as against something that went wrong"""


def draw(name: str, context: dict[str, Any], fallback: str = "") -> SafeString:
    """The template's HTML; when it fails and there is a `fallback`, that one's, and the log says why."""
    try:
        return mark_safe(get_template(name).render(context))  # noqa: S308 - a template's output
    except Exception:
        if not fallback:
            raise
        log.exception("%s failed; %s is drawn instead", name, fallback)
        return mark_safe(get_template(fallback).render(context))  # noqa: S308


def tool_template(tool: str, partial: str) -> str:
    """`tools/<tool>.html#<partial>`, or the generic one for a foreign tool and for a partial that it does without."""
    name = f"tools/{tool}.html#{partial}"
    if re.fullmatch(r"[a-z][a-z0-9_]*", tool):
        try:
            get_template(name)
        except TemplateDoesNotExist:
            pass
        else:
            return name
    return f"tools/{FALLBACK_TOOL}.html#{partial}"


def draw_event(record: Record, context: dict[str, Any]) -> SafeString:
    """`timeline/<kind>.html`, with `record` and `event`."""
    context = {"record": record, "event": record.event, **context}
    return draw(f"timeline/{record.event.kind}.html", context, "timeline/_unknown.html")


@dataclass
class Card:
    """One tool call and what became of it: its `tool_call` record and all later records of the same call."""

    record: Record
    later: Sequence[Record] = ()
    state: CallState = field(init=False)

    def __post_init__(self) -> None:
        assert isinstance(self.record.event, ToolCall)
        self.state = CallState(self.record.seq, self.record.event)
        for record in self.later:
            advance_call(self.state, record.event, record.seq)

    @property
    def call(self) -> ToolCall:
        return self.state.call

    @property
    def seq(self) -> int:
        return self.record.seq

    @property
    def session(self) -> str:
        return self.record.session

    @property
    def hash(self) -> str:
        """Names all that the card is drawn from."""
        return self.later[-1].hash if self.later else self.record.hash

    @property
    def args(self) -> Any:
        """What would run, or ran: as a person edited them, else as the model gave them."""
        asked = self.state.asked
        return self.state.args or (asked.args if asked else None) or self.call.args

    @cached_property
    def last(self) -> dict[str, Record]:
        """The latest record of each kind, by kind."""
        return {record.event.kind: record for record in self.later}

    @property
    def stream_id(self) -> str:
        """DOM id of what its command prints while it runs."""
        return dom_id("output", self.call.call_id)

    @property
    def result(self) -> ToolResult | None:
        return self.state.result

    @property
    def asks(self) -> bool:
        """It waits for an approval: the card is the request."""
        return self.state.phase == "asked"

    @property
    def look(self) -> str:
        """needs, running, queued, done, failed, denied or interrupted."""
        if self.result is None:
            return "needs" if self.state.waits else "running" if self.state.started else "queued"
        error = self.result.data.get("error")
        if not self.result.ok:
            return "interrupted" if error == "interrupted" else "denied" if error in REFUSED else "failed"
        return "failed" if self.result.data.get("exit_code") or self.result.data.get("timed_out") else "done"

    @cached_property
    def approval(self) -> int | None:
        """Row id of the open request, for its form."""
        asked = Approval.objects.filter(session=self.session, seq=self.state.asked_seq, status="pending")
        return asked.values_list("pk", flat=True).first() if self.asks else None

    @cached_property
    def question(self) -> int | None:
        """Row id of the open question, for its form."""
        if self.state.phase != "questioned":
            return None
        asked = Question.objects.filter(session=self.session, call_id=self.call.call_id, status="pending")
        return asked.values_list("pk", flat=True).first()

    @property
    def chose_option(self) -> bool:
        """The answer is one of the options, not the person's own words."""
        asked, answered = self.state.question, self.state.answered
        return bool(asked and answered and any(o.get("label") == answered.answer for o in asked.options))

    @cached_property
    def undone(self) -> dict[int, Record]:
        """The record that took a version back, by version; those put back again are gone from it."""
        undone: dict[int, Record] = {}
        for record in self.later:
            if isinstance(record.event, RolledBack):
                undone.pop(record.event.version, None)
                if not record.event.put_back:
                    undone[record.event.version] = record
        return undone

    @property
    def versions(self) -> list[int]:
        """Ids of the versions that it made."""
        found = self.result.view.get("versions", []) if self.result else []
        return [v for v in found if isinstance(v, int)] if isinstance(found, list) else []

    @property
    def version(self) -> int | None:
        """The one that it made, when it made just one."""
        return self.versions[0] if len(self.versions) == 1 else None

    @property
    def rolled_back(self) -> bool:
        """All that it changed is taken back."""
        return bool(self.undone) and all(version in self.undone for version in self.versions)

    @cached_property
    def parts(self) -> list[SafeString]:
        """What each later record adds to the card, in order."""
        return [draw_event(record, {"card": self}) for record in self.later]

    @property
    def head(self) -> SafeString:
        """The call in a line."""
        return self._tool("call", full=False)

    @property
    def whole(self) -> SafeString:
        """The call with nothing left out, for who decides on it."""
        return self._tool("call", full=True)

    @property
    def noun(self) -> SafeString:
        """What an approval calls it: command, edit …"""
        return self._tool("noun")

    @property
    def outcome(self) -> SafeString:
        """What it gave."""
        return self._tool("result")

    def _tool(self, partial: str, **more: Any) -> SafeString:
        context = {"card": self, "call": self.call, "args": self.args, **more}
        if self.result is not None:
            context |= {"result": self.result, "data": self.result.data, "view": self.result.view}
        return draw(tool_template(self.call.tool, partial), context, f"tools/{FALLBACK_TOOL}.html#{partial}")
