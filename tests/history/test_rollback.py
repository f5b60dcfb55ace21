"""Scenarios of tests/data/edits/rollback.md, each test named after the rows it shows (H2, H3)."""

import os
import shutil
import stat
import subprocess

import pytest

from workbench.files import Refused
from workbench.history.apply import apply
from workbench.history.rollback import Rollback, is_undone, latest
from workbench.history.states import State
from workbench.history.versions import Change

LINES = b"".join(b"line %d\n" % i for i in range(1, 31))


def changed(data: bytes, *pairs: tuple[bytes, bytes]) -> bytes:
    for old, new in pairs:
        assert data.count(old) == 1
        data = data.replace(old, new)
    return data


def tree(root) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and not p.is_symlink()}


# --- A. plain -------------------------------------------------------------------------------------------------------


def test_a1_bytes_and_mode_come_back_exactly(work) -> None:
    before = b"\xef\xbb\xbf" + "中文\r\n".encode("gb18030") + b"last \xff"
    work.person("f.txt", before)
    work.path("f.txt").chmod(0o750)
    version = work.edit("f.txt", b"other\n", mode=0o600)
    outcome = work.undo(version)
    assert outcome.status == "done"
    assert work.path("f.txt").read_bytes() == before
    assert stat.S_IMODE(work.path("f.txt").stat().st_mode) == 0o750


def test_a4_folders_made_by_the_edit_go_only_when_they_are_empty(work) -> None:
    version = work.edit("a/b/new.txt", b"x\n")
    assert version.folders == ("a", "a/b")
    work.person("a/b/mine.txt", b"mine\n")
    assert work.undo(version).status == "done"
    assert tree(work.root) == {"a/b/mine.txt": b"mine\n"}
    other = work.edit("c/d/new.txt", b"x\n")
    work.undo(other)
    assert not work.path("c").exists()


def test_a4_a_folder_that_was_there_before_stays_even_when_empty(work) -> None:
    work.path("a").mkdir()
    work.undo(work.edit("a/b/new.txt", b"x\n"))
    assert work.path("a").is_dir()
    assert not work.path("a/b").exists()


def test_a6_a7_empty_and_absent_are_different(work) -> None:
    work.person("empty", b"")
    work.undo(work.edit("empty", b"x"))
    assert work.path("empty").read_bytes() == b""
    work.undo(work.edit("made", b""))
    assert not work.path("made").exists()


def test_a8_a_deleted_file_is_back_with_bytes_and_mode(work) -> None:
    work.person("d/run.sh", b"#!/bin/sh\n")
    work.path("d/run.sh").chmod(0o755)
    version = work.delete("d/run.sh")
    assert work.undo(version).status == "done"
    assert work.path("d/run.sh").read_bytes() == b"#!/bin/sh\n"
    assert stat.S_IMODE(work.path("d/run.sh").stat().st_mode) == 0o755


def test_a9_of_a_turn_that_deletes_and_makes_anew_the_first_content_is_back(work) -> None:
    work.person("f", b"first\n")
    work.delete("f", call="t")
    work.edit("f", b"second\n", call="t")
    done = work.undo_all(work.rollback().call("s1", "t"))
    assert done["f"].status == "done"
    assert work.path("f").read_bytes() == b"first\n"


