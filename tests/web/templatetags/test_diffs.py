"""Diffs as rows: parsed from a result's text or made anew, highlighted, words marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.hostile import PAYLOADS, acts
from workbench.history.diff import diff
from workbench.history.patch import unified as as_text
from workbench.web.templatetags.diffs import diff_rows, parse, replaced, unified

TEXT = """--- a/billing/invoice.py
+++ b/billing/invoice.py
@@ -38,3 +38,3 @@ def vat
 def vat(net, rate):
-    return round(net * rate, 2)
+    return round(net * rate, 3)
\\ No newline at end of file
"""


def test_a_unified_diff_is_read() -> None:
    found = parse(TEXT)
    assert (found.old_path, found.new_path, found.added, found.removed) == ("billing/invoice.py",) * 2 + (1, 1)
    rows = found.hunks[0].rows
    assert [(row.kind, row.old_no, row.new_no) for row in rows] == [(" ", 38, 38), ("-", 39, None), ("+", None, 39)]
    assert rows[2].eol == "" and found.hunks[0].section == "def vat"


def test_words_that_changed_are_marked() -> None:
    html = diff_rows(parse(TEXT))
    assert '<mark><span class="n">2</span></mark>' in html and '<mark><span class="n">3</span></mark>' in html
    assert '<span class="k">return</span>' in html
    assert "no line end" in html


def test_added_and_removed_are_said_in_words_too() -> None:
    html = diff_rows(parse(TEXT))
    assert html.count('<span class="sr">added </span>') == html.count('<span class="sr">removed </span>') == 1


def test_the_indent_stands_outside_what_is_struck_through() -> None:
    assert '<td class="c">    <span class="tx">' in diff_rows(parse(TEXT))


def test_lines_that_look_like_heads_or_odd_line_ends_stay_text() -> None:
    old, new = b"--- a\n+++ b\nx\x0cy\nz\r\n", b"--- a\n+++ c\nx\x0cy\nz\n"
    found = parse(as_text(old, new, "odd.txt"))
    assert (found.added, found.removed) == (2, 2)
    assert [row.text for row in found.hunks[0].rows if row.kind == "-"] == ["+++ b", "z"]


def test_what_is_cut_is_said() -> None:
    assert parse(TEXT + "[… 12 more lines of this diff are not shown …]\n").cut.startswith("[… 12 more")


def test_nothing_gives_nothing() -> None:
    assert unified(None).hunks == () and diff_rows(unified("")) == ""
    assert parse("Binary file x changed: 1 -> 2 bytes.\n").hunks == ()


def test_a_new_file_has_only_added_rows() -> None:
    found = replaced("a.py", "", "one\ntwo\n")
    assert (found.added, found.removed) == (2, 0)
    assert 'class="d"' not in diff_rows(found)


def test_the_whole_of_an_edit_is_shown_however_long() -> None:
    old = "".join(f"line {n}\n" for n in range(500))
    html = diff_rows(replaced("a.txt", old, old.replace("line 250\n", "changed\n")))
    assert html.count("<tr") == 500 + 1 + 1


@given(st.lists(st.sampled_from("abc \t"), max_size=12), st.lists(st.sampled_from("abc \t"), max_size=12))
def test_the_text_of_every_line_is_there_once(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new)
    found = diff(before.encode(), after.encode(), old_path="x.py", new_path="x.py", context=99)
    cells = re.findall(r'<td class="c">(.*?)</td>', diff_rows(found))
    texts = [re.sub(r'<small class="nt">.*?</small>|<[^>]+>', "", cell) for cell in cells]
    assert [t.rstrip(" ") for t in texts] == [row.text.rstrip(" ") for hunk in found.hunks for row in hunk.rows]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_diff_acts(payload: str) -> None:
    text = f"--- a/{payload}\n+++ b/{payload}\n@@ -1,2 +1,2 @@ {payload}\n-{payload}\n+{payload} more\n {payload}\n"
    assert not acts(diff_rows(parse(text)))
    assert not acts(diff_rows(replaced(payload, payload, f"{payload}\n{payload}")))
