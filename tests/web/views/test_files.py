"""Files: folders, any file page by page, and nothing outside the fence (R9, P1, U3)."""

import io
import os
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image

from tests.web.hostile import acts
from workbench.web import models


@pytest.fixture
def root(home: models.Workspace, workspace: Path) -> Path:
    (workspace / "src").mkdir()
    (workspace / "src" / "a.py").write_text("".join(f"x{n} = {n}\n" for n in range(1, 301)))
    (workspace / "notes.txt").write_text("hello\n")
    return workspace


def get(reader: Client, home: models.Workspace, path: str, **query: object) -> str:
    answer = reader.get(f"/files/{home.pk}/{path}", query)
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def test_workspaces_are_listed(reader: Client, home: models.Workspace) -> None:
    html = reader.get("/files/").content.decode()
    assert "billing" in html and "default" in html
    models.Workspace.objects.all().delete()
    assert "No workspace yet." in reader.get("/files/").content.decode()


def test_a_folder_lists_folders_first(reader: Client, home: models.Workspace, root: Path) -> None:
    html = get(reader, home, "")
    assert html.index("src") < html.index("notes.txt") and "6 bytes" in html
    (root / "empty").mkdir()
    assert "The folder is empty." in get(reader, home, "empty")


def test_changed_files_and_the_folders_above_them_are_marked(
    reader: Client, home: models.Workspace, root: Path
) -> None:
    session = models.Session.objects.create(workspace=home, model="demo")
    models.Version.objects.create(workspace=home, path="src/a.py", before={}, by="bash", status="done", session=session)
    for path in ("", "src"):
        assert get(reader, home, path).count("changed by an agent") == 1


def test_names_of_any_kind(reader: Client, home: models.Workspace, root: Path) -> None:
    for name in ("a <b>.txt", "[id]", "é ü.txt", "a#b?c%d.txt", "new\nline", "rtl\u202e.txt"):
        (root / name).write_text("here\n")
    (root / os.fsdecode(b"bad\xff.txt")).write_text("x")
    html = get(reader, home, "")
    assert not acts(html) and "\\u{202E}" in html and "\\u{A}" in html and "\\u{DCFF}" in html
    for name in ("a%20%3Cb%3E.txt", "%5Bid%5D", "a%23b%3Fc%25d.txt", "new%0Aline", "rtl%E2%80%AE.txt"):
        assert f'href="/files/{home.pk}/{name}"' in html
        assert "here" in reader.get(f"/files/{home.pk}/{name}").content.decode()


def test_a_file_is_shown_page_by_page(reader: Client, home: models.Workspace, root: Path) -> None:
    html = get(reader, home, "src/a.py")
    assert 'id="L1"' in html and 'id="L80"' in html and 'id="L81"' not in html and "of <b>300</b>" in html
    html = get(reader, home, "src/a.py", offset=80)
    assert 'id="L81"' in html and 'id="L160"' in html


def test_a_line_is_jumped_to_with_what_stands_around_it(reader: Client, home: models.Workspace, root: Path) -> None:
    html = get(reader, home, "src/a.py", line=200)
    assert '<tr id="L200" class="hit">' in html and 'id="L181"' in html
    assert 'id="L300"' in get(reader, home, "src/a.py", line=300)
    assert "No lines." in get(reader, home, "src/a.py", line=9000)


def test_a_page_in_a_long_string_is_coloured_as_one(reader: Client, home: models.Workspace, root: Path) -> None:
    (root / "doc.py").write_text('def f():\n    """Help\n' + "    import this\n" * 150 + '    """\n')
    assert '<span class="s">    import this</span>' in get(reader, home, "doc.py", offset=100)


def test_pages_come_alone_for_htmx(person: Client, home: models.Workspace, root: Path) -> None:
    html = get(person, home, "src/a.py", offset=80)
    assert "<html" not in html and html.lstrip().startswith('<div class="paged">')


def test_a_very_long_line_goes_on_in_the_next_page(reader: Client, home: models.Workspace, root: Path) -> None:
    (root / "long.txt").write_text("x" * 450_000 + "END\n")
    html = get(reader, home, "long.txt")
    assert "column=" in html
    assert "END" in get(reader, home, "long.txt", column=449_000)


def test_an_empty_file_has_no_lines(reader: Client, home: models.Workspace, root: Path) -> None:
    (root / "empty.txt").write_text("")
    assert "No lines." in get(reader, home, "empty.txt")


def test_a_picture_is_shown_as_one(reader: Client, home: models.Workspace, root: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (2, 2)).save(picture, "PNG")
    (root / "p.png").write_bytes(picture.getvalue())
    assert f'src="/raw/{home.pk}/p.png"' in get(reader, home, "p.png")
    answer = reader.get(f"/raw/{home.pk}/p.png")
    assert answer["Content-Type"] == "image/png" and "sandbox" in answer["Content-Security-Policy"]
    assert answer.content == picture.getvalue()


@pytest.mark.parametrize("name", ["x.svg", "x.html", "src/a.py", "x.pdf"])
def test_nothing_else_is_given_as_it_is(reader: Client, home: models.Workspace, root: Path, name: str) -> None:
    (root / "x.svg").write_text("<svg onload=evil()>")
    assert reader.get(f"/raw/{home.pk}/{name}").status_code == 422


def test_an_svg_is_text(reader: Client, home: models.Workspace, root: Path) -> None:
    (root / "x.svg").write_text("<svg onload=evil()><script>evil()</script></svg>")
    html = get(reader, home, "x.svg")
    assert not acts(html) and "onload" in html


def test_binary_content_says_what_it_is(reader: Client, home: models.Workspace, root: Path) -> None:
    (root / "a.bin").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
    assert "Not text." in get(reader, home, "a.bin")


@pytest.mark.parametrize("path", ["../secret", "link", "src/../../secret", "/etc/passwd", "missing.txt", "%00"])
def test_what_lies_outside_or_is_not_there_is_refused(
    reader: Client, home: models.Workspace, root: Path, path: str
) -> None:
    (root.parent / "secret").write_text("no")
    (root / "link").symlink_to(root.parent / "secret")
    answer = reader.get(f"/files/{home.pk}/{path}")
    assert answer.status_code in (404, 422) and "no</td>" not in answer.content.decode()


def test_a_device_is_not_opened(reader: Client, home: models.Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert reader.get(f"/files/{home.pk}/pipe").status_code == 422
    assert "pipe" in get(reader, home, "")


def test_a_workspace_that_vanished_says_so(reader: Client, home: models.Workspace, root: Path) -> None:
    models.Workspace.objects.filter(pk=home.pk).update(path="/no/such/folder")
    answer = reader.get(f"/files/{home.pk}/")
    assert answer.status_code == 422
    assert reader.get("/files/99/").status_code == 404
