"""The sample workspace works as the demo needs it (A5)."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.agent.sample import Sample, lay_out

CLEAN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C"}


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return lay_out(tmp_path / "sample")


def run(sample: Sample, *words: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=where or sample.workspace, env=CLEAN, capture_output=True, text=True, timeout=60, check=False
    )


def test_its_tests_fail_for_one_reason_and_pass_when_that_is_mended(sample: Sample) -> None:
    began = time.monotonic()
    red = run(sample, sys.executable, "-B", "-m", "unittest", "-q")
    assert 1 < time.monotonic() - began < 20, "long enough to be watched"
    assert red.returncode == 1 and "FAILED (failures=1)" in red.stderr
    assert "\x1b[31mFAIL" in red.stdout and "\x1b[32mok" in red.stdout
    code = sample.workspace / "seedshop" / "pricing.py"
    code.write_text(code.read_text().replace("quantity > BULK_FROM", "quantity >= BULK_FROM"))
    assert run(sample, sys.executable, "-B", "-m", "unittest", "-q").returncode == 0
    assert run(sample, "git", "status", "--short").stdout == " M seedshop/pricing.py\n"


def test_its_repository_is_clean_and_reaches_its_remote(sample: Sample) -> None:
    assert sample.remote is not None and sample.remote.parent == sample.workspace.parent
    assert run(sample, "git", "status", "--short", "--branch").stdout == "## main...origin/main\n"
    (sample.workspace / "README.md").write_text("new\n")
    assert run(sample, "git", "commit", "-qam", "Change").returncode == 0, "an identity is set, nothing global needed"
    assert run(sample, "git", "push", "origin", "main").returncode == 0
    log = run(sample, "git", "log", "--format=%s %an", "main", where=sample.remote).stdout
    assert log.splitlines()[0] == "Change Sample Agent" and len(log.splitlines()) == 3


def test_two_copies_are_alike_and_apart(tmp_path: Path) -> None:
    one, two = lay_out(tmp_path / "one"), lay_out(tmp_path / "two")
    assert run(one, "git", "rev-parse", "HEAD").stdout == run(two, "git", "rev-parse", "HEAD").stdout
    assert str(one.remote) in run(one, "git", "remote", "-v").stdout


def test_the_users_git_settings_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[core]\n\thooksPath = /nonexistent\n[init]\n\ttemplateDir = /nonexistent\n[broken"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert lay_out(tmp_path / "sample").remote is not None


def test_without_git_there_is_a_workspace_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sample = lay_out(tmp_path / "sample")
    assert sample.remote is None and (sample.workspace / "seedshop" / "pricing.py").is_file()


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    with pytest.raises(FileExistsError):
        lay_out(tmp_path / "sample")
