"""`doctor` says how this machine stands, and what to do about what is missing."""

from pathlib import Path

from tests.web.server import Workbench, manage


def test_it_names_everything_that_counts(tmp_path: Path) -> None:
    done = manage("doctor", data=tmp_path / "data")
    assert done.returncode == 0, done.stderr
    for what in ("python", "sandbox", "ripgrep", "git", "bash", "data folder", "database", "channel layer", "models"):
        assert f"  {what} " in done.stdout
    assert "ANTHROPIC_API_KEY" in done.stdout, "no real model yet: how to get one"
    assert "does not run" in done.stdout


def test_a_missing_program_comes_with_the_way_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = manage("doctor", data=tmp_path / "data", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 0, done.stderr
    assert "rg is not installed" in done.stdout
    assert "apt install git" in done.stdout


def test_a_running_workbench_and_a_real_model_are_seen(live: Workbench) -> None:
    done = manage("doctor", data=live.data, env=live.env)
    assert f"runs at {live.url}" in done.stdout
    assert "openai:scripted" in done.stdout
