"""What acts later is put back as it was, and nothing of it is lost."""

import os
import subprocess
from pathlib import Path

import pytest

from workbench.shell.jail.guard import Guard, acts_later, granted, look, protected


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def guard(root: Path, *compared: Path, write: tuple[Path, ...] = ()) -> Guard:
    return Guard(root, compared, write, root.parent / "held")


def test_ordinary_files_are_not_its_business(root: Path) -> None:
    watch = guard(root)
    (root / "a.py").write_text("x")
    (root / "sub").mkdir()
    (root / ".gitignore").write_text("x")
    (root / "model.pth").write_text("weights")
    assert watch.settle() == []
    assert not (root.parent / "held").exists()


def test_what_was_planted_is_held_back_whole(root: Path) -> None:
    watch = guard(root)
    (root / ".claude" / "x").mkdir(parents=True)
    (root / ".claude" / "x" / "settings.json").write_text("{}")
    (note,) = watch.settle()
    assert note.startswith(".claude was held back")
    assert not (root / ".claude").exists()
    assert (root.parent / "held" / ".claude" / "x" / "settings.json").read_text() == "{}"


def test_what_was_there_before_stays(root: Path) -> None:
    (root / "AGENTS.md").write_text("mine")
    watch = guard(root)
    (root / "AGENTS.md").write_text("mine, and changed by me in my editor")
    assert watch.settle() == []


def test_what_is_compared_is_put_back(root: Path) -> None:
    (root / "AGENTS.md").write_text("as it was")
    (root / "AGENTS.md").chmod(0o640)
    (root / ".vscode").mkdir()
    (root / ".vscode" / "a").write_text("a")
    (root / ".vscode" / "link").symlink_to("a")
    watch = guard(root, root / "AGENTS.md", root / ".vscode")
    (root / "AGENTS.md").write_text("changed")
    (root / ".vscode" / "a").unlink()
    (root / ".vscode" / "b").write_text("planted")
    notes = watch.settle()
    assert [n.split(" ")[0] for n in notes] == ["AGENTS.md", ".vscode"]
    assert ((root / "AGENTS.md").read_text(), (root / "AGENTS.md").stat().st_mode & 0o777) == ("as it was", 0o640)
    assert sorted(os.listdir(root / ".vscode")) == ["a", "link"]
    assert (root / ".vscode" / "link").readlink() == Path("a")
    assert (root.parent / "held" / "AGENTS.md").read_text() == "changed"
    assert (root.parent / "held" / ".vscode" / "b").read_text() == "planted"


def test_what_was_deleted_comes_back(root: Path) -> None:
    (root / "AGENTS.md").write_text("as it was")
    watch = guard(root, root / "AGENTS.md")
    (root / "AGENTS.md").unlink()
    assert len(watch.settle()) == 1
    assert (root / "AGENTS.md").read_text() == "as it was"


def test_a_file_that_became_a_link_is_put_back_and_its_target_is_left_alone(root: Path) -> None:
    victim = root.parent / "victim"
    victim.write_text("mine")
    (root / "AGENTS.md").write_text("as it was")
    watch = guard(root, root / "AGENTS.md")
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to(victim)
    watch.settle()
    assert not (root / "AGENTS.md").is_symlink()
    assert ((root / "AGENTS.md").read_text(), victim.read_text()) == ("as it was", "mine")


def test_a_folder_above_that_became_a_link_is_not_followed(root: Path) -> None:
    outside = root.parent / "outside"
    (outside / "workflows").mkdir(parents=True)
    (outside / "workflows" / "ci.yml").write_text("mine")
    watch = guard(root)
    (root / ".github").symlink_to(outside)
    (note,) = watch.settle()
    assert "could not be put back" in note
    assert (outside / "workflows" / "ci.yml").read_text() == "mine"


def test_what_a_person_allowed_is_let_through(root: Path) -> None:
    watch = guard(root, write=(root / ".vscode" / "settings.json",))
    (root / ".vscode").mkdir()
    (root / ".vscode" / "settings.json").write_text("{}")
    assert watch.settle() == []
    assert granted(root / ".vscode", (root / ".vscode" / "settings.json",))
    assert not granted(root / ".idea", (root / ".vscode" / "settings.json",))


def test_the_same_name_held_back_twice_is_kept_twice(root: Path) -> None:
    for text in ("one", "two"):
        watch = guard(root)
        (root / "AGENTS.md").write_text(text)
        watch.settle()
    held = sorted(path.read_text() for path in (root.parent / "held").iterdir())
    assert held == ["one", "two"]


def test_a_new_repository_is_let_through_and_a_trap_is_not(root: Path) -> None:
    watch = guard(root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "init", "-q", "sub"], cwd=root, check=True)
    assert watch.settle() == []
    subprocess.run(["git", "config", "core.fsmonitor", "./x"], cwd=root / "sub", check=True)
    (root / ".git").rename(root.parent / "aside")
    (root / "sub" / ".git").rename(root / "moved")
    watch = guard(root)
    (root / "moved").rename(root / "sub" / ".git")
    (note,) = watch.settle()
    assert note.startswith("sub/.git was held back")


def test_a_folder_too_large_to_keep_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.shell.jail.guard._KEPT_BYTES", 10)
    (root / "AGENTS.md").write_text("longer than ten bytes")
    watch = guard(root, root / "AGENTS.md")
    assert not look(root / "AGENTS.md").whole
    (root / "AGENTS.md").unlink()
    (note,) = watch.settle()
    assert "too large to be put back" in note


def test_special_files_are_looked_at_without_being_opened(root: Path) -> None:
    os.mkfifo(root / "AGENTS.md")
    assert len(look(root / "AGENTS.md").parts) == 1


def test_protected_names_come_from_the_rules_at_the_top_and_below_a_dot(root: Path) -> None:
    for name in (
        ".vscode/x",
        ".github/workflows/ci.yml",
        ".github/notes.md",
        "AGENTS.md",
        "a.py",
        "sub/AGENTS.md",
        "sub/.git",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    found = {path.relative_to(root).as_posix() for path in protected(root)}
    assert found == {".vscode", ".github/workflows", "AGENTS.md", "sub/.git"}
    assert acts_later("sub/AGENTS.md"), "deeper ones are seen in what a command changed"


def test_beside_what_a_person_allowed_everything_stays_protected(root: Path) -> None:
    (root / ".vscode").mkdir()
    (root / ".vscode" / "tasks.json").touch()
    allowed = (root / ".vscode" / "settings.json",)
    assert protected(root, allowed) == [root / ".vscode" / "tasks.json"]
    watch = guard(root, write=allowed)
    (root / ".vscode" / "settings.json").touch()
    (root / ".vscode" / "launch.json").touch()
    (note,) = watch.settle()
    assert note.startswith(".vscode/launch.json was held back")
    assert sorted(os.listdir(root / ".vscode")) == ["settings.json", "tasks.json"]
