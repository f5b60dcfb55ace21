"""Carrying out rollbacks: together with edits of agents, commands and a person, at once, and never losing a line."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.history import snapshot
from workbench.history.apply import apply
from workbench.history.changes import lines_of
from workbench.history.rollback import is_undone

HERE = os.path.dirname(__file__)
LINES = b"".join(b"line %d\n" % i for i in range(1, 31))


def test_nothing_to_do_writes_nothing(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", b"x\n")
    work.person("f", LINES)
    assert work.undo(version).status == "already"
    assert len(work.rows.of_session("s1")) == 1


def test_the_outcome_names_the_version_that_was_written(work) -> None:
    work.person("f", LINES)
    outcome = work.undo(work.edit("f", b"x\n"))
    assert outcome.version.by == "person"
    assert outcome.version == work.rows.get(outcome.version.id)


def test_a_folder_that_is_read_only_is_refused(work) -> None:
    work.person("d/f", LINES)
    version = work.edit("d/f", b"x\n")
    work.path("d").chmod(0o555)
    outcome = work.undo(version)
    work.path("d").chmod(0o755)
    assert outcome.status == "refused"
    assert work.path("d/f").read_bytes() == b"x\n"
    assert work.rows.pending(str(work.root)) == []


def test_h10_a_reader_sees_only_whole_versions(work) -> None:
    old, new = b"old\n" * 5000, b"new\n" * 7000
    work.person("f", old)
    seen, stop = set(), threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(work.path("f").read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(15):
        work.undo(work.edit("f", new))
    stop.set()
    reader.join()
    assert seen <= {old, new}


def test_h8_two_processes_take_back_different_edits_of_one_file(work) -> None:
    work.person("f", b"".join(b"line %d\n" % i for i in range(200)))
    start = work.path("f").read_bytes()
    versions = []
    for i in range(0, 200, 10):
        data = work.path("f").read_bytes().replace(b"line %d\n" % i, b"edit %d\n" % i)
        versions.append(work.edit("f", data).id)
    code = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Work
work = Work(Path(sys.argv[1]))
for version in sys.argv[3:]:
    outcome = work.undo(int(version))
    assert outcome.status == "done", outcome.message
"""
    base = str(work.root.parent)
    children = [
        subprocess.Popen([sys.executable, "-c", code, base, HERE, *map(str, part)], cwd=Path(HERE).parent.parent)
        for part in (versions[::2], versions[1::2])
    ]
    assert [child.wait(60) for child in children] == [0, 0]
    assert work.path("f").read_bytes() == start
    all_rows = work.rows.of_path(str(work.root), "f")
    assert len(all_rows) == 40
    assert len({v.id for v in all_rows}) == 40
    chain = [v.before.sha256 for v in all_rows[1:]]
    assert chain == [v.after.sha256 for v in all_rows[:-1]]