def test_a11_the_last_change_that_happened_is_named(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    with work.history().before(work.fence.resolve("f")) as pending:
        pending.dropped()
    assert latest(work.rows, "s1").id == version.id


def test_a12_nothing_to_roll_back(work) -> None:
    for ask in (lambda: latest(work.rows, "s1"), lambda: work.rollback().session("s1")):
        with pytest.raises(Refused, match="nothing to roll back") as e:
            ask()
        assert e.value.code == "noop"


def test_a13_of_a_batch_the_first_state_is_back(work) -> None:
    work.person("f", b"v1\n")
    for text in (b"v2\n", b"v3\n"):
        work.edit("f", text, call="batch")
    work.undo_all(work.rollback().call("s1", "batch"))
    assert work.path("f").read_bytes() == b"v1\n"


def test_a14_a_version_whose_content_is_gone_says_so_and_nothing_is_jumped_over(work) -> None:
    work.person("f", b"v1\n")
    first = work.edit("f", b"v2\n")
    work.edit("f", b"v3\n")
    work.rows.forget([first.before.sha256])
    work.store.delete(first.before.sha256)
    (step,) = work.rollback().session("s1").steps
    assert step.action == "refused"
    assert "removed" in step.message
    assert work.path("f").read_bytes() == b"v3\n"


def test_a15_binary_is_byte_identical(work) -> None:
    image = b"\x89PNG\r\n\x1a\n" + os.urandom(200_000)
    work.person("i.png", image)
    work.undo(work.edit("i.png", b"text now\n"))
    assert work.path("i.png").read_bytes() == image


# --- B. changed since by the user -----------------------------------------------------------------------------------


def test_b1_a_users_edit_elsewhere_stays(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    work.person("f", changed(work.path("f").read_bytes(), (b"line 20\n", b"mine\n")))
    outcome = work.undo(version)
    assert (outcome.status, outcome.step.action) == ("done", "merge")
    assert work.path("f").read_bytes() == changed(LINES, (b"line 20\n", b"mine\n"))


def test_b2_the_same_line_is_a_conflict_with_three_texts(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 10\n", b"agent\n")))
    work.person("f", changed(LINES, (b"line 10\n", b"user\n")))
    outcome = work.undo(version)
    assert outcome.status == "conflict"
    (conflict,) = outcome.step.conflicts
    assert (conflict.base, conflict.theirs, conflict.mine) == (b"agent\n", b"line 10\n", b"user\n")
    assert outcome.step.others == ("someone else",)
    assert work.path("f").read_bytes() == changed(LINES, (b"line 10\n", b"user\n"))
    assert work.rows.pending(str(work.root)) == []


def test_b3_undone_by_hand_is_already_as_before(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 10\n", b"agent\n")))
    work.person("f", LINES)
    assert work.undo(version).status == "already"
    assert len(work.rows.of_path(str(work.root), "f")) == 1


def test_b3_undone_by_hand_beside_own_changes_is_already_too(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 10\n", b"agent\n")))
    work.person("f", changed(LINES, (b"line 25\n", b"mine\n")))
    assert work.undo(version).status == "already"


def test_b5_a_formatter_that_touched_every_line_is_a_conflict(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 10\n", b"agent\n")))
    indented = b"".join(b"    " + line for line in work.path("f").read_bytes().splitlines(keepends=True))
    work.person("f", indented)
    assert work.undo(version).status == "conflict"
    assert work.path("f").read_bytes() == indented


def test_b6_a_deleted_file_comes_back_only_when_asked(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    work.path("f").unlink()
    outcome = work.undo(version)
    assert (outcome.status, outcome.step.needs) == ("ask", "recreate")
    assert not work.path("f").exists()
    assert work.undo(version, recreate=True).status == "done"
    assert work.path("f").read_bytes() == b"1\n"


def test_b7_a_renamed_file_is_offered_under_its_new_name(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"agent wrote this\n")
    work.path("sub").mkdir()
    work.path("f").rename(work.path("sub/g"))
    outcome = work.undo(version)
    assert outcome.status == "ask"
    assert outcome.step.moved_to == "sub/g"
    assert not work.path("f").exists()


def test_b8_the_users_mode_stays_when_the_edit_did_not_change_it(work) -> None:
    work.person("f", b"1\n")
    work.path("f").chmod(0o644)
    version = work.edit("f", b"2\n")
    work.path("f").chmod(0o711)
    assert work.undo(version).status == "done"
    assert work.path("f").read_bytes() == b"1\n"
    assert stat.S_IMODE(work.path("f").stat().st_mode) == 0o711


def test_b9_a_folder_at_the_path_is_left_as_it_is(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    work.path("f").unlink()
    work.person("f/inside.txt", b"mine\n")
    outcome = work.undo(version)
    assert outcome.status == "refused"
    assert "folder" in outcome.message
    assert tree(work.root) == {"f/inside.txt": b"mine\n"}


def test_b10_a_link_at_the_path_is_left_as_it_is(work) -> None:
    work.person("f", b"1\n")
    work.person("elsewhere", b"2\n")
    version = work.edit("f", b"2\n")
    work.path("f").unlink()
    work.path("f").symlink_to("elsewhere")
    assert work.undo(version).status == "refused"
    assert work.path("f").is_symlink()
    assert work.path("elsewhere").read_bytes() == b"2\n"


def test_b10_a_link_in_the_place_of_a_parent_folder_leads_nowhere(work, tmp_path) -> None:
    work.person("d/f", b"1\n")
    version = work.edit("d/f", b"2\n")
    outside = tmp_path / "outside"
    shutil.move(work.path("d"), outside)
    work.path("d").symlink_to(outside)
    assert work.undo(version).status == "refused"
    assert (outside / "f").read_bytes() == b"2\n"


def test_b11_only_content_decides(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    work.person("f.tmp", b"2\n")
    work.path("f.tmp").replace(work.path("f"))
    os.utime(work.path("f"), (1, 1))
    assert work.undo(version).step.action == "restore"
    assert work.path("f").read_bytes() == b"1\n"


def test_b13_b14_files_of_the_user_stay_in_a_rewind(work) -> None:
    work.person("edited", b"1\n")
    work.edit("edited", b"2\n")
    work.edit("src/new.py", b"agent\n")
    work.person("d.csv", b"data\n")
    work.person("src/mine.py", b"mine\n")
    done = work.undo_all(work.rollback().session("s1"))
    assert {o.status for o in done.values()} == {"done"}
    assert tree(work.root) == {"edited": b"1\n", "d.csv": b"data\n", "src/mine.py": b"mine\n"}


# --- C. commands ----------------------------------------------------------------------------------------------------


def test_c1_c2_around_a_sed_in_the_middle(work) -> None:
    work.person("f", LINES)
    first = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    work.person("f", changed(work.path("f").read_bytes(), (b"line 15\n", b"sed\n")))
    after_sed = work.path("f").read_bytes()
    second = work.edit("f", changed(after_sed, (b"line 25\n", b"25\n")))
    assert work.undo(second).status == "done"
    assert work.path("f").read_bytes() == after_sed
    assert work.undo(first).status == "done"
    assert work.path("f").read_bytes() == changed(LINES, (b"line 15\n", b"sed\n"))


def test_c8_another_branch_under_the_edit_is_a_merge_or_a_conflict(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    work.person("f", b"the other branch\n")
    assert work.undo(version).status == "conflict"
    assert work.path("f").read_bytes() == b"the other branch\n"


# --- D. rollbacks of rollbacks, middle edits, groups ----------------------------------------------------------------


def test_d1_d2_a_rollback_is_a_version_that_can_be_taken_back(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    first = work.undo(version).version
    assert first.undoes == (version.id,)
    again = work.undo(version)
    assert again.status == "already"
    assert "already been rolled back" in again.message
    assert work.undo(first).status == "done"
    assert work.path("f").read_bytes() == b"2\n"
    assert not is_undone(work.rows, work.rows.get(version.id))
    assert work.undo(version).status == "done"
    assert work.path("f").read_bytes() == b"1\n"


def test_d1_a_creation_and_a_deletion_can_be_put_back(work) -> None:
    made = work.edit("a/b/f", b"1\n")
    work.undo(work.undo(made).version)
    assert work.path("a/b/f").read_bytes() == b"1\n"
    gone = work.delete("a/b/f")
    work.undo(work.undo(gone).version)
    assert not work.path("a/b/f").exists()


def test_d3_putting_back_merges_around_the_user(work) -> None:
    work.person("f", LINES)
    edited = changed(LINES, (b"line 3\n", b"three\n"))
    back = work.undo(work.edit("f", edited)).version
    work.person("f", changed(LINES, (b"line 20\n", b"mine\n")))
    assert work.undo(back).status == "done"
    assert work.path("f").read_bytes() == changed(edited, (b"line 20\n", b"mine\n"))


def test_d4_the_middle_one_of_three(work) -> None:
    work.person("f", LINES)
    texts = [(b"line 3\n", b"three\n"), (b"line 12\n", b"twelve\n"), (b"line 25\n", b"25\n")]
    versions = [work.edit("f", changed(work.path("f").read_bytes(), pair)) for pair in texts]
    assert work.undo(versions[1]).status == "done"
    assert work.path("f").read_bytes() == changed(LINES, texts[0], texts[2])


def test_d6_a_turns_own_edits_are_no_conflict_of_one_another(work) -> None:
    work.person("f", LINES)
    for i in range(4):
        data = work.path("f").read_bytes()
        work.edit("f", data.replace(b"line 5\n" if not i else b"try %d\n" % (i - 1), b"try %d\n" % i), call="turn")
    plan = work.rollback().call("s1", "turn")
    assert plan.ready
    assert work.undo_all(plan)["f"].version.undoes == tuple(v.id for v in work.rows.of_call("s1", "turn"))
    assert work.path("f").read_bytes() == LINES


def test_d8_one_answer_a_path_and_nothing_or_a_named_part(work) -> None:
    for name in ("a", "b", "c"):
        work.person(name, b"1\n")
        work.edit(name, b"2\n", call="turn")
    work.person("b", b"mine\n")
    rb = work.rollback()
    plan = rb.call("s1", "turn")
    assert not plan.ready
    assert {p: o.status for p, o in work.undo_all(plan).items()} == {"a": "held", "b": "conflict", "c": "held"}
    assert work.path("a").read_bytes() == b"2\n"
    done = {p: o.status for p, o in work.undo_all(plan, some=True).items()}
    assert done == {"a": "done", "b": "conflict", "c": "done"}
    assert tree(work.root) == {"a": b"1\n", "b": b"mine\n", "c": b"1\n"}


def test_d9_an_edit_depends_on_the_creation(work) -> None:
    made = work.edit("f", LINES)
    edited = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    outcome = work.undo(made)
    assert (outcome.status, outcome.step.depends) == ("refused", (edited.id,))
    assert work.path("f").exists()
    rb = work.rollback()
    assert work.undo_all(rb.versions([made, edited]))["f"].status == "done"
    assert not work.path("f").exists()


def test_a_file_the_agent_made_and_the_user_edited_is_kept(work) -> None:
    made = work.edit("f", LINES)
    work.person("f", LINES + b"mine\n")
    assert work.undo(made).status == "conflict"
    assert work.path("f").read_bytes() == LINES + b"mine\n"


def test_one_hunk_of_an_edit(work) -> None:
    work.person("f", LINES)
    edited = changed(LINES, (b"line 3\n", b"three\n"), (b"line 15\n", b"fifteen\n"), (b"line 28\n", b"28\n"))
    version = work.edit("f", edited)
    work.person("f", changed(edited, (b"line 9\n", b"mine\n")))
    rb = work.rollback()
    (outcome,) = apply(rb, rb.version(version.id, hunks={1}))
    assert outcome.status == "done"
    assert outcome.version.partial
    want = changed(LINES, (b"line 3\n", b"three\n"), (b"line 28\n", b"28\n"), (b"line 9\n", b"mine\n"))
    assert work.path("f").read_bytes() == want
    assert not is_undone(work.rows, work.rows.get(version.id))
    assert work.undo(version).status == "done"
    assert work.path("f").read_bytes() == changed(LINES, (b"line 9\n", b"mine\n"))


def test_a_hunk_that_does_not_exist_is_refused(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    (step,) = work.rollback().version(version.id, hunks={5}).steps
    assert step.action == "refused"
    assert "has 1" in step.message


# --- E. sessions ----------------------------------------------------------------------------------------------------


def test_e3_e4_only_the_own_session_goes_and_a_conflict_names_the_other(work) -> None:
    work.person("f", LINES)
    work.edit("f", changed(LINES, (b"line 3\n", b"A\n")), session="A")
    work.edit("f", changed(work.path("f").read_bytes(), (b"line 20\n", b"B\n")), session="B")
    work.undo_all(work.rollback().session("A"))
    assert work.path("f").read_bytes() == changed(LINES, (b"line 20\n", b"B\n"))
    work.edit("f", changed(work.path("f").read_bytes(), (b"B\n", b"A over B\n")), session="A")
    (step,) = work.rollback().session("B").steps
    assert step.action == "conflict"
    assert step.others == ("A",)


def test_e5_a_session_in_a_folder_above_is_not_touched(work) -> None:
    work.person("sub/f", b"1\n")
    work.person("g", b"1\n")
    inner = type(work)(work.root)
    assert inner.root == work.root / "ws"
    work.edit("g", b"2\n")
    inner.person("h", b"1\n")
    inner.edit("h", b"2\n")
    inner.undo_all(inner.rollback().session("s1"))
    assert work.path("g").read_bytes() == b"2\n"
    assert inner.path("h").read_bytes() == b"1\n"


def test_e7_a_missing_store_is_never_read_as_no_file(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    shutil.rmtree(work.store.objects)
    outcome = work.undo(version)
    assert outcome.status == "refused"
    assert work.path("f").read_bytes() == b"2\n"


def test_e11_only_the_own_paths_of_one_message(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    for i in range(20):
        work.person(f"later/{i}", b"weeks of commits\n")
    before = tree(work.root)
    work.undo(version)
    assert tree(work.root) == {**before, "f": b"1\n"}


def test_a_rewind_to_a_point_keeps_what_was_before_it(work) -> None:
    work.person("f", LINES)
    kept = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    work.edit("f", changed(work.path("f").read_bytes(), (b"line 20\n", b"20\n")))
    work.edit("new", b"x\n")
    plan = work.rollback().session("s1", after=kept.id)
    assert all(o.status == "done" for o in work.undo_all(plan).values())
    assert tree(work.root) == {"f": changed(LINES, (b"line 3\n", b"three\n"))}
    for step_version in list(work.rows.of_session("s1"))[-2:]:
        assert work.undo(step_version).status == "done"
    assert work.path("new").read_bytes() == b"x\n"
    assert work.path("f").read_bytes() == changed(LINES, (b"line 3\n", b"three\n"), (b"line 20\n", b"20\n"))


def test_a_rewind_over_a_rollback_in_the_session_nets_out(work) -> None:
    work.person("f", LINES)
    first = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    work.undo(first)
    work.edit("f", changed(LINES, (b"line 20\n", b"20\n")))
    work.undo_all(work.rollback().session("s1"))
    assert work.path("f").read_bytes() == LINES
    again = work.rollback().session("s1", after=first.id)
    assert {s.action for s in again.steps} <= {"already", "restore"}


def test_h7_uncertain_changes_are_left_out_until_someone_ticks_them(work) -> None:
    work.person("f", b"1\n")
    work.person("g", b"1\n")
    work.edit("f", b"2\n")
    before = State("file", work.store.put(b"1\n"), 2, 0o644)
    work.person("g", b"2\n")
    after = State("file", work.store.put(b"2\n"), 2, 0o644)
    (unsure,) = work.rows.record(
        [Change("g", before, after, uncertain=True)], workspace=str(work.root), session="s1", call="b", by="bash"
    )
    plan = work.rollback().session("s1")
    assert [s.path for s in plan.steps] == ["f"]
    assert plan.left_out == (unsure,)
    rb = work.rollback(uncertain={unsure.id})
    assert [s.path for s in rb.session("s1").steps] == ["f", "g"]


def test_restore_one_file_to_a_version(work) -> None:
    work.person("f", b"0\n")
    versions = [work.edit("f", b"%d\n" % i) for i in (1, 2, 3)]
    rb = work.rollback()
    (outcome,) = apply(rb, rb.restore("f", versions[0].id))
    assert outcome.status == "done"
    assert work.path("f").read_bytes() == b"1\n"
    (outcome,) = apply(rb, rb.restore("f", versions[0].id, side="before"))
    assert work.path("f").read_bytes() == b"0\n"
    assert rb.restore("f", versions[0].id, side="before").steps[0].action == "already"
    assert work.undo(outcome.version).status == "done"
    assert work.path("f").read_bytes() == b"1\n"


def test_a_version_of_another_workspace_is_not_known_here(work, tmp_path) -> None:
    other = type(work)(tmp_path / "other")
    other.rows = work.rows
    version = other.edit("f", b"x\n")
    with pytest.raises(Refused) as e:
        work.rollback().version(version.id)
    assert e.value.code == "not_found"


# --- F. git ---------------------------------------------------------------------------------------------------------


def git(*args: str, cwd, **env: str) -> str:
    full = {**os.environ, "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1", **env}
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *who, *args], cwd=cwd, capture_output=True, text=True, check=True, env=full).stdout


def frozen(root) -> dict[str, bytes]:
    """Every byte below .git, and what git tells."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if ".git" in p.parts and p.is_file()}


def test_f2_f5_f6_f7_the_users_repository_is_byte_for_byte_the_same(work) -> None:
    root = work.root
    library = root.parent / "library"
    library.mkdir()
    for folder in (library, root):
        git("init", "-q", cwd=folder)
        (folder / "f").write_bytes(LINES)
        git("add", "f", cwd=folder)
        git("commit", "-q", "-m", "one", cwd=folder)
    git("submodule", "add", "-q", str(library), "sub", cwd=root)
    git("commit", "-q", "-m", "sub", cwd=root)
    work.person("f", LINES + b"stashed\n")
    git("stash", "-q", cwd=root)
    work.person(".gitignore", b"*.local\n")
    work.person("staged", b"staged\n")
    git("add", "staged", cwd=root)
    work.person("staged", b"staged and changed\n")
    work.person("x.local", b"ignored\n")
    work.person("untracked", b"untracked\n")
    work.path("nested").mkdir()
    git("init", "-q", cwd=work.path("nested"))
    work.person("nested/n", b"n\n")
    paths = ["f", "staged", "x.local", "untracked", "sub/f", "nested/n"]
    status = git("status", "--porcelain=v2", "--ignored", cwd=root)
    before, files = frozen(root), tree(root)
    versions = [work.edit(p, b"edit %d of %s\n" % (i, p.encode())) for i in range(9) for p in paths]
    for version in reversed(versions):
        assert work.undo(version).status == "done"
    assert frozen(root) == before
    assert tree(root) == files
    assert git("status", "--porcelain=v2", "--ignored", cwd=root) == status
    assert "stash@{0}" in git("stash", "list", cwd=root)


def test_f4_f11_no_filter_hook_or_setting_of_git_has_any_effect(work, monkeypatch, tmp_path) -> None:
    git("init", "-q", cwd=work.root)
    work.person(".gitattributes", b"* text=auto eol=crlf filter=loud\n")
    marker = tmp_path / "ran"
    for line in (f"filter.loud.clean 'touch {marker}; cat'", "core.autocrlf true", "commit.gpgsign true"):
        name, _, value = line.partition(" ")
        git("config", name, value.strip("'"), cwd=work.root)
    hook = work.path(".git/hooks/post-checkout")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    work.person("f", b"one\ntwo\r\n")
    work.undo(work.edit("f", b"one\r\n"))
    assert work.path("f").read_bytes() == b"one\ntwo\r\n"
    assert not marker.exists()
    assert not (tmp_path / "elsewhere").exists()


def test_f12_f13_the_cost_is_that_of_the_file_only(work, monkeypatch) -> None:
    """No folder is listed for an edit and its rollback, whatever else lies there."""
    work.person("d/unreadable", b"x")
    work.path("d/unreadable").chmod(0)
    work.person("f", LINES)

    def listed(*_: object) -> None:
        raise AssertionError("a folder was listed")

    for name in ("scandir", "listdir", "walk", "fwalk"):
        monkeypatch.setattr(os, name, listed)
    assert work.undo(work.edit("f", LINES + b"x\n")).status == "done"
    assert work.path("f").read_bytes() == LINES


# --- G. kinds of files ----------------------------------------------------------------------------------------------


def test_g1_g10_a_reader_sees_only_whole_files_with_their_mode(work) -> None:
    work.person("run", b"#!/bin/sh\nexit 0\n")
    work.path("run").chmod(0o755)
    version = work.edit("run", b"#!/bin/sh\nexit 1\n")
    assert stat.S_IMODE(work.path("run").stat().st_mode) == 0o755
    work.undo(version)
    assert stat.S_IMODE(work.path("run").stat().st_mode) == 0o755


def test_g2_the_target_of_a_link_is_restored_and_the_link_stays(work) -> None:
    work.person("real/f", b"1\n")
    work.path("link").symlink_to("real/f")
    version = work.edit("link", b"2\n")
    assert version.path == "real/f"
    work.undo(version)
    assert work.path("link").is_symlink()
    assert work.path("real/f").read_bytes() == b"1\n"


def test_links_themselves_come_back(work) -> None:
    work.path("link").symlink_to("nowhere")
    version = work.delete("link")
    assert version.before.kind == "link"
    assert work.undo(version).status == "done"
    assert os.readlink(work.path("link")) == "nowhere"


def test_g4_a_hard_link_keeps_its_bytes_and_both_agree_after_the_rollback(work) -> None:
    work.person("f", b"1\n")
    os.link(work.path("f"), work.path("g"))
    version = work.edit("f", b"2\n")
    assert work.path("g").read_bytes() == b"1\n"
    work.undo(version)
    assert work.path("f").read_bytes() == work.path("g").read_bytes() == b"1\n"


def test_g5_a_file_above_the_limit_is_told_before_the_edit(work) -> None:
    work.person("big", b"x" * ((1 << 20) + 1))
    place = work.fence.resolve("big")
    assert "keeps files up to" in work.history().unkept(place)
    with pytest.raises(Refused) as e:
        work.history().before(place)
    assert e.value.code == "too_large"
    with work.history().before(place, anyway=True) as pending:
        work.person("big", b"small\n")
        version = pending.done()
    assert not version.before.stored
    assert work.undo(version).status == "refused"


def test_a_file_that_has_become_too_large_to_keep_is_left_as_it_is(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    work.person("f", b"x" * ((1 << 20) + 1))
    outcome = work.undo(version)
    assert outcome.status == "refused"
    assert "1,048,577 bytes long now" in outcome.message
    assert work.rollback().restore("f", version.id).steps[0].action == "refused"


def test_g6_a_read_only_file_stays(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    work.path("f").chmod(0o444)
    outcome = work.undo(version)
    assert outcome.status == "refused"
    assert "read-only" in outcome.message
    assert work.path("f").read_bytes() == b"2\n"


@pytest.mark.parametrize("name", ["-rf", "with\nnewline", "caf\udce9.txt", "cafe\u0301", " lead", "a;b $(c) `d`", "😀"])
def test_g8_g9_odd_names(work, name: str) -> None:
    work.person(name, b"1\n")
    before = State("file", work.store.put(b"1\n"), 2, 0o644)
    after = State("file", work.store.put(b"2\n"), 2, 0o644)
    (version,) = work.rows.record(
        [Change(name, before, after)], workspace=str(work.root), session="s1", call="b", by="bash"
    )
    work.person(name, b"2\n")
    assert work.undo(version).status == "done"
    assert work.path(name).read_bytes() == b"1\n"


def test_g11_attributes_stay(work) -> None:
    work.person("f", b"1\n")
    try:
        os.setxattr(work.path("f"), "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no attributes")
    work.undo(work.edit("f", b"2\n"))
    assert os.getxattr(work.path("f"), "user.note") == b"mine"


# --- H, I. failures, secrets ----------------------------------------------------------------------------------------


def test_h7_a_damaged_before_image_is_refused(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", b"2\n")
    file = work.store.objects / version.before.sha256[:2] / version.before.sha256[2:]
    raw = bytearray(file.read_bytes())
    raw[-3] ^= 1
    file.write_bytes(raw)
    outcome = work.undo(version)
    assert outcome.status == "refused"
    assert work.path("f").read_bytes() == b"2\n"


def test_h9_a_store_that_cannot_be_written_refuses_the_edit(work, monkeypatch) -> None:
    work.person("f", b"1\n")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("workbench.history.store.write", full)
    with pytest.raises(Refused) as e:
        work.edit("f", b"2\n")
    assert e.value.code == "io"
    assert work.path("f").read_bytes() == b"1\n"
    assert work.rows.pending(str(work.root)) == []


def test_i1_nothing_lies_beside_the_file_and_the_store_is_private(work) -> None:
    work.person("f", b"1\n")
    work.undo(work.edit("f", b"2\n"))
    assert tree(work.root) == {"f": b"1\n"}
    for path in work.store.root.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_i2_an_excluded_path_says_that_it_cannot_be_taken_back(tmp_path, work) -> None:
    private = type(work)(tmp_path / "p", keeps=lambda path, _: "it is a credential" if path == ".env" else "")
    private.person(".env", b"KEY=abc\n")
    place = private.fence.resolve(".env")
    assert private.history().unkept(place) == "it is a credential"
    with pytest.raises(Refused, match="without a way back: it is a credential"):
        private.history().before(place)
    with private.history().before(place, anyway=True) as pending:
        private.person(".env", b"KEY=def\n")
        version = pending.done()
    assert list(private.store.names()) == []
    assert private.undo(version).status == "refused"
    assert private.path(".env").read_bytes() == b"KEY=def\n"


def test_an_exact_plan_does_nothing_when_the_file_changed_since_the_preview(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", changed(LINES, (b"line 3\n", b"three\n")))
    rb = work.rollback()
    plan = rb.version(version.id)
    work.person("f", changed(work.path("f").read_bytes(), (b"line 20\n", b"mine\n")))
    (outcome,) = apply(rb, plan, exact=True)
    assert outcome.status == "stale"
    (outcome,) = apply(rb, plan)
    assert (outcome.status, outcome.step.action) == ("done", "merge")
    assert work.path("f").read_bytes() == changed(LINES, (b"line 20\n", b"mine\n"))


def test_two_plans_for_one_version_are_carried_out_once(work) -> None:
    work.person("f", b"1\n")
    version = work.edit("f", b"2\n")
    rb = Rollback(work.history("person"))
    plans = [rb.version(version.id) for _ in range(2)]
    assert [apply(rb, plan)[0].status for plan in plans] == ["done", "already"]
    assert len(work.rows.of_path(str(work.root), "f")) == 2
