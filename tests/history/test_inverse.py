"""The inverse of changes as a pure function, and its laws."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history.inverse import Edge, Image, joined, undo
from workbench.history.merge import merge
from workbench.history.states import ABSENT, State
from workbench.history.store import Damaged, Store


class Contents:
    """Contents by hash."""

    def __init__(self) -> None:
        self.known: dict[str, bytes] = {}

    def file(self, data: bytes, mode: int = 0o644) -> State:
        sha = Store.name(data)
        self.known[sha] = data
        return State("file", sha, len(data), mode)

    def image(self, data: bytes | None, mode: int = 0o644) -> Image:
        return Image(ABSENT) if data is None else Image(self.file(data, mode), data)

    def __call__(self, state: State) -> bytes:
        if not state.stored:
            raise Damaged(state.sha256, "left out")
        return self.known[state.sha256]


@pytest.fixture
def c() -> Contents:
    return Contents()


def test_nothing_to_undo_is_already(c: Contents) -> None:
    assert undo([], c.image(b"x"), c).action == "already"
    same = c.file(b"x")
    assert undo([Edge(same, same)], c.image(b"y"), c).action == "already"


def test_what_the_change_left_goes_back_exactly(c: Contents) -> None:
    answer = undo([Edge(c.file(b"a"), c.file(b"b"))], c.image(b"b"), c)
    assert (answer.action, answer.image.data) == ("restore", b"a")


@pytest.mark.parametrize(
    ("modes", "now", "want"),
    [
        ((0o644, 0o644), 0o755, 0o755),
        ((0o644, 0o755), 0o755, 0o644),
        ((0o644, 0o755), 0o700, 0o700),
    ],
    ids=["the user's", "the change's own", "changed by both"],
)
def test_mode(c: Contents, modes: tuple[int, int], now: int, want: int) -> None:
    for after in (b"a", b"b"):
        edge = Edge(c.file(b"a", modes[0]), c.file(after, modes[1]))
        answer = undo([edge], c.image(after, now), c)
        assert answer.image.state.mode == want
        assert answer.image.data == b"a"


def test_mode_goes_back_beside_a_merge(c: Contents) -> None:
    base = b"1\n2\n3\n4\n5\n6\n"
    edge = Edge(c.file(base, 0o644), c.file(b"one" + base[1:], 0o755))
    answer = undo([edge], c.image(b"one" + base[1:] + b"mine\n", 0o755), c)
    assert (answer.action, answer.image.data, answer.image.state.mode) == ("merge", base + b"mine\n", 0o644)


def test_a_content_that_is_not_kept_is_refused(c: Contents) -> None:
    lost = State("file", "f" * 64, 3, 0o644, stored=False)
    for edge, now in (
        (Edge(lost, c.file(b"b")), b"b"),
        (Edge(c.file(b"a"), lost), b"something else"),
    ):
        assert undo([edge], c.image(now), c).action == "refused"


@pytest.mark.parametrize("kind", ["folder", "link", "other"])
def test_other_things_at_the_path_stay(c: Contents, kind) -> None:
    answer = undo([Edge(c.file(b"a"), c.file(b"b"))], Image(State(kind, "e" * 64)), c)
    assert answer.action == "refused"


def test_creation_and_deletion(c: Contents) -> None:
    made, gone = Edge(ABSENT, c.file(b"b")), Edge(c.file(b"a"), ABSENT)
    assert undo([made], c.image(b"b"), c).image.state == ABSENT
    assert undo([made], c.image(None), c).action == "already"
    assert undo([made], c.image(b"edited"), c).action == "conflict"
    assert undo([gone], c.image(None), c).image.data == b"a"
    assert undo([gone], c.image(b"a"), c).action == "already"
    conflict = undo([gone], c.image(b"another"), c)
    assert (conflict.action, conflict.theirs, conflict.base) == ("conflict", b"a", None)


def test_links_go_back_whole(c: Contents) -> None:
    a, b = (State("link", Store.name(t), len(t)) for t in (b"to/a", b"to/b"))
    c.known |= {Store.name(b"to/a"): b"to/a", Store.name(b"to/b"): b"to/b"}
    answer = undo([Edge(a, b)], Image(b, b"to/b"), c)
    assert (answer.action, answer.image) == ("restore", Image(a, b"to/a"))
    assert undo([Edge(a, b)], c.image(b"a file"), c).action == "conflict"


def test_edges_without_a_gap_are_one(c: Contents) -> None:
    s = [c.file(b"%d" % i) for i in range(5)]
    assert joined([Edge(s[0], s[1]), Edge(s[1], s[2]), Edge(s[3], s[4])]) == [Edge(s[0], s[2]), Edge(s[3], s[4])]


LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"])
TEXT = st.lists(LINE, max_size=8).map(b"".join)


@given(TEXT, TEXT, TEXT)
@settings(deadline=None)
def test_one_edit_goes_back_as_the_merge_says(before: bytes, after: bytes, now: bytes) -> None:
    c = Contents()
    answer = undo([Edge(c.file(before), c.file(after))], c.image(now), c)
    want = merge(after, before, now).data
    if before == after:
        assert answer.action == "already"
    elif now == after:
        assert (answer.action, answer.image.data) == ("restore", before)
    elif want is None:
        assert (answer.action, answer.image.data) == ("conflict", now)
        assert answer.conflicts
    else:
        assert answer.image.data == want
        assert answer.action == ("already" if want == now else "merge")


@given(st.lists(TEXT, min_size=1, max_size=6))
@settings(deadline=None)
def test_a_chain_goes_back_to_its_start_whatever_lies_between(texts: list[bytes]) -> None:
    c = Contents()
    edges = [Edge(c.file(a), c.file(b)) for a, b in pairwise(texts)]
    answer = undo(edges, c.image(texts[-1]), c)
    assert answer.image.data == texts[0]
    assert answer.action in ("restore", "already")


@given(TEXT, TEXT, TEXT)
@settings(deadline=None)
def test_undo_and_redo_is_the_identity(before: bytes, after: bytes, now: bytes) -> None:
    c = Contents()
    answer = undo([Edge(c.file(before), c.file(after))], c.image(now), c)
    if answer.action in ("restore", "merge"):
        c.known[answer.image.state.sha256] = answer.image.data
        back = undo([Edge(c.file(now), answer.image.state)], answer.image, c)
        assert back.image.data == now
