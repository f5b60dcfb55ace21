"""Word-level marks."""

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history.words import marks, partners


def cut(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [text[a:b] for a, b in spans]


def test_equal_lines_have_no_marks() -> None:
    assert marks("same", "same") == ((), ())


def test_only_the_changed_words_are_marked() -> None:
    old, new = "def read(path, limit=80):", "def read(path, *, limit=100):"
    left, right = marks(old, new)
    assert cut(old, left) == ["80"]
    assert cut(new, right) == ["*, ", "100"]


def test_a_word_that_was_only_added_marks_one_side() -> None:
    assert marks("a c", "a b c") == ((), ((2, 4),))


def test_partners_are_found_by_what_they_share() -> None:
    removed = ["total = price * count", "return total"]
    added = ["# new comment entirely", "total = price * count * rate", "log(total)", "return total"]
    assert [(i, j) for i, j, _, _ in partners(removed, added)] == [(0, 1), (1, 3)]


def test_lines_that_share_little_are_no_partners() -> None:
    assert list(partners(["import os"], ["class Something(Base):"])) == []


def test_a_very_long_line_is_marked_in_one_piece() -> None:
    old = "x " * 3000
    new = "x " * 1000 + "y " * 1000 + "x " * 1000
    left, right = marks(old, new)
    assert len(left) <= 1
    assert len(right) == 1


@given(st.text("ab ,(\t中", max_size=30), st.text("ab ,(\t中", max_size=30))
@settings(deadline=None)
def test_what_is_not_marked_is_the_same_on_both_sides(old: str, new: str) -> None:
    left, right = marks(old, new)

    def rest(text: str, spans: tuple[tuple[int, int], ...]) -> str:
        keep, at = [], 0
        for a, b in spans:
            keep.append(text[at:a])
            at = b
        return "".join([*keep, text[at:]])

    assert rest(old, left) == rest(new, right)


@given(st.lists(st.text("ab c", max_size=8), max_size=40), st.lists(st.text("ab c", max_size=8), max_size=40))
@settings(deadline=None)
def test_partners_never_cross(removed: list[str], added: list[str]) -> None:
    pairs = [(i, j) for i, j, _, _ in partners(removed, added)]
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
