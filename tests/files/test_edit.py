"""Edits of bytes: what is not changed is copied, and an edit can be taken back."""

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.files.decode import decode
from workbench.files.edit import composed, edit
from workbench.files.seen import Change


def run(data: bytes, old: str, new: str, *, encoding: str | None = None, replace_all: bool = False) -> bytes:
    return edit(data, decode(data, encoding), old, new, replace_all=replace_all).data


def refusal(data: bytes, old: str, new: str, *, encoding: str | None = None) -> Refused:
    with pytest.raises(Refused) as e:
        run(data, old, new, encoding=encoding)
    return e.value


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), [("a", "a"), ("a\r\nb", "a\nb"), ("x", "x")])
def test_nothing_to_change_is_said_first(old: str, new: str) -> None:
    """E1"""
    assert refusal(b"a\nb\n", old, new).code == "noop"


def test_a_tolerance_that_would_change_nothing_is_a_noop() -> None:
    assert refusal("“a”\n".encode(), '"a"', "“a”").code == "noop"


def test_every_place_counts_also_overlapping_ones() -> None:
    """E1"""
    found = refusal(b"aaa\nb\naa\n", "aa", "b")
    assert (found.code, found.facts["count"], found.facts["lines"]) == ("ambiguous", 3, [1, 1, 3])
    many = refusal(b"x\n" * 1000, "x", "y")
    assert many.facts["count"] == 1000
    assert many.facts["lines"] == list(range(1, 21))
    assert "…" in many.message


def test_a_count_that_would_take_too_long_says_at_least() -> None:
    start = time.monotonic()
    found = refusal(b"a" * 400_000, "a" * 200_000, "b")
    assert time.monotonic() - start < 10
    assert found.facts["count_is_at_least"] is True
    assert "at least" in found.message


def test_ambiguity_within_a_tolerance_names_it() -> None:
    found = refusal("“a”\n“a”\n".encode(), '"a"', "b")
    assert (found.code, found.facts["tolerance"]) == ("ambiguous", "quotes")


def test_two_tolerances_are_never_combined() -> None:
    """E2"""
    assert refusal("say “x”  \nend\n".encode(), 'say "x"\nend', "y").code == "not_found"


def test_what_the_encoding_does_not_have_is_refused_by_name() -> None:
    found = refusal("名=1\n".encode("big5"), "1", "🙂", encoding="big5")
    assert found.code == "unencodable"
    assert "U+1F642" in found.message
    for half in ("\ud83d", "\udc80"):
        assert refusal(b"a\n", "a", half).code == "unencodable"


def test_an_encoding_that_may_be_wrong_is_mentioned() -> None:
    assert "another encoding" in refusal(b"caf\xe9 \xff\xfe\n", "café", "tea").message
    assert "another encoding" not in refusal("café\n".encode(), "caff", "tea").message


def test_half_a_unit_of_utf_16_is_refused() -> None:
    data = b"\xff\xfe" + "abc".encode("utf-16le") + b"A"
    assert refusal(data, "abc", "x").code == "undecodable"


def test_a_stray_lead_byte_does_not_swallow_what_now_follows_it() -> None:
    """E3: in GBK 0x81 followed by a letter is one character."""
    data = "文字\n".encode("gb18030") + b"\x81\nend\n"
    assert refusal(data, "\nend", "end", encoding="gb18030").code == "undecodable"
    assert run(data, "end", "END", encoding="gb18030") == data.replace(b"end", b"END")


# --- what stays ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\nc\r\n", "b", "x\ny", b"a\r\nx\ny\nc\r\n"),
        (b"a\nb\r\nc", "c", "c\nd", b"a\nb\r\nc\r\nd"),
        (b"a", "a", "b\nc", b"b\nc"),
        (b"a\r\r\nb\r\n", "a\r\n", "A\r\n", b"A\r\r\nb\r\n"),
        (b"x\xff\r\ny\r\n", "y", "z\nz", b"x\xff\r\nz\r\nz\r\n"),
    ],
)
def test_line_breaks_take_the_kind_of_the_place(data: bytes, old: str, new: str, after: bytes) -> None:
    """E3"""
    assert run(data, old, new) == after


def test_the_lines_that_change_are_told_in_old_numbers() -> None:
    """S4"""
    data = b"1\n2\n3\n4\n5\n"
    changes = edit(data, decode(data), "2\n3\n", "x\n").changes
    assert changes == (Change(1, 2, 1),)
    changes = edit(data, decode(data), "\n", "\n\n", replace_all=True).changes
    assert changes == tuple(Change(n, 1, 2) for n in range(5))
    assert edit(b"a\nb", decode(b"a\nb"), "\nb", "").changes == (Change(0, 2, 1),)
    assert edit(b"b", decode(b"b"), "b", "b\n").changes == (Change(0, 1, 1),)


