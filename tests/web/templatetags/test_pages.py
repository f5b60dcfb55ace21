"""Pages of files: what the model saw, and the file as it is now."""

from pathlib import Path

from workbench.files.fence import Fence
from workbench.files.page import read
from workbench.web.templatetags.pages import address, encoded, page_of_file, page_of_result

RESULT = {
    "path": "a.py",
    "total_lines": 300,
    "offset": 80,
    "limit": 2,
    "content": "    81| x = 1\n    82| y",
    "encoding": "utf-8",
    "eol": "crlf",
    "next": {"offset": 82, "column": 5},
}


def test_a_result_is_a_page_with_the_pages_around_it() -> None:
    page = page_of_result(RESULT, {"path": "a.py"}, "s1")
    assert (page.first, page.last, page.total, page.facts) == (81, 82, 300, ("UTF-8, CRLF",))
    assert 'data-n="81"' in page.rows and "id=" not in page.rows
    assert page.previous == "/sessions/s1/page?path=a.py&limit=80"
    assert page.next == "/sessions/s1/page?path=a.py&offset=82&column=5"


def test_the_first_and_the_last_page_lead_nowhere() -> None:
    page = page_of_result({**RESULT, "offset": 0, "next": None}, {}, "s1")
    assert (page.previous, page.next) == ("", "")


def test_what_a_reader_must_know_is_said() -> None:
    assert page_of_result({**RESULT, "lossy": True}, {}, "s").warnings[0].startswith("Some bytes")
    assert page_of_result({**RESULT, "warning": "odd", "note": "cut"}, {}, "s").warnings == ("odd", "cut")


def test_an_empty_result_has_no_lines() -> None:
    page = page_of_result({"path": "a", "content": "", "total_lines": 0}, {}, "s")
    assert (page.first, page.last, page.rows) == (0, 0, "")


def test_any_page_of_a_file_with_its_anchors(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(f"x{n} = {n}\n" for n in range(1, 201)))
    page = page_of_file(read(Fence(tmp_path), "a.py", offset=100), "/f", anchors=True, hit=120)
    assert (page.first, page.last, page.total) == (101, 180, 200)
    assert '<tr id="L120" class="hit">' in page.rows
    assert (page.previous, page.next) == ("/f?path=a.py&offset=20&limit=80", "/f?path=a.py&offset=180")


def test_addresses_hold_any_name() -> None:
    assert address("/f", "a b&c=<d>/é") == "/f?path=a+b%26c%3D%3Cd%3E%2F%C3%A9"
    assert encoded("utf-16le", "none") == "UTF-16LE"
    assert encoded(None) == ""
