"""Bytes to text and exactly back (R5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files import Refused, lines
from workbench.files.decode import byte_offsets, decode, detect, encode, named

ENCODINGS = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "utf-32le",
    "utf-32be",
    "gb18030",
    "shift_jis",
    "big5",
    "euc_kr",
    "latin-1",
]


@pytest.mark.parametrize(
    ("data", "name", "bom", "text"),
    [
        (b"", "utf-8", False, ""),
        (b"hi\n", "utf-8", False, "hi\n"),
        (b"\xef\xbb\xbfhi", "utf-8", True, "hi"),
        (b"\xff\xfeh\0", "utf-16le", True, "h"),
        (b"\xfe\xff\0h", "utf-16be", True, "h"),
        (b"\xff\xfe\0\0h\0\0\0", "utf-32le", True, "h"),
        (b"\0\0\xfe\xff\0\0\0h", "utf-32be", True, "h"),
        ("名称=测试\n".encode("gb18030"), "gb18030", False, "名称=测试\n"),
        (b"caf\xe9\n", "latin-1", False, "café\n"),
    ],
)
def test_what_is_found(data: bytes, name: str, bom: bool, text: str) -> None:
    found = decode(data)
    assert (found.encoding.name, bool(found.encoding.bom), found.text, found.encoding.lossy) == (name, bom, text, False)
    assert found.exact(data)


@pytest.mark.parametrize("data", [b"ok \xff bad", b"x\xed\xa0\x80y", b"\xc0\xafz", b"ab\xe4\xbd"])
def test_undecodable_bytes_are_shown_as_such_and_kept(data: bytes) -> None:
    found = decode(data)
    assert found.encoding.lossy
    assert found.encoding.how == "unsure"
    assert "\ufffd" in found.view
    assert found.exact(data)


def test_a_real_replacement_character_is_text() -> None:
    found = decode("bad \ufffd\n".encode())
    assert not found.encoding.lossy


def test_an_odd_byte_in_utf16_is_lossy_and_not_exact() -> None:
    data = b"\xff\xfea\0b"
    found = decode(data)
    assert (found.encoding.lossy, found.exact(data)) == (True, False)
    with pytest.raises(Refused) as e:
        byte_offsets(data, found, [0, 1])
    assert e.value.code == "undecodable"


@given(st.binary(max_size=60), st.sampled_from(ENCODINGS))
def test_any_bytes_in_any_encoding_come_back(data: bytes, name: str) -> None:
    """Exact wherever `exact` says so; always, in the encodings that keep bad bytes apart one by one."""
    try:
        found = decode(data, name)
    except Refused as e:
        assert e.code == "binary"
        return
    if found.exact(data):
        assert found.encoding.bom + encode(found.text, found.encoding) == data
    elif found.encoding.unit == 1:
        assert name == "big5"  # two code points of which two bytes each are the same character


@given(st.text(alphabet="aé名\U0001f389\r\n\udc80", max_size=30), st.sampled_from(ENCODINGS), st.data())
def test_positions_lead_to_bytes(text: str, name: str, data: st.DataObject) -> None:
    raw = text.encode(name, "replace" if name.startswith("utf-") and name != "utf-8" else "ignore")
    try:
        found = decode(raw, name)
    except Refused:
        return
    positions = sorted(data.draw(st.lists(st.integers(0, len(found.text)), max_size=4)))
    for position, at in zip(positions, byte_offsets(raw, found, positions), strict=True):
        assert (
            raw[len(found.encoding.bom) : at].decode(found.encoding.name, found.encoding.errors)
            == found.text[:position]
        )


@given(
    st.binary(max_size=200),
    st.sampled_from(["utf-8", "gb18030", "shift_jis", "big5", "euc_kr", "euc_jp", "latin-1", "cp1252"]),
)
def test_a_line_feed_is_always_the_byte_0a(data: bytes, name: str) -> None:
    """What the line index relies on."""
    assert data.decode(name, "surrogateescape").count("\n") == data.count(b"\n")
    assert lines.count(data.decode(name, "surrogateescape")) == data.count(b"\n") + (
        not data.endswith(b"\n") and bool(data)
    )


def test_characters_that_have_no_place_are_named() -> None:
    found = decode("设置=1\n名称=2\n".encode("gb18030"), "big5hkscs")
    with pytest.raises(Refused) as e:
        encode("ok\n🙂", found.encoding)
    assert e.value.code == "unencodable"
    assert "U+1F642" in e.value.message
    assert "line 2" in e.value.message


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("UTF8", "utf-8"),
        ("utf_16_le", "utf-16le"),
        ("UTF-16", "utf-16le"),
        ("latin1", "latin-1"),
        ("GBK", "gbk"),
        ("sjis", "shift_jis"),
        ("utf-8-sig", "utf-8"),
        ("ascii", "utf-8"),
        ("windows-1252", "cp1252"),
        ("UTF-32BE", "utf-32be"),
    ],
)
def test_names_have_one_spelling(name: str, known: str) -> None:
    assert named(name) == known


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("klingon", "bad_args"),
        ("", "bad_args"),
        ("hex", "bad_args"),
        ("rot13", "bad_args"),
        ("a\0b", "bad_args"),
        ("cp037", "unsupported"),
        ("utf-7", "unsupported"),
        ("iso2022_jp", "unsupported"),
        ("hz", "unsupported"),
        ("idna", "unsupported"),
    ],
)
def test_names_that_are_no_text_encoding_of_a_file(name: str, code: str) -> None:
    with pytest.raises(Refused) as e:
        named(name)
    assert e.value.code == code


def test_a_head_that_cuts_a_character_is_not_lossy() -> None:
    data = ("字" * 1000).encode()
    assert not detect(data[:1000], size=len(data)).lossy
    assert detect(data[:1000]).lossy


def test_binary_is_refused_and_utf16_is_not() -> None:
    with pytest.raises(Refused):
        decode(b"a\0b")
    assert decode(b"\xff\xfea\0").text == "a"
    with pytest.raises(Refused):
        decode(b"a\0b", "latin-1")
