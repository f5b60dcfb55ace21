"""History: what changed, version by version, and taking it back (H1 to H3)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.web.hostile import acts
from tests.web.records import call, result, started
from workbench.history.versions import History
from workbench.journal.kinds import RolledBack
from workbench.policy.rules import built_in
from workbench.web import adapters, models, runtime
from workbench.web.version_rows import DatabaseVersions

New = Callable[..., models.Session]
LINES = "".join(f"line {n}\n" for n in range(1, 41))


class Edits:
    """Changes files as a tool would: the old bytes kept, a version for each."""

    def __init__(self, session: models.Session) -> None:
        self.session = session
        self.root = Path(session.workspace.path)
        wall = runtime.fence(self.root, built_in())
        self.history = History(runtime.store(), DatabaseVersions(), wall, session.pk, "c1", "edit_file")

    def write(self, path: str, text: str | None) -> int:
        place = self.history.fence.resolve(path, follow=False)
        with self.history.before(place) as pending:
            target = self.root / path
            if text is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            return pending.done().id


@pytest.fixture
def edits(new: New) -> Edits:
    return Edits(new("Round <half> up", call("edit_file", {"path": "a.py"}), started(), result({"path": "a.py"})))


def test_an_empty_history_teaches(reader: Client, home: models.Workspace) -> None:
    assert "Nothing has been changed yet." in reader.get("/history/").content.decode()
    assert "No agent has changed a file here." in reader.get(f"/history/{home.pk}/").content.decode()
    assert reader.get(f"/history/{home.pk}/a.py").status_code == 422


def test_changes_are_listed_by_workspace_and_file(reader: Client, edits: Edits) -> None:
    edits.write("src/a <b>.py", "x = 1\n")
    number = edits.write("src/a <b>.py", "x = 2\ny\n")
    for address in ("/history/", f"/history/{edits.session.workspace_id}/"):
        html = reader.get(address).content.decode()
        assert ("src/a &lt;b&gt;.py" in html and "2 versions" in html) or "billing" in html
        assert f'href="/changes/{number}/"' in html and "Round &lt;half&gt; up" in html
        assert not acts(html)


def test_a_file_shows_its_versions_and_the_diff_of_the_latest(reader: Client, edits: Edits) -> None:
    first = edits.write("a.py", "x = 1\n")
    second = edits.write("a.py", "x = 2\n")
    html = reader.get(f"/history/{edits.session.workspace_id}/a.py").content.decode()
    assert "2 versions, 1 session" in html and "edit_file: created" in html and "edit_file: changed" in html
    assert f'href="/changes/{second}/" aria-current="true"' in html
    assert '<mark><span class="n">2</span></mark>' in html
    older = reader.get(f"/changes/{first}/").content.decode()
    assert f'href="/changes/{first}/" aria-current="true"' in older and '<tr class="d">' not in older


def test_the_number_of_queries_does_not_grow(reader: Client, edits: Edits) -> None:
    counts = []
    for size in (2, 15):
        for number in range(size):
            edits.write(f"{size}-{number}.py", f"{number}\n")
        addresses = (
            "/history/",
            f"/history/{edits.session.workspace_id}/",
            f"/history/{edits.session.workspace_id}/2-0.py",
        )
        with CaptureQueriesContext(connection) as queries:
            for address in addresses:
                reader.get(address)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_plan_shows_what_would_come_back_before_it_does(person: Client, edits: Edits) -> None:
    edits.write("a.py", "x = 1\n")
    number = edits.write("a.py", "x = 2\n")
    html = person.get(f"/changes/{number}/plan").content.decode()
    assert "Take this back?" in html and "Restores" in html and f'hx-post="/changes/{number}/rollback"' in html
    assert 'class="d"' in html and 'class="a"' in html
    assert (edits.root / "a.py").read_text() == "x = 2\n"


def test_a_change_is_taken_back_and_put_back_again(person: Client, edits: Edits) -> None:
    edits.write("a.py", "x = 1\n")
    number = edits.write("a.py", "x = 2\n")
    answer = person.post(f"/changes/{number}/rollback")
    assert answer.status_code == 200 and "wb:rolled-back" in answer["HX-Trigger"]
    assert (edits.root / "a.py").read_text() == "x = 1\n"
    said = adapters.read_kind(edits.session.pk, RolledBack.kind)[-1].event
    assert isinstance(said, RolledBack) and said.version == number and not said.put_back
    html = person.get(f"/changes/{number}/").content.decode()
    assert "Taken back" in html and "v back" in html
    person.post(f"/changes/{said.new_version}/rollback")
    assert (edits.root / "a.py").read_text() == "x = 2\n"
    assert "v back" not in person.get(f"/changes/{number}/").content.decode().split(f'/changes/{number}/"')[0][-60:]
    assert adapters.read_kind(edits.session.pk, RolledBack.kind)[-1].event.put_back  # type: ignore[attr-defined]


def test_an_edit_in_the_middle_is_merged_out_of_later_ones(person: Client, edits: Edits) -> None:
    edits.write("a.txt", LINES)
    number = edits.write("a.txt", LINES.replace("line 5\n", "five\n"))
    edits.write("a.txt", LINES.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n"))
    assert "Merges" in person.get(f"/changes/{number}/plan").content.decode()
    person.post(f"/changes/{number}/rollback")
    assert (edits.root / "a.txt").read_text() == LINES.replace("line 30\n", "thirty\n")


def test_one_hunk_alone_is_taken_back(person: Client, edits: Edits) -> None:
    edits.write("a.txt", LINES)
    number = edits.write("a.txt", LINES.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n"))
    html = person.get(f"/changes/{number}/").content.decode()
    assert f'hx-get="/changes/{number}/plan?hunk=1"' in html
    assert 'name="hunk" value="1"' in person.get(f"/changes/{number}/plan?hunk=1").content.decode()
    person.post(f"/changes/{number}/rollback", {"hunk": "1"})
    assert (edits.root / "a.txt").read_text() == LINES.replace("line 5\n", "five\n")


def test_a_conflict_shows_the_three_texts_and_writes_nothing(person: Client, edits: Edits) -> None:
    edits.write("a.txt", LINES)
    number = edits.write("a.txt", LINES.replace("line 5\n", "five\n"))
    (edits.root / "a.txt").write_text(LINES.replace("line 5\n", "<b>Wei's</b>\n"))
    html = person.get(f"/changes/{number}/plan").content.decode()
    for said in (
        "Conflict",
        "Before the change",
        "On disk now",
        "What the change left",
        "someone else",
        "&lt;b&gt;Wei",
    ):
        assert said in html
    assert "Take it back</button>" not in html and not acts(html)
    answer = person.post(f"/changes/{number}/rollback")
    assert answer.status_code == 409
    assert "Wei's" in (edits.root / "a.txt").read_text()


def test_a_deleted_file_comes_back_only_when_somebody_says_so(person: Client, edits: Edits) -> None:
    edits.write("a.txt", "one\n")
    number = edits.write("a.txt", "two\n")
    (edits.root / "a.txt").unlink()
    html = person.get(f"/changes/{number}/plan").content.decode()
    assert 'name="recreate"' in html and "Take it back</button>" not in html
    assert "Take it back</button>" in person.get(f"/changes/{number}/plan?recreate=1").content.decode()
    assert person.post(f"/changes/{number}/rollback").status_code == 409
    person.post(f"/changes/{number}/rollback", {"recreate": "1"})
    assert (edits.root / "a.txt").read_text() == "one\n"


def test_what_was_taken_back_already_says_so(person: Client, edits: Edits) -> None:
    edits.write("a.txt", "one\n")
    number = edits.write("a.txt", "two\n")
    person.post(f"/changes/{number}/rollback")
    html = person.get(f"/changes/{number}/plan").content.decode()
    assert "Nothing to do" in html and "already been rolled back" in html


def test_binary_content_is_told_by_its_size(person: Client, edits: Edits) -> None:
    edits.write("a.bin", "text\n")
    place = edits.history.fence.resolve("a.bin")
    with edits.history.before(place) as pending:
        (edits.root / "a.bin").write_bytes(b"\x00\x01\x02" * 500)
        number = pending.done().id
    assert "Binary: 5 bytes → 1.5 KB" in person.get(f"/changes/{number}/").content.decode()


def test_content_that_is_gone_is_said(person: Client, edits: Edits) -> None:
    edits.write("a.txt", "one\n")
    number = edits.write("a.txt", "two\n")
    row = models.Version.objects.get(pk=number)
    models.Version.objects.filter(pk=number).update(before={**row.before, "stored": False})
    assert "was not kept" in person.get(f"/changes/{number}/").content.decode()


def test_unknown_changes_are_not_found(person: Client, home: models.Workspace) -> None:
    for path in ("", "plan"):
        assert person.get(f"/changes/99/{path}").status_code == 404
    assert person.post("/changes/99/rollback").status_code == 404
    assert person.get("/history/99/").status_code == 404
