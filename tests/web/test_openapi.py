"""The document of the API as rows for its page."""

from workbench.web.openapi import operations
from workbench.web.views.api import api


def test_every_operation_says_what_it_takes_and_gives() -> None:
    rows = {(o["method"], o["path"]): o for o in operations(api.get_openapi_schema())}
    assert len(rows) > 15
    start = rows["POST", "/api/sessions"]
    assert start["summary"] == "Start a session."
    taken = {field["name"]: field for field in start["body"]}
    assert taken["prompt"]["required"]
    assert not taken["model"]["required"]
    assert taken["model"]["type"] == "string | null"
    assert taken["mode"]["type"] == '"plan" | "ask" | "auto"'
    assert [a["status"] for a in start["answers"]] == [201]
    assert {"id", "status", "workspace"} <= {field["name"] for field in start["answers"][0]["fields"]}


def test_lists_and_references_have_readable_types() -> None:
    rows = {(o["method"], o["path"]): o for o in operations(api.get_openapi_schema())}
    given = {f["name"]: f["type"] for f in rows["GET", "/api/approvals"]["answers"][0]["fields"]}
    assert given["items"] == "[Approval]"
    assert {p["name"] for p in rows["GET", "/api/approvals"]["parameters"]} == {"status", "session", "after", "limit"}


def test_an_empty_document_is_no_rows() -> None:
    assert operations({"paths": {}}) == []