def test_two_at_once_on_the_same_version_is_one_rollback(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", b"x\n")
    found = []
    threads = [threading.Thread(target=lambda: found.append(work.undo(version).status)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == ["already", "already", "already", "done"]


def test_f7_many_rollbacks_beside_a_person_who_keeps_typing(work) -> None:
    work.person("f", LINES)
    version = work.edit("f", LINES.replace(b"line 3\n", b"three\n"))
    rb = work.rollback()
    plan = rb.version(version.id)
    work.person("f", work.path("f").read_bytes() + b"typed\n")
    (outcome,) = apply(rb, plan)
    assert outcome.status == "done"
    assert work.path("f").read_bytes() == LINES + b"typed\n"


# --- the long run: two agents, commands, a person -------------------------------------------------------------------


class Story:
    """Random changes by everyone; after each rollback it is compared with git's own merge."""

    def __init__(self, work, seed: int) -> None:
        self.work, self.random, self.count = work, random.Random(seed), 0
        self.scratch = work.root.parent / "scratch"
        self.scratch.mkdir(exist_ok=True)
        for name in "fg":
            work.person(name, LINES)

    def altered(self, data: bytes, who: bytes) -> bytes:
        """A few lines changed, added or taken out; each new line is unlike any other."""
        lines = lines_of(data)
        for _ in range(self.random.randint(1, 3)):
            self.count += 1
            new = b"%s %d\n" % (who, self.count)
            at = self.random.randint(0, len(lines))
            how = self.random.choice("iird")
            if how == "i" or at >= len(lines):
                lines.insert(at, new)
            elif how == "r":
                lines[at] = new
            elif who != b"agent" or not lines[at].startswith(b"person"):
                del lines[at]
        return b"".join(lines)

    def step(self) -> None:
        name = self.random.choice("fg")
        there = self.work.path(name).read_bytes() if self.work.path(name).exists() else b""
        what = self.random.choice(["agent", "agent", "other", "person", "bash", "rollback", "rollback", "hunk"])
        if what in ("agent", "other"):
            self.work.edit(name, self.altered(there, b"agent"), session=what)
        elif what == "person":
            self.work.person(name, self.altered(there, b"person"))
        elif what == "bash":
            self.bash(name)
        else:
            self.rollback(hunk=what == "hunk")

    def bash(self, name: str) -> None:
        self.count += 1
        command = self.random.choice([f"echo bash {self.count} >> {name}", f"sed -i '1i bash {self.count}' {name}"])
        scan = snapshot.before(self.work.history("bash", call=f"b{self.count}"), wait=30)
        subprocess.run(["bash", "-c", command], cwd=self.work.root, check=True, stderr=subprocess.DEVNULL)
        scan.after()

    def rollback(self, *, hunk: bool) -> None:
        known = [v for name in "fg" for v in self.work.rows.of_path(str(self.work.root), name)]
        if not known:
            return
        version = self.random.choice(known)
        path = self.work.path(version.path)
        now = path.read_bytes() if path.exists() else None
        rb = self.work.rollback()
        plan = rb.version(version.id, hunks={0} if hunk else ())
        (outcome,) = apply(rb, plan)
        after = path.read_bytes() if path.exists() else None
        if outcome.status != "done":
            assert after == now
        elif not hunk:
            self.check_oracle(version, now, after)
        self.check_person(version, now, after)
        if outcome.version and self.random.random() < 0.5:
            assert self.work.undo(outcome.version).status == "done"
            assert (path.read_bytes() if path.exists() else None) == now

    def check_oracle(self, version, now: bytes | None, after: bytes | None) -> None:
        def content(state) -> bytes | None:
            return None if state.kind == "absent" else self.work.store.get(state.sha256)

        before, left = content(version.before), content(version.after)
        if now == left:
            assert after == before
            return
        files = [self.scratch / n for n in ("now", "left", "before")]
        for file, data in zip(files, (now, left, before), strict=True):
            file.write_bytes(data)
        git = subprocess.run(["git", "merge-file", "-p", "-q", *files], capture_output=True)
        assert (git.returncode, git.stdout) == (0, after)

    def check_person(self, version, now: bytes | None, after: bytes | None) -> None:
        """Lines a person wrote since the change are all still there."""
        left = self.work.store.get(version.after.sha256) if version.after.kind == "file" else b""
        typed = {line for line in lines_of(now or b"") if line.startswith(b"person")} - set(lines_of(left))
        assert typed <= set(lines_of(after or b""))


def test_random_stories_agree_with_git_and_lose_nothing(tmp_path_factory, work, rounds) -> None:
    base = tmp_path_factory.mktemp("stories")

    @settings(max_examples=rounds(500), deadline=None)
    @given(st.integers(0, 10**9))
    def tell(seed: int) -> None:
        story = Story(type(work)(base / str(seed)), seed)
        try:
            for _ in range(14):
                story.step()
        finally:
            snapshot.close_workspace(story.work.history())

    tell()


@pytest.mark.parametrize("seed", range(3))
def test_a_rewind_takes_out_one_session_and_leaves_the_others(work, seed: int) -> None:
    """Sessions edit lines of their own: after a rewind of one, all lines of the other are there, none of its own."""
    r = random.Random(seed)
    work.person("f", b"".join(b"%d\n" % i for i in range(120)))
    owner = {i: r.choice("AB-") for i in range(0, 120, 4)}
    for i in sorted(owner, key=lambda _: r.random()):
        if owner[i] != "-":
            data = work.path("f").read_bytes().replace(b"\n%d\n" % i, b"\n%d by %s\n" % (i, owner[i].encode()))
            if data != work.path("f").read_bytes():
                work.edit("f", data, session=owner[i])
    rb = work.rollback()
    (outcome,) = apply(rb, rb.session("A"))
    assert outcome.status == "done"
    data = work.path("f").read_bytes()
    assert b"by A" not in data
    assert all(b"\n%d by B\n" % i in data for i, who in owner.items() if who == "B" and i)
    assert all(is_undone(work.rows, v) for v in work.rows.of_session("A"))
