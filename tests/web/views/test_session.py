"""The session page and what a person does there."""

import hashlib
import io
import re
from collections.abc import Callable
from dataclasses import asdict

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from tests.web.records import call, result, started
from workbench.history.states import ABSENT, State
from workbench.journal.kinds import Media, ModelTurn, ToolResult, UserMessage
from workbench.web import adapters, models, runtime

New = Callable[..., models.Session]


@pytest.fixture
def row(new: New) -> models.Session:
    return new("Fix the <tests>", ModelTurn(turn=1, text="I look."), call(), started(), result())


def test_the_page_shows_the_session_and_where_the_socket_goes_on(reader: Client, row: models.Session) -> None:
    html = reader.get(f"/sessions/{row.pk}/").content.decode()
    assert "Fix the &lt;tests&gt;" in html and "<tests>" not in html
    for said in (
        "blocked before it runs",
        "I look.",
        "Pause",
        "Stop",
        "A message is never consent",
        "Beginning of the session",
    ):
        assert said in html
    assert f'data-seq="{row.last_seq}"' in html and f'ws-connect="/ws/sessions/{row.pk}/"' in html
    assert '<svg height="64" role="img" aria-label="1 calls in' in html


def test_older_rows_come_on_demand(reader: Client, new: New) -> None:
    row = new("long", *(UserMessage(text=f"word {n}", by="Wei") for n in range(150)))
    html = reader.get(f"/sessions/{row.pk}/").content.decode()
    assert f'hx-get="/sessions/{row.pk}/rows?before=52"' in html and "word 10<" not in html
    html = reader.get(f"/sessions/{row.pk}/rows?before=52").content.decode()
    assert "word 10<" in html and "<html" not in html and "Beginning of the session" in html
    assert "word 3<" in reader.get(f"/sessions/{row.pk}/rows?before=52&back_to=5").content.decode()


def test_the_number_of_queries_does_not_grow(reader: Client, new: New) -> None:
    counts = []
    for size in (2, 30):
        row = new(
            "s",
            *(
                e
                for n in range(size)
                for e in (ModelTurn(turn=n), call(call_id=f"{n}", turn=n), started(f"{n}"), result(call_id=f"{n}"))
            ),
        )
        with CaptureQueriesContext(connection) as queries:
            reader.get(f"/sessions/{row.pk}/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_what_changed_is_told_beside(reader: Client, row: models.Session) -> None:
    after = State("file", runtime.store().put(b"a\nb\n"), 4, 0o644)
    models.Version.objects.create(
        workspace=row.workspace,
        path="new.py",
        before=asdict(ABSENT),
        after=asdict(after),
        session=row,
        by="bash",
        status="done",
    )
    html = reader.get(f"/sessions/{row.pk}/around").content.decode()
    assert "new.py" in html and "created" in html and "+2" in html and "hx-swap-oob" in html and "<html" not in html


@pytest.mark.parametrize(("what", "status"), [("pause", "paused"), ("stop", "stopped")])
def test_a_session_is_paused_and_stopped(person: Client, row: models.Session, what: str, status: str) -> None:
    html = person.post(f"/sessions/{row.pk}/act/{what}").content.decode()
    row.refresh_from_db()
    assert row.status == status and status.title() in html and "Resume" in html


def test_a_paused_session_is_resumed(person: Client, row: models.Session) -> None:
    person.post(f"/sessions/{row.pk}/act/pause")
    assert "Pause" in person.post(f"/sessions/{row.pk}/act/resume").content.decode()
    assert person.post(f"/sessions/{row.pk}/act/explode").status_code == 404


def test_the_mode_is_switched(person: Client, row: models.Session) -> None:
    html = person.post(f"/sessions/{row.pk}/mode", {"mode": "auto"}).content.decode()
    assert re.search(r'id="mode-auto"[^>]* aria-pressed="true"', html)
    answer = person.post(f"/sessions/{row.pk}/mode", {"mode": "yolo"})
    assert answer.status_code == 422 and "choose plan, ask or auto" in answer.content.decode()


def test_a_message_is_queued_or_steers(person: Client, row: models.Session) -> None:
    person.post(f"/sessions/{row.pk}/messages", {"text": "first"})
    person.post(f"/sessions/{row.pk}/messages", {"text": "second", "delivery": "steer"})
    said = [e.event for e in adapters.read_kind(row.pk, UserMessage.kind)]
    assert [(m.text, m.delivery) for m in said] == [("first", "queue"), ("second", "steer")]  # type: ignore[attr-defined]
    answer = person.post(f"/sessions/{row.pk}/messages", {"text": " "})
    assert answer.status_code == 422 and "empty" in answer.content.decode()


def test_a_session_is_renamed_and_archived(person: Client, row: models.Session) -> None:
    person.post(f"/sessions/{row.pk}/rename", {"title": "  A better\n name "})
    row.refresh_from_db()
    assert row.title == "A better name"
    assert 'id="s-title"' in person.get(f"/sessions/{row.pk}/").content.decode()
    assert person.post(f"/sessions/{row.pk}/rename", {"title": " "}).status_code == 422
    assert person.post(f"/sessions/{row.pk}/archive").status_code == 422
    person.post(f"/sessions/{row.pk}/act/stop")
    person.post(f"/sessions/{row.pk}/archive")
    row.refresh_from_db()
    assert row.archived


def test_a_whole_output_is_paged_from_the_spool(reader: Client, new: New) -> None:
    row = new(
        "s",
        call(call_id="a/b"),
        started("a/b"),
        result({"exit_code": 0, "output": "tail", "cut_bytes": 9}, call_id="a/b", spool="c1"),
    )
    spool = settings.DATA / "spool" / row.pk
    spool.mkdir(parents=True)
    (spool / "c1").write_text("".join(f"line {n}\n" for n in range(20_000)))
    html = reader.get(f"/sessions/{row.pk}/calls/2/output").content.decode()
    assert "line 0\nline 1\n" in html and f"/sessions/{row.pk}/calls/2/output?from=" in html
    assert "line 19999" in reader.get(f"/sessions/{row.pk}/calls/2/output?from=180000").content.decode()
    assert reader.get(f"/sessions/{row.pk}/calls/1/output").status_code == 404


def test_an_output_that_is_gone_says_so(person: Client, row: models.Session) -> None:
    answer = person.get(f"/sessions/{row.pk}/calls/3/output")
    assert answer.status_code == 422 and "no longer kept" in answer.content.decode()


def test_a_named_file_leads_to_the_files_of_the_workspace(reader: Client, row: models.Session) -> None:
    answer = reader.get(f"/sessions/{row.pk}/file?path=a%20b/c.py&line=40")
    assert answer["Location"] == f"/files/{row.workspace_id}/a%20b/c.py?line=40#L40"
    inside = f"{row.workspace.path}/x.py"
    assert reader.get(f"/sessions/{row.pk}/file", {"path": inside})["Location"] == f"/files/{row.workspace_id}/x.py"
    assert reader.get(f"/sessions/{row.pk}/file?path=.")["Location"] == f"/files/{row.workspace_id}/"


def test_a_page_of_a_file_is_turned_inside_the_card(person: Client, row: models.Session, workspace) -> None:  # type: ignore[no-untyped-def]
    (workspace / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 301)))
    html = person.get(f"/sessions/{row.pk}/page?path=a.txt&offset=80").content.decode()
    assert "line 81<" in html and "line 160<" in html and f"/sessions/{row.pk}/page?path=a.txt&amp;offset=160" in html
    assert person.get(f"/sessions/{row.pk}/page?path=../secret").status_code == 422


