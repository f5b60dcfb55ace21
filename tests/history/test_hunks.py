"""Single hunks of a change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.files import Refused
from workbench.history.diff import diff
from workbench.history.hunks import without_hunks

LINES = b"".join(b"line %d\n" % i for i in range(1, 41))
EDITED = LINES.replace(b"line 5\n", b"5\n").replace(b"line 20\n", b"").replace(b"line 35\n", b"35\nand\n")


def test_no_hunk_and_all_hunks() -> None:
    assert without_hunks(LINES, EDITED, ()) == EDITED
    assert without_hunks(LINES, EDITED, {0, 1, 2}) == LINES


def test_one_of_three() -> None:
    assert without_hunks(LINES, EDITED, {1}) == EDITED.replace(b"line 21\n", b"line 20\nline 21\n")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (LINES, EDITED, "bad_args"),
        (LINES, LINES.replace(b"\n", b"\r\n"), "unsupported"),
        (b"\0a", b"\0b", "unsupported"),
    ],
)
def test_what_cannot_be_taken_apart(old: bytes, new: bytes, code: str) -> None:
    with pytest.raises(Refused) as e:
        without_hunks(old, new, {7})
    assert e.value.code == code


@given(st.lists(st.sampled_from("-+x"), max_size=60), st.data())
@settings(deadline=None)
def test_hunks_are_those_that_are_shown(marks: list[str], data: st.DataObject) -> None:
    old = b"".join(b"%d\n" % i for i, m in enumerate(marks) if m != "+")
    new = b"".join(b"%d\n" % i for i, m in enumerate(marks) if m != "-")
    shown = diff(old, new).hunks
    for n in range(len(shown)):
        left = without_hunks(old, new, {n})
        assert len(diff(old, left).hunks) == len(shown) - 1
    assert without_hunks(old, new, range(len(shown))) == old
