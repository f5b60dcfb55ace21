"""Which files a session changed, and by how many lines."""

from dataclasses import asdict

import pytest

from workbench.history.states import ABSENT, State
from workbench.web import models, runtime
from workbench.web.changed import changed_files, content, lines_between

pytestmark = pytest.mark.django_db(transaction=True)


def kept(data: bytes | None) -> State:
    return ABSENT if data is None else State("file", runtime.store().put(data), len(data), 0o644)


def version(session: models.Session, path: str, before: bytes | None, after: bytes | None, **more: object) -> None:
    models.Version.objects.create(
        workspace=session.workspace, path=path, before=asdict(kept(before)), after=asdict(kept(after)), session=session,
        call_id="c", by="edit_file", status=more.pop("status", "done"), **more,
    )  # fmt: skip


def test_nothing_changed_at_first(session_row: models.Session) -> None:
    assert changed_files(session_row.pk) == []


def test_a_file_is_told_once_from_its_first_to_its_last_version(session_row: models.Session) -> None:
    version(session_row, "a.py", b"1\n2\n3\n", b"1\n2\nx\n")
    version(session_row, "b.py", None, b"new\n")
    version(session_row, "a.py", b"1\n2\nx\n", b"1\nx\n", uncertain=True)
    version(session_row, "c.py", b"gone\n", None)
    version(session_row, "d.py", b"same\n", b"other\n")
    version(session_row, "d.py", b"other\n", b"same\n")
    version(session_row, "e.py", b"1\n", b"2\n", status="pending")
    found = {c.path: (c.change, c.lines, c.uncertain) for c in changed_files(session_row.pk)}
    assert found == {
        "a.py": ("changed", (1, 2), True),
        "b.py": ("created", (1, 0), False),
        "c.py": ("deleted", (0, 1), False),
        "d.py": ("put back", (0, 0), False),
    }
    assert [c.path for c in changed_files(session_row.pk)] == ["d.py", "c.py", "a.py", "b.py"]


def test_what_can_not_be_counted_is_not_guessed(session_row: models.Session) -> None:
    text, picture = kept(b"a\n"), kept(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert lines_between(text, picture) is None
    assert lines_between(text, State("file", "0" * 64, 3, 0o644, stored=False)) is None
    assert lines_between(text, State("file", "0" * 64, 3, 0o644)) is None
    assert lines_between(text, State("link", "0" * 64)) is None


def test_contents_come_from_the_store(session_row: models.Session) -> None:
    assert content(kept(b"abc").sha256) == b"abc"
    assert content("") == b""
