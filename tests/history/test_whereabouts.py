"""Where a renamed file went."""

from workbench.history.states import ABSENT, State
from workbench.history.whereabouts import find_content


def state(work, data: bytes) -> State:
    return State("file", work.store.name(data), len(data), 0o644)


def test_nothing_is_found_where_there_is_nothing(work) -> None:
    assert find_content(work.root, state(work, b"x\n")) == ""
    assert find_content(work.root, ABSENT) == ""
    work.person("empty", b"")
    assert find_content(work.root, state(work, b"")) == ""


def test_the_same_bytes_under_another_name_and_not_the_same_size_only(work) -> None:
    work.person("a/same size", b"one\n")
    work.person("b/new name", b"two\n")
    assert find_content(work.root, state(work, b"two\n")) == "b/new name"


def test_it_looks_into_no_git_folder_and_through_no_link(work) -> None:
    work.person(".git/x", b"two\n")
    work.path("link").symlink_to(".git/x")
    assert find_content(work.root, state(work, b"two\n")) == ""


def test_it_gives_up_in_time(work) -> None:
    work.person("a", b"two\n")
    assert find_content(work.root, state(work, b"two\n"), seconds=-1) == ""
