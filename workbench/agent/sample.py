"""The sample workspace in which the demo model works: a small Python project with a failing test, a long module, and
a git repository with a remote that lies beside it."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workbench.agent import catalogue

FILES = Path(__file__).with_name("sample_files")
"""as text files: `x.py.txt` becomes `x.py`"""

DATE = "2026-03-02T09:00:00+00:00"


@dataclass(frozen=True)
class Sample:
    """Where it was laid out."""

    workspace: Path
    remote: Path | None
    """the bare repository that `git push` reaches; None where there is no git"""


def lay_out(target: Path) -> Sample:
    """Create the sample at `target`, which does not exist yet, and its remote at `<target>.git`."""
    target.mkdir(parents=True)
    for source in sorted(FILES.rglob("*.txt")):
        name = source.relative_to(FILES).with_suffix("").as_posix()
        place = target / (".gitignore" if name == "gitignore" else name)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(source.read_bytes())
    (target / "seedshop" / "catalogue.py").write_text(catalogue.text(), encoding="utf-8")
    return Sample(target, _repository(target))


def _repository(target: Path) -> Path | None:
    git = shutil.which("git")
    if git is None:
        return None
    remote = target.with_name(f"{target.name}.git")

    def run(*words: str) -> None:
        subprocess.run([git, *words], cwd=target, env=_clean(), check=True, capture_output=True, timeout=60)

    run("init", "--quiet", "--initial-branch=main")
    run("config", "user.name", "Sample Agent")
    run("config", "user.email", "agent@sample.invalid")
    run("config", "commit.gpgSign", "false")
    run("init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    run("remote", "add", "origin", str(remote))
    run("add", "seedshop/catalogue.py", "seedshop/__init__.py", ".gitignore", "pyproject.toml")
    run("commit", "--quiet", "--message", "Export the catalogue")
    run("add", "--all")
    run("commit", "--quiet", "--message", "Price orders, with a discount for ten packets or more")
    run("push", "--quiet", "--set-upstream", "origin", "main")
    return remote


def _clean() -> dict[str, str]:
    """An environment in which nothing of the user's git configuration is read."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
    }
