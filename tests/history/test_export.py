"""A session's changes as one patch (H5)."""

import subprocess

from workbench.history.export import export, net

LINES = b"".join(b"line %d\n" % i for i in range(1, 31))


def test_no_versions_no_patch(work) -> None:
    assert export([], work.store).patch == b""


def test_git_applies_a_sessions_changes_to_what_was_there(work, tmp_path) -> None:
    work.person("edited", LINES)
    work.person("gone", b"bye\n")
    work.person("image", b"\0\1\2" * 100)
    clone = tmp_path / "clone"
    subprocess.run(["cp", "-r", work.root, clone], check=True)
    subprocess.run(["git", "init", "-q"], cwd=clone, check=True)
    for i in (3, 15):
        work.edit("edited", work.path("edited").read_bytes().replace(b"line %d\n" % i, b"%d!\n" % i))
    work.edit("made/new", b"new\n", mode=0o755)
    work.edit("image", b"\3\2\1\0" * 50)
    work.delete("gone")
    made = export(work.rows.of_session("s1"), work.store)
    assert made.notes == ()
    subprocess.run(["git", "apply", "-"], cwd=clone, input=made.patch, check=True)
    for name in ("edited", "made/new", "image"):
        assert (clone / name).read_bytes() == work.path(name).read_bytes()
    assert (clone / "made/new").stat().st_mode & 0o100
    assert not (clone / "gone").exists()


def test_changes_of_others_in_between_are_left_out(work) -> None:
    work.person("f", LINES)
    work.edit("f", LINES.replace(b"line 3\n", b"three\n"), session="A")
    work.edit("f", work.path("f").read_bytes().replace(b"line 15\n", b"B\n"), session="B")
    work.edit("f", work.path("f").read_bytes().replace(b"line 28\n", b"28!\n"), session="A")
    patch = export(work.rows.of_session("A"), work.store).patch
    assert b"three" in patch
    assert b"28!" in patch
    assert b"B" not in patch.replace(b"line 15", b"")


def test_what_was_taken_back_is_not_in_the_patch(work) -> None:
    work.person("f", LINES)
    work.undo(work.edit("f", b"x\n"))
    assert export(work.rows.of_session("s1"), work.store).patch == b""


def test_content_that_is_not_kept_is_said(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", b"x\n")
    work.rows.forget([version.before.sha256])
    made = export(work.rows.of_session("s1"), work.store)
    assert made.patch == b""
    assert made.notes[0].startswith("f: left out")


def test_net_gives_both_sides_of_each_path(work) -> None:
    work.person("f", LINES)
    work.edit("f", b"x\n")
    work.edit("g", b"y\n")
    found = {n.path: (n.old and n.old.data, n.new and n.new.data) for n in net(work.rows.of_session("s1"), work.store)}
    assert found == {"f": (LINES, b"x\n"), "g": (None, b"y\n")}
