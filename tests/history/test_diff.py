"""What a person sees of a change: hunks, words, line ends, encodings, modes."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history import diff as module
from workbench.history.diff import Diff, Row, context_rows, diff, with_words

LINES = b"".join(b"line %d\n" % i for i in range(1, 101))


def rows(d: Diff) -> list[str]:
    return [row.kind + row.text for hunk in d.hunks for row in hunk.rows]


def marked(row: Row) -> list[str]:
    return [row.text[a:b] for a, b in row.marks]


def test_equal_contents_have_no_hunks() -> None:
    d = diff(LINES, LINES, old_path="a", new_path="a")
    assert (d.hunks, d.added, d.removed, d.old_lines) == ((), 0, 0, 100)


def test_a_changed_line_with_its_context_and_numbers() -> None:
    d = diff(LINES, LINES.replace(b"line 50\n", b"line fifty\n"))
    (hunk,) = d.hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (47, 7, 47, 7)
    assert [(r.kind, r.old_no, r.new_no) for r in hunk.rows][2:6] == [
        (" ", 49, 49), ("-", 50, None), ("+", None, 50), (" ", 51, 51)
    ]  # fmt: skip
    assert (d.added, d.removed) == (1, 1)
    assert [marked(r) for r in hunk.rows if r.marks] == [["50"], ["fifty"]]


def test_changes_far_apart_are_two_hunks_and_near_ones_share_one() -> None:
    def change(*numbers: int) -> bytes:
        data = LINES
        for n in numbers:
            data = data.replace(b"line %d\n" % n, b"x\n")
        return data

    assert len(diff(LINES, change(20, 27)).hunks) == 1
    assert len(diff(LINES, change(20, 28)).hunks) == 2


def test_a_file_that_is_made_or_gone() -> None:
    made = diff(b"", b"a\nb\n", new_path="f")
    assert [(h.old_start, h.old_lines, h.new_start, h.new_lines) for h in made.hunks] == [(0, 0, 1, 2)]
    assert rows(made) == ["+a", "+b"]
    assert rows(diff(b"a\nb\n", b"", old_path="f")) == ["-a", "-b"]


def test_the_section_is_the_definition_above() -> None:
    code = b"def one():\n" + b"    x = 1\n" * 20 + b"\nclass Two:\n" + b"    y = 2\n" * 20
    (hunk,) = diff(code, code[: -len(b"    y = 2\n")] + b"    y = 3\n").hunks
    assert hunk.section == "class Two:"


def test_a_missing_newline_at_the_end_is_seen() -> None:
    d = diff(b"a\nb", b"a\nb\n")
    assert [(r.kind, r.text, r.eol, r.note) for h in d.hunks for r in h.rows] == [
        (" ", "a", "\n", ""), ("-", "b", "", "eol"), ("+", "b", "\n", "eol")
    ]  # fmt: skip


def test_all_line_ends_changed_is_told_once() -> None:
    d = diff(LINES, LINES.replace(b"\n", b"\r\n").replace(b"line 5\r", b"five\r"))
    assert d.eol_change == "LF → CRLF"
    assert [r for r in rows(d) if r[0] != " "] == ["-line 5", "+five"]
    assert diff(LINES, LINES.replace(b"\n", b"\r\n")).hunks == ()


def test_one_line_end_changed_is_a_row() -> None:
    d = diff(b"a\nb\n", b"a\r\nb\n")
    assert [(r.kind, r.eol, r.note) for h in d.hunks for r in h.rows if r.kind != " "] == [
        ("-", "\n", "eol"), ("+", "\r\n", "eol")
    ]  # fmt: skip


def test_only_lf_and_crlf_end_a_line() -> None:
    odd = "a\rb\x0cc\x85d\u2028e\n".encode()
    (hunk,) = diff(odd, odd.replace(b"e", b"E")).hunks
    assert [r.kind for r in hunk.rows] == ["-", "+"]
    assert hunk.rows[0].text == "a\rb\x0cc\x85d\u2028e"


def test_whitespace_only_changes_say_so() -> None:
    d = diff(b"if x:\n    y()\nz\n", b"if x:\n        y()\nz\n")
    assert d.whitespace_only
    assert [r.note for h in d.hunks for r in h.rows if r.kind != " "] == ["whitespace", "whitespace"]
    assert not diff(b"a b\n", b"a c\n").whitespace_only


def test_moved_lines_say_so() -> None:
    block = b"def helper(value):\n    return value * 2 + offset\n"
    d = diff(block + LINES, LINES + block)
    assert [r.note for h in d.hunks for r in h.rows if r.kind != " "] == ["moved"] * 4


def test_binary_is_told_by_sizes() -> None:
    d = diff(b"\x89PNG\r\n\x1a\n\0\0\0", b"\x89PNG\r\n\x1a\n\0\0\0\0", old_path="a.png", new_path="a.png")
    assert (d.binary, d.old_size, d.new_size, d.hunks) == (True, 11, 12, ())


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("中文一行\n", "中文二行\n", ("gb18030", "gb18030")),
        ("中文内容，这是一个测试文件。\n", "中文内容，这是一个测试文件。\n", ("gb18030", "utf-8")),
        ("\ufeffa\nb\n", "\ufeffa\nc\n", ("utf-16-le", "utf-16-le")),
    ],
)
def test_text_is_decoded_by_its_encoding(old: str, new: str, change: tuple[str, str]) -> None:
    d = diff(old.encode(change[0]), new.encode(change[1]))
    if change[0] == change[1]:
        assert rows(d)[-1] == "+" + new.rstrip("\n").split("\n")[-1].lstrip("\ufeff")
        assert d.encoding_change == ""
    else:
        assert d.hunks == ()
        assert d.encoding_change == "gb18030 → utf-8"


def test_a_bom_that_comes_or_goes_is_told() -> None:
    assert diff(b"a\n", b"\xef\xbb\xbfa\n").encoding_change == "BOM added"


def test_undecodable_bytes_show_as_replacement_characters() -> None:
    d = diff(b"ok\n\xff\xfe\xfa one\n"[:3] + b"\xc3( one\n", b"ok\n\xc3( two\n")
    assert all(r.text.encode() for h in d.hunks for r in h.rows)


def test_mode_changes_are_kept_only_when_they_differ() -> None:
    d = diff(b"a\n", b"a\n", old_mode=0o644, new_mode=0o755)
    assert (d.old_mode, d.new_mode) == (0o644, 0o755)
    assert diff(b"a\n", b"a\n", old_mode=0o644, new_mode=0o644).old_mode is None
    assert diff(b"", b"a\n", old_mode=0, new_mode=0o644).new_mode is None


def test_context_between_hunks_can_be_expanded() -> None:
    new = b"new\n" + LINES.replace(b"line 50\n", b"fifty\n")
    found = context_rows(LINES, new, 40, 60)
    assert [(r.old_no, r.new_no) for r in found[:2]] == [(39, 40), (40, 41)]
    assert 51 not in [r.new_no for r in found]
    assert len(found) == 20
    assert [r.text for r in context_rows(LINES, new, 99, 400)] == ["line 98", "line 99", "line 100"]


def test_a_large_diff_marks_words_first_where_one_looks_first() -> None:
    old = b"".join(b"value %d = one\n" % i for i in range(5000))
    d = diff(old, old.replace(b"one", b"two"))
    assert len(d.hunks) == 1
    spread = b"".join(b"value %d = one\n" % i + b"same\n" * 10 for i in range(800))
    d = diff(spread, spread.replace(b"one", b"two"))
    assert len(d.hunks) == 800
    assert any(r.marks for r in d.hunks[0].rows)
    assert not any(r.marks for r in d.hunks[-1].rows)
    assert [marked(r) for r in with_words(d.hunks[-1]).rows if r.marks] == [["one"], ["two"]]


def test_what_is_too_hard_or_too_large_is_said(monkeypatch) -> None:
    monkeypatch.setattr(module, "ROWS", 10)
    old = b"".join(b"%d\n" % i + b"same\n" * 10 for i in range(50))
    d = diff(old, old.replace(b"1\n", b"x\n"))
    assert "more changed places are not shown" in d.cut


LINE = st.sampled_from(["a", "b", "c d", "  c d", "", "e\r"])
TEXT = st.tuples(st.lists(LINE, max_size=15), st.booleans()).map(
    lambda t: ("\n".join(t[0]) + ("\n" if t[0] and t[1] else "")).encode()
)


@given(TEXT, TEXT, st.integers(0, 4))
@settings(deadline=None)
def test_rows_give_both_sides_back(old: bytes, new: bytes, context: int) -> None:
    d = diff(old, new, context=context)
    if d.eol_change:
        return
    for side, data in (("-", old), ("+", new)):
        lines = data.decode().split("\n")
        for hunk in d.hunks:
            for row in hunk.rows:
                number = row.old_no if side == "-" else row.new_no
                if row.kind in (" ", side):
                    assert number is not None
                    assert row.text + (row.eol.replace("\n", "")) == lines[number - 1]
                for a, b in row.marks:
                    assert 0 <= a < b <= len(row.text)
    assert bool(d.hunks) == (old != new)


@given(TEXT, TEXT)
@settings(deadline=None)
def test_as_few_lines_change_as_pythons_own_diff_finds(old: bytes, new: bytes) -> None:
    """Not fewer than the shortest edit script allows, and not many more than difflib needs."""
    d = diff(old, new)
    if d.eol_change:
        return
    a, b = old.decode().splitlines(keepends=True), new.decode().splitlines(keepends=True)
    ours = d.added + d.removed
    theirs = sum(1 for line in difflib.ndiff(a, b) if line[0] in "+-")
    assert ours <= theirs + 6
