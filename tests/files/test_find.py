"""Finding files with ripgrep and without."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from workbench.files import Refused
from workbench.files.fence import Fence
from workbench.files.find import Deadline, files_under, regular_file, ripgrep


@pytest.fixture(params=[True, False], ids=["ripgrep", "walk"])
def program(request: pytest.FixtureRequest) -> str | None:
    return ripgrep() if request.param else None


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    for name in ("b.py", "a/x.py", "a/y.txt", "a.txt", "-rf", "a b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"in {name}\n")
    return Fence(tmp_path)


def found(fence: Fence, path: str, program: str | None, **hints: object) -> list[str]:
    return list(files_under(fence, fence.resolve(path), Deadline(5), program=program, **hints))  # type: ignore[arg-type]


def test_everything_in_one_order(fence: Fence, program: str | None) -> None:
    assert found(fence, ".", program) == ["-rf", "a/x.py", "a/y.txt", "a b.txt", "a.txt", "b.py"]
    assert found(fence, "a", program) == ["a/x.py", "a/y.txt"]


def test_a_file_is_its_own_list(fence: Fence, program: str | None) -> None:
    assert found(fence, "-rf", program) == ["-rf"]
    with pytest.raises(Refused) as e:
        found(fence, "missing", program)
    assert e.value.code == "no_file"


def test_hints_narrow_it_and_never_lose_anything(fence: Fence, program: str | None) -> None:
    assert "a/x.py" in found(fence, ".", program, name="*.py")
    assert {"a/x.py", "b.py"} <= set(found(fence, ".", program, containing=[r"in .*\.py"]))


def test_ripgrep_uses_the_hints(fence: Fence) -> None:
    assert found(fence, ".", ripgrep(), name="*.py") == ["a/x.py", "b.py"]
    assert found(fence, ".", ripgrep(), name="*.py", containing=["in a", "in -"]) == ["a/x.py"]


def test_a_pattern_that_ripgrep_does_not_know_falls_back(fence: Fence) -> None:
    assert found(fence, ".", ripgrep(), containing=[r"\Qnot rust\E("]) == found(fence, ".", None)


def test_a_program_inside_the_workspace_is_not_run(fence: Fence) -> None:
    evil = fence.root / "rg"
    evil.write_text("#!/bin/sh\ntouch run_it\n")
    evil.chmod(0o755)
    found(fence, ".", str(evil))
    assert not (fence.root / "run_it").exists()


def test_a_configuration_of_ripgrep_is_not_read(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    (fence.root / ".ripgreprc").write_text("--pre=touch\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(fence.root / ".ripgreprc"))
    assert "a.txt" in found(fence, ".", ripgrep(), containing=["in"])


def test_the_deadline_ends_it_and_is_noted(fence: Fence, program: str | None) -> None:
    deadline = Deadline(0)
    time.sleep(0.01)
    assert list(files_under(fence, fence.resolve("."), deadline, program=program)) == []
    assert deadline.met
    stopped = Deadline(5, lambda: True)
    assert list(files_under(fence, fence.resolve("."), stopped, program=program)) == []
    assert stopped.met


@pytest.mark.skipif(ripgrep() is None, reason="starts ripgrep")
def test_breaking_off_leaves_no_process(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    search = files_under(fence, fence.resolve("."), Deadline(5), program=ripgrep())
    next(search)
    search.close()  # type: ignore[attr-defined]
    (process,) = started
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


def test_only_regular_files_reached_through_no_link_count(fence: Fence) -> None:
    (fence.root / "link").symlink_to("a.txt")
    (fence.root / "folder").symlink_to("a")
    (fence.root / "~x").touch()
    place = regular_file(fence, "a/x.py")
    assert place is not None
    assert place.rel == "a/x.py"
    assert regular_file(fence, "~x")
    for rel in ("link", "folder/x.py", "a", "missing", "../x"):
        assert regular_file(fence, rel) is None
