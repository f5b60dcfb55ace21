"""What is known of files, on disk."""

from workbench.history.entries import Entry, TreeFile, named_by

A = Entry("file", "a" * 64, 3, 0o644, 1, 10)
B = Entry("file", "b" * 64, 3, 0o644, 2, 11)
WHO = {"session": "s", "call": "c", "by": "bash"}


def tree(tmp_path, root: str = "/w") -> TreeFile:
    return TreeFile(tmp_path / "trees", root)


def test_nothing_known(tmp_path) -> None:
    assert tree(tmp_path).load() == ({}, [])
    assert named_by(tmp_path / "trees") == set()


def test_what_was_added_last_counts(tmp_path) -> None:
    file = tree(tmp_path)
    file.add({"x": A, "caf\udce9\n": A, "gone": A})
    file.add({"x": B, "gone": None})
    assert tree(tmp_path).load()[0] == {"x": B, "caf\udce9\n": A}
    assert tree(tmp_path, "/other").load()[0] == {}
    assert named_by(tmp_path / "trees") == {"a" * 64, "b" * 64}


def test_commands_that_began_and_did_not_end(tmp_path) -> None:
    file = tree(tmp_path)
    file.begin(WHO)
    file.begin({**WHO, "call": "d"})
    file.end(WHO)
    assert tree(tmp_path).load()[1] == [{**WHO, "call": "d"}]


def test_a_torn_line_costs_only_itself(tmp_path) -> None:
    file = tree(tmp_path)
    file.add({"x": A})
    with file.path.open("a") as f:
        f.write('["y", "file", "bbb')
    file.add({"z": B})
    assert tree(tmp_path).load()[0] == {"x": A, "z": B}


def test_a_file_of_stale_lines_is_written_anew(tmp_path) -> None:
    file = tree(tmp_path)
    for i in range(1200):
        file.add({"x": Entry("file", "a" * 64, i, 0o644, 1, 10)})
    file.begin(WHO)
    size = file.path.stat().st_size
    entries, begun = tree(tmp_path).load()
    assert (entries["x"].size, begun) == (1199, [WHO])
    assert file.path.stat().st_size < size / 100
    assert tree(tmp_path).load() == (entries, begun)
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_what_a_version_would_show_decides_sameness() -> None:
    assert A.same(Entry("file", "a" * 64, 3, 0o644, 99, 12))
    assert not A.same(B)
    assert not A.same(Entry("file", "a" * 64, 3, 0o755, 1, 10))
    assert not A.same(None)
    assert A.state.stored
    assert not Entry("file", "", 3, 0o644, 1, 10, "large").state.stored