ENCODINGS = {
    "utf-8": "äß€漢🎉“”‘’",
    "utf-16le": "äß€漢🎉",
    "utf-16be": "äß€漢🎉",
    "utf-32le": "ä漢🎉",
    "gb18030": "汉字ä€🎉㐀",
    "shift_jis": "漢字ソ表ｱ",
    "big5": "漢字功許",
    "latin-1": "äßÿ",
    "cp1251": "тест",
    "euc_kr": "한글",
}
BOMS = {"utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff", "utf-32le": b"\xff\xfe\0\0"}


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, str, str]:
    """(bytes, encoding, text) of a file with some line ends, a BOM or none, and perhaps bytes that do not decode."""
    encoding = draw(st.sampled_from(sorted(ENCODINGS)))
    letters = "ab\\\"' \t\x0b\u2028" if encoding in ("utf-8", "utf-16le") else "ab\\\"' \t"
    breaks = draw(st.sampled_from(["\n", "\r\n", "mixed"]))
    pieces = draw(st.lists(st.text(alphabet=letters + ENCODINGS[encoding], max_size=8), max_size=8))
    ends = [draw(st.sampled_from(["\n", "\r\n"])) if breaks == "mixed" else breaks for _ in pieces[1:]]
    text = "".join(piece + end for piece, end in zip(pieces, [*ends, ""], strict=False))
    data = BOMS.get(encoding, b"") + text.encode(encoding)
    if encoding == "utf-8":
        if draw(st.booleans()):
            at = len(text[: draw(st.integers(0, len(text)))].encode())
            data = data[:at] + b"\xff\xc0" + data[at:]
        if draw(st.booleans()):
            data = b"\xef\xbb\xbf" + data
    return data, encoding, text


@settings(max_examples=300)
@given(files(), st.data())
def test_an_edit_and_its_inverse_give_the_same_bytes(file: tuple[bytes, str, str], draw: st.DataObject) -> None:
    """E1, E3: whatever the encoding, the line ends, the BOM and the bytes around."""
    data, encoding, _ = file
    decoded = decode(data, encoding)
    view = decoded.text.replace("\r\n", "\n")
    assume(view)
    start = draw.draw(st.integers(0, len(view) - 1))
    old = view[start : draw.draw(st.integers(start + 1, len(view)))]
    new = draw.draw(st.text(alphabet="xyz \n" + ENCODINGS[encoding], max_size=6))
    assume(new and old != new and "\r" not in old and not any("\udc00" <= c <= "\udfff" for c in old))
    uniform = decoded.text.count("\r\n") in (0, decoded.text.count("\n"))
    assume(uniform or ("\n" not in old and "\n" not in new))
    try:
        there = edit(data, decoded, old, new)
    except Refused as e:
        assert e.code == "ambiguous"
        return
    after = there.decoded.text.replace("\r\n", "\n")
    assert after == view[: (at := view.index(old))] + new + view[at + len(old) :]
    assume("\n" in after or "\n" not in old or "\r" not in decoded.text)
    try:
        back = edit(there.data, decode(there.data, encoding), new, old)
    except Refused as e:
        assert e.code == "ambiguous"
        return
    assert back.data == data


@given(files(), st.data())
def test_bytes_outside_the_middle_are_copied(file: tuple[bytes, str, str], draw: st.DataObject) -> None:
    """E3"""
    data, encoding, text = file
    word = draw.draw(st.sampled_from(["a", "b", ENCODINGS[encoding][0]]))
    assume(word in text)
    decoded = decode(data, encoding)
    made = edit(data, decoded, word, "Z", replace_all=True)
    pieces = data.split(word.encode(encoding)) if encoding in ("utf-8", "latin-1", "cp1251") else None
    if pieces is not None:
        assert made.data == b"Z".join(pieces)
    assert made.places == decoded.text.count(word)
    assert decode(made.data, encoding).text == decoded.text.replace(word, "Z")


# --- one list of changes out of two ----------------------------------------------------------------------------------


def applied(lines: list[str], changes: list[Change], mark: str) -> list[str]:
    """The lines after the changes; new ones bear the mark."""
    out, at = [], 0
    for n, c in enumerate(changes):
        out += lines[at : c.first] + [f"{mark}{n}.{i}" for i in range(c.new)]
        at = c.first + c.old
    return out + lines[at:]


@st.composite
def changes_of(draw: st.DrawFn, total: int) -> list[Change]:
    found, at = [], 0
    while at < total and draw(st.booleans()):
        first = draw(st.integers(at, total - 1))
        old = draw(st.integers(1, min(3, total - first)))
        found.append(Change(first, old, draw(st.integers(0, 3))))
        at = first + old
    return found


@given(st.integers(1, 12), st.data())
def test_two_edits_in_a_row_are_told_as_one(total: int, draw: st.DataObject) -> None:
    """E4, S4"""
    lines = [f"old{i}" for i in range(total)]
    first = draw.draw(changes_of(total))
    between = applied(lines, first, "first")
    second = draw.draw(changes_of(len(between)))
    after = applied(between, second, "second")
    both = composed(first, second)
    told = applied(lines, both, "new")
    assert len(told) == len(after)
    for expected, line in zip(after, told, strict=True):  # what is told as old is old, and the same line
        assert line == expected or line.startswith("new")


def test_an_edit_of_a_large_file_takes_little_time() -> None:
    data = b"row of a log file, quite an ordinary one\n" * 500_000 + b"end\n"
    decoded = decode(data)
    start = time.monotonic()
    edit(data, decoded, "end\n", "END\n")
    assert time.monotonic() - start < 2