def test_pictures_of_a_result_are_shown_and_nothing_else_is(reader: Client, new: New) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(picture, "PNG")
    png, svg = picture.getvalue(), b"<svg onload=evil()>"
    media = [
        Media(mime=mime, sha256=runtime.store().put(data))
        for mime, data in (("image/png", png), ("image/svg+xml", svg))
    ]
    row = new(
        "s",
        call("read_file", {"path": "a.png"}),
        ToolResult(call_id="c1", ok=True, data={"path": "a.png"}, media=media),
    )
    answer = reader.get(f"/sessions/{row.pk}/media/{media[0].sha256}")
    assert (
        answer.content == png
        and answer["Content-Type"] == "image/png"
        and "sandbox" in answer["Content-Security-Policy"]
    )
    answer = reader.get(f"/sessions/{row.pk}/media/{media[1].sha256}")
    assert answer["Content-Type"] == "application/octet-stream" and answer["Content-Disposition"] == "attachment"
    assert f'src="/sessions/{row.pk}/media/{media[0].sha256}"' in reader.get(f"/sessions/{row.pk}/").content.decode()


def test_only_media_of_the_session_are_given(reader: Client, row: models.Session) -> None:
    secret = runtime.store().put(b"another session's")
    assert reader.get(f"/sessions/{row.pk}/media/{secret}").status_code == 404
    assert reader.get(f"/sessions/{row.pk}/media/{hashlib.sha256(b'x').hexdigest()}").status_code == 404


def test_the_journal_is_a_download(reader: Client, row: models.Session) -> None:
    answer = reader.get(f"/sessions/{row.pk}/journal")
    lines = b"".join(answer.streaming_content).splitlines()  # type: ignore[attr-defined]
    assert len(lines) == row.last_seq and "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize("path", ["", "rows", "around", "journal", "page?path=a", "file?path=a", "calls/1/output"])
def test_an_unknown_session_is_not_found(reader: Client, transactional_db: None, path: str) -> None:
    assert reader.get(f"/sessions/nosuch/{path}").status_code == 404
