"""The schemas fit the rows, so that no field is lost on the way to a client."""

import pytest
from django.utils import timezone
from pydantic import ValidationError

from workbench.web import models, schemas, wire


def row[M](kind: type[M], **values: object) -> M:
    return kind(id=1, **values)


def test_a_session_goes_through_whole(session_row: models.Session) -> None:
    given = wire.session(session_row)
    assert schemas.Session(**given).model_dump() == given


@pytest.mark.parametrize("decided", [None, timezone.now()])
def test_an_approval_a_question_and_a_change_go_through_whole(decided: object) -> None:
    now = timezone.now()
    approval = wire.approval(models.Approval(
        id=1, session_id="s", seq=2, call_id="c", tool="bash", args={"a": [1]}, digest="d", asked_at=now,
        decided_at=decided,
    ))  # fmt: skip
    question = wire.question(models.Question(
        id=1, session_id="s", seq=2, call_id="c", question="?", options=[{"label": "a", "description": ""}],
        asked_at=now, answered_at=decided,
    ))  # fmt: skip
    change = wire.version(models.Version(id=1, session_id="s", path="a \udcff", before={"kind": "absent"}, by="x"))
    assert schemas.Approval(**approval).model_dump() == approval
    assert schemas.Question(**question).model_dump() == question
    assert schemas.Change(**change).model_dump() == change
    assert change["path"] == "a \ufffd"


def test_a_misspelt_field_is_an_error() -> None:
    for schema, fields in (
        (schemas.StartSession, {"prompt": "x", "promt": "y"}),
        (schemas.Decide, {"decision": "approve", "reson": ""}),
        (schemas.Rollback, {"hunk": [1]}),
    ):
        with pytest.raises(ValidationError, match="Extra inputs"):
            schema(**fields)
