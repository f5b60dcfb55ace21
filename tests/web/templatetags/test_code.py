"""Source text, highlighted line by line."""

import pytest

from tests.web.hostile import PAYLOADS, acts
from workbench.web.templatetags.code import LONGEST, code_lines, code_rows, highlighted, split_numbered


def test_the_lexer_comes_from_the_name() -> None:
    assert code_lines("import os", "a.py") == ['<span class="k">import</span> os']
    assert code_lines("import os", "a.unknown") == ["import os"]
    assert '<span class="k">' in code_lines("const a = 1", "x/y.js")[0]


def test_a_script_without_a_suffix_is_known_by_its_first_line() -> None:
    lines = code_lines("#!/usr/bin/env python3\nimport os", "tool")
    assert '<span class="k">import</span>' in lines[1]


def test_there_are_as_many_lines_as_in_the_text() -> None:
    for text in ("", "a", "a\n", "\n\n", '"""\n\n"""\n', "x = '''a\nb\nc'''"):
        assert len(code_lines(text, "a.py")) == text.count("\n") + 1, text


def test_a_string_over_lines_is_coloured_in_each_of_them() -> None:
    lines = code_lines('"""one\ntwo\nthree"""', "a.py")
    assert all(line.startswith('<span class="s">') for line in lines)


def test_a_page_that_starts_in_a_string_is_lexed_with_the_lines_before() -> None:
    before = 'def f():\n    """Help:\n'
    lines = code_lines('    import nothing\n    """\n    import os\n', "a.py", before=before)
    assert lines[0] == '<span class="s">    import nothing</span>'
    assert '<span class="k">import</span>' in lines[2]


def test_without_them_the_page_itself_tells() -> None:
    assert code_lines('the end of it."""\nx = 1', "a.py")[0].startswith('<span class="s">')
    assert code_lines("end of comment */ int x;", "a.c")[0].startswith('<span class="cm">')
    assert code_lines('x = """a"""\ny = 2', "a.py")[0].startswith("x = ")


def test_a_very_long_page_stays_plain() -> None:
    assert code_lines("import os\n" + "x" * LONGEST, "a.py")[0] == "import os"


def test_rows_carry_their_numbers_outside_the_text() -> None:
    html = code_rows("a\nb", "t.txt", [40, 41], anchors=True, hits=(41,))
    assert html == (
        '<tr id="L40"><td class="ln" data-n="40"></td><td>a</td></tr>'
        '<tr id="L41" class="hit"><td class="ln" data-n="41"></td><td>b</td></tr>'
    )
    assert 'id="' not in code_rows("a", "t.txt", [1])


def test_numbered_content_is_split() -> None:
    assert split_numbered("     9| a\n    10|     b\n    11| ", 8) == ([9, 10, 11], ["a", "    b", ""])
    assert split_numbered("a\n3| b\n", 8) == ([9, 10], ["a", "3| b"])
    assert split_numbered("", 0) == ([], [])


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("path", ["a.py", "a.html", "a.md", "a", "evil.<script>"])
def test_no_code_acts(payload: str, path: str) -> None:
    assert not acts(code_rows(payload, path, range(1, 99)))
    assert not acts(highlighted(payload, payload[:20]))
