"""The vocabulary of the timeline."""

import re

import pytest
from pydantic import ValidationError

from workbench.journal.kinds import KINDS, ApprovalAsked, SessionDone, Unknown, UserMessage


def test_a_kind_is_named_after_its_class() -> None:
    assert KINDS["approval_asked"] is ApprovalAsked and ApprovalAsked.kind == "approval_asked"
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in KINDS)


def test_what_is_not_known_is_no_kind_of_its_own() -> None:
    assert Unknown not in KINDS.values() and Unknown.kind not in KINDS
    assert Unknown.kind == "_unknown", "the name of the template that draws it"


def test_what_belongs_to_a_call_names_it() -> None:
    assert all("call_id" in kind.model_fields for kind in KINDS.values() if kind.part_of_call)


def test_an_event_never_changes() -> None:
    with pytest.raises(ValidationError):
        SessionDone().reason = "other"  # type: ignore[misc]


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        UserMessage.model_validate({"text": "a", "by": "b", "delivry": "steer"})


def test_every_kind_says_what_it_needs_only() -> None:
    """A field that was added later has a default, so that older records can be read."""
    needed = {name: [f for f, info in kind.model_fields.items() if info.is_required()] for name, kind in KINDS.items()}
    assert needed["model_turn"] == ["turn"]
    assert needed["approval_asked"] == ["call_id", "digest"]
    assert needed["tool_result"] == ["call_id", "ok", "data"]
