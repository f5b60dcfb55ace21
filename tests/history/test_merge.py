"""Three-way merge: what it settles, what it refuses to guess, and that git agrees."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history.changes import lines_of
from workbench.history.merge import is_binary, merge

BASE = b"".join(b"line %d\n" % i for i in range(1, 21))


def swap(data: bytes, *pairs: tuple[bytes, bytes]) -> bytes:
    for old, new in pairs:
        assert data.count(old) == 1
        data = data.replace(old, new)
    return data


def test_nothing_happened_on_one_side_so_the_other_side_stands() -> None:
    other = swap(BASE, (b"line 3\n", b"three\n"))
    assert merge(BASE, BASE, other).data == other
    assert merge(BASE, other, BASE).data == other
    assert merge(BASE, other, other).data == other


def test_changes_in_different_places_are_both_kept() -> None:
    theirs = swap(BASE, (b"line 3\n", b"three\n"))
    mine = swap(BASE, (b"line 17\n", b"17\nand more\n"))
    assert merge(BASE, theirs, mine).data == swap(theirs, (b"line 17\n", b"17\nand more\n"))


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ((b"line 10\n", b"ten\n"), (b"line 10\n", b"TEN\n")),
        ((b"line 10\n", b"ten\n"), (b"line 11\n", b"eleven\n")),
        ((b"line 10\n", b""), (b"line 10\n", b"line 10\nmine\n")),
        ((b"line 10\n", b"line 10\na\n"), (b"line 10\n", b"line 10\nb\n")),
        ((b"line 20\n", b"line 20"), (b"line 20\n", b"line 20\nline 21\n")),
        ((b"line 10\n", b"line 10\r\n"), (b"line 10\n", b"ten\n")),
    ],
    ids=["same line", "adjacent lines", "insert after a deleted line", "two inserts", "last newline", "line end"],
)
def test_changes_that_touch_are_a_conflict_with_the_three_texts(
    theirs: tuple[bytes, bytes], mine: tuple[bytes, bytes]
) -> None:
    found = merge(BASE, swap(BASE, theirs), swap(BASE, mine))
    assert found.data is None
    (conflict,) = found.conflicts
    assert conflict.base in BASE
    assert conflict.theirs != conflict.mine


def test_a_conflict_names_the_lines_of_each_side() -> None:
    theirs = swap(BASE, (b"line 2\n", b""), (b"line 10\n", b"ten\n"))
    mine = swap(BASE, (b"line 5\n", b"5\n5b\n5c\n"), (b"line 10\n", b"TEN\n"))
    (conflict,) = merge(BASE, theirs, mine).conflicts
    assert (conflict.base, conflict.theirs, conflict.mine) == (b"line 10\n", b"ten\n", b"TEN\n")
    assert (conflict.base_line, conflict.theirs_line, conflict.mine_line) == (10, 9, 12)


def test_the_same_change_on_both_sides_is_taken_once() -> None:
    theirs = swap(BASE, (b"line 4\n", b"four\n"), (b"line 9\n", b"nine\n"))
    mine = swap(BASE, (b"line 4\n", b"four\n"))
    assert merge(BASE, theirs, mine).data == theirs


def test_no_newline_at_the_end_survives() -> None:
    base = b"a\nb\nc\nd"
    assert merge(base, b"A\nb\nc\nd", b"a\nb\nc\nD").data is not None
    assert merge(base, b"A\nb\nc\nd", b"a\nb\nc\nD").data == b"A\nb\nc\nD"


def test_bytes_of_no_encoding_survive() -> None:
    base = b"\xff\xfe\x80"[2:] + b"\nx\ny\n\xc3\x28\n"
    assert merge(base, base.replace(b"x", b"X"), base + b"\xe9\n").data == base.replace(b"x", b"X") + b"\xe9\n"


def test_binary_contents_are_never_merged() -> None:
    png = b"\x89PNG\0\0" + bytes(range(256)) * 4
    found = merge(png, png + b"\n1", b"\n2" + png)
    assert found.binary
    assert found.data is None
    assert is_binary(png)
    assert merge(png, png, png + b"x").data == png + b"x"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_wide_encodings_are_merged_by_their_text(codec: str) -> None:
    """U+0A0A holds two bytes 0x0A and ends no line."""
    base = "\ufeffਊ one\nਊ two\n\n\n\nਊ three\n"
    theirs, mine = base.replace("one", "1"), base.replace("three", "਀3")
    found = merge(*(t.encode(codec) for t in (base, theirs, mine)))
    assert found.data == theirs.replace("three", "਀3").encode(codec)


LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\n", b"e\r\n"])
TEXT = st.lists(LINE, max_size=12).map(b"".join)
TAIL = st.sampled_from([b"", b"", b"x", b"\r"])
CONTENT = st.builds(lambda a, b: a + b, TEXT, TAIL)


@given(CONTENT, CONTENT, CONTENT)
@settings(deadline=None)
def test_merge_is_symmetric(base: bytes, theirs: bytes, mine: bytes) -> None:
    one, other = merge(base, theirs, mine), merge(base, mine, theirs)
    assert one.data == other.data
    assert [(c.base, c.theirs, c.mine) for c in one.conflicts] == [(c.base, c.mine, c.theirs) for c in other.conflicts]


@given(CONTENT, CONTENT)
@settings(deadline=None)
def test_merge_with_an_unchanged_side_is_the_other_side(base: bytes, other: bytes) -> None:
    assert merge(base, base, other).data == other
    assert merge(base, other, base).data == other
    assert merge(base, other, other).data == other


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[list[bytes], dict[int, bytes], dict[int, bytes]]:
    """Unique lines, and edits of the two sides that lie at least one line apart."""
    n = draw(st.integers(1, 40))
    lines = [b"%d\n" % i for i in range(n)]
    owners = draw(st.lists(st.sampled_from("-ab"), min_size=n, max_size=n))
    for i in range(1, n):
        if owners[i] != "-" and owners[i - 1] not in ("-", owners[i]):
            owners[i] = "-"
    new = draw(st.lists(st.sampled_from([b"", b"new\n", b"two\nlines\n"]), min_size=n, max_size=n))
    return lines, *({i: new[i] for i in range(n) if owners[i] == side} for side in "ab")


@given(disjoint())
@settings(max_examples=300, deadline=None)
def test_disjoint_edits_merge_to_both(drawn: tuple[list[bytes], dict[int, bytes], dict[int, bytes]]) -> None:
    lines, a, b = drawn

    def made(*edits: dict[int, bytes]) -> bytes:
        edit = {k: v for e in edits for k, v in e.items()}
        return b"".join(edit.get(i, line) for i, line in enumerate(lines))

    found = merge(made(), made(a), made(b))
    assert found.data == made(a, b)


@given(CONTENT, CONTENT, CONTENT)
@settings(deadline=None)
def test_no_line_is_made_up_and_no_line_of_mine_is_lost(base: bytes, theirs: bytes, mine: bytes) -> None:
    found = merge(base, theirs, mine)
    if found.data is None:
        return
    known = set(lines_of(base)) | set(lines_of(theirs)) | set(lines_of(mine))
    assert set(lines_of(found.data)) <= known
    for line in set(lines_of(mine)) - set(lines_of(base)):
        assert found.data.count(line) >= 1


def test_git_merge_file_agrees_on_what_is_clean(tmp_path: Path, rounds) -> None:  # type: ignore[no-untyped-def]
    files = [tmp_path / n for n in ("mine", "base", "theirs")]

    @settings(max_examples=rounds(2000), deadline=None)
    @given(CONTENT, CONTENT, CONTENT)
    def check(base: bytes, theirs: bytes, mine: bytes) -> None:
        for file, data in zip(files, (mine, base, theirs), strict=True):
            file.write_bytes(data)
        git = subprocess.run(["git", "merge-file", "-p", "-q", *files], capture_output=True)
        found = merge(base, theirs, mine)
        if git.returncode == 0:
            assert found.data == git.stdout
        elif found.data is not None:
            raise AssertionError(f"git sees {git.returncode} conflicts: {git.stdout!r}")

    check()
