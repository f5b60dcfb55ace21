"""Calls without a model: one bench, many lines."""

from pathlib import Path

import pytest

from workbench.files import Refused
from workbench.web import models
from workbench.web.offline import Bench, answer

pytestmark = pytest.mark.django_db(transaction=True)


def test_reading_alone_leaves_no_session_behind(data: Path, workspace: Path) -> None:
    (workspace / "a").write_text("x\n")
    bench = Bench(workspace)
    assert bench.read_page("a")["content"] == "     1| x"
    assert bench.explain("read_file", {"path": "a"})["decision"] == "allow"
    assert not models.Session.objects.exists()


def test_its_session_is_archived_and_never_due(data: Path, workspace: Path) -> None:
    Bench(workspace).run("glob", {"pattern": "*"}, approve=False)
    row = models.Session.objects.get()
    assert (row.archived, row.due, row.last_seq) == (True, False, 0)


def test_a_tool_that_is_not_there_is_an_answer(data: Path, workspace: Path) -> None:
    bench = Bench(workspace)
    assert bench.run("nothing", {}, approve=True)["error"] == "unsupported"
    assert bench.run("\ud800", {}, approve=True)["error"] == "unsupported"
    assert bench.explain("nothing", {})["decision"] == "deny"


def test_a_call_that_cannot_be_judged_is_a_deny_with_its_reason(data: Path, workspace: Path) -> None:
    found = Bench(workspace).explain("read_file", {"path": "/etc/passwd"})
    assert (found["decision"], found["error"]) == ("deny", "outside")
    assert found["reasons"]


def test_pages_are_refused_as_by_the_tool(data: Path, workspace: Path) -> None:
    with pytest.raises(Refused) as caught:
        Bench(workspace).read_page("none")
    assert caught.value.code == "no_file"


@pytest.mark.parametrize("line", ["", "x", "[]", "1", "[" * 100_000, '{"a": 1', b'{"a": "\xff"}', b"\xff\xfe{\0}\0"])
def test_what_is_no_object_is_bad_args(line: str | bytes) -> None:
    assert answer(line, lambda given: given)["error"] == "bad_args"


def test_a_defect_is_an_answer_too(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: object) -> dict[str, object]:
        raise ZeroDivisionError

    assert answer("{}", broken)["error"] == "io"
    assert "could not be answered" in caplog.text
