"""What a search found."""

import pytest

from tests.web.hostile import PAYLOADS, acts
from workbench.web.templatetags.found import found_lines, marked, paths_of

CONTENT = "a.py-1- import os\na.py:2: round(x)\n--\nb:3.py:40: round(y) + round(z)\nodd line"


def test_lines_are_grouped_by_file() -> None:
    files = found_lines({"content": CONTENT}, r"round\(")
    assert [(f.path, [(line.number, line.matches) for line in f.lines]) for f in files] == [
        ("a.py", [(1, False), (2, True)]),
        ("b:3.py", [(40, True)]),
    ]


def test_every_match_is_marked() -> None:
    files = found_lines({"content": CONTENT}, r"round\(")
    assert files[1].lines[0].html == "<mark>round(</mark>y) + <mark>round(</mark>z)"
    assert files[0].lines[0].html == "import os"


def test_an_expression_that_matches_nothing_or_is_none_marks_nothing() -> None:
    assert marked("abc", "x*") == marked("abc", "(") == marked("abc", "") == "abc"
    assert marked("a<b", "<") == "a<mark>&lt;</mark>b"


def test_the_other_modes_give_paths() -> None:
    assert paths_of({"files": ["a", "b"]}) == [("a", ""), ("b", "")]
    assert paths_of({"counts": {"a": 3}, "files": 1}) == [("a", 3)]
    assert paths_of({"files": 2}) == []
    assert found_lines({}, None) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_line_acts(payload: str) -> None:
    files = found_lines({"content": f"a:1: {payload}"}, "evil|.")
    assert not acts("".join(line.html for file in files for line in file.lines))
