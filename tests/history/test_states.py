"""When two states are the same."""

from workbench.history.states import ABSENT, State


def test_absent_is_absent() -> None:
    assert ABSENT.same_as(State("absent"))
    assert not ABSENT.same_as(State("file", "a" * 64))


def test_mode_counts_for_files_only() -> None:
    a = State("file", "a" * 64, 1, 0o644)
    assert a.same_content(State("file", "a" * 64, 1, 0o755))
    assert not a.same_as(State("file", "a" * 64, 1, 0o755))
    assert State("link", "a" * 64, 1, 0).same_as(State("link", "a" * 64, 1, 0o777))
    assert State("folder", mode=0o700).same_as(State("folder", mode=0o755))


def test_whether_bytes_are_kept_does_not_matter() -> None:
    assert State("file", "a" * 64, 1, 0o644).same_as(State("file", "a" * 64, 1, 0o644, stored=False))


def test_what_was_never_hashed_equals_nothing() -> None:
    unknown = State("file", "", 5, 0o644, stored=False)
    assert not unknown.same_as(unknown)
