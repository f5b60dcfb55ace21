"""Which remote a git command reaches, when that is a repository on this machine's disk. Nothing is run to find out but
`git config` on one file."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from workbench.shell.jail import repository
from workbench.shell.jail.small import text_of

REACHING = {"push", "fetch", "pull", "clone", "ls-remote", "archive"}
_TAKES_VALUE = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
_VALUE_AFTER_COMMAND = {
    "-o", "--push-option", "--repo", "--receive-pack", "--exec", "--upload-pack", "-j", "--depth", "-b", "--branch",
    "--origin", "--reference", "--refmap", "-s", "--strategy", "-X", "--deepen",
}  # fmt: skip


def git_words(argv: Sequence[str | None]) -> list[str]:
    """A git command's words from its subcommand on; empty where one is not known, or its global options say more."""
    words = list(argv[1:])
    while words and (words[0] is None or words[0].startswith("-")):
        if words[0] is None or words[0].partition("=")[0] in _TAKES_VALUE:
            return []
        words.pop(0)
    return [w for w in words if w is not None] if None not in words else []


def reached(words: Sequence[str], root: Path) -> Path | None:
    """The folder of the one repository that the command reaches, or None when that is elsewhere or not known."""
    repo = repository.find(root)
    if not words or words[0] not in REACHING or any(w.startswith(("--all", "--multiple")) for w in words):
        return None
    named = _named(words[1:])
    if named and _is_path(named):
        return _folder(named, root)
    if repo is None:
        return None
    name = named or _default(repo)
    urls = _asked(repo, f"remote.{name}.pushurl") if words[0] == "push" else []
    urls = urls or _asked(repo, f"remote.{name}.url")
    return _folder(urls[0], repo.top) if len(urls) == 1 else None


def _named(words: Sequence[str]) -> str:
    """The first word that is no option and no option's value."""
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUE_AFTER_COMMAND
        else:
            return word
    return ""


def _is_path(word: str) -> bool:
    return word.startswith(("/", "./", "../", "file://")) or word in (".", "..")


def _folder(url: str, base: Path) -> Path | None:
    """A path or file:// address as a folder, when it is a repository."""
    path = url.removeprefix("file://")
    if "://" in path or "::" in path or (":" in path.split("/", 1)[0]):
        return None
    folder = (base / path).resolve()
    for candidate in (folder, folder.with_name(f"{folder.name}.git"), folder / ".git"):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate
    return None


def _default(repo: repository.Repository) -> str:
    head = text_of(repo.own / "HEAD", 4096).strip()
    branch = head.removeprefix("ref: refs/heads/")
    named = _asked(repo, f"branch.{branch}.remote") if branch != head else []
    return named[0] if len(named) == 1 else "origin"


def _asked(repo: repository.Repository, key: str) -> list[str]:
    """All values of a setting in the repository's own config."""
    program = shutil.which("git", path="/usr/local/bin:/usr/bin:/bin")
    if program is None:
        return []
    asked = subprocess.run(
        [program, "config", "--file", str(repo.common / "config"), "-z", "--get-all", key],
        cwd="/",
        env={},
        capture_output=True,
        timeout=5,
        check=False,
    )
    return [value for value in asked.stdout.decode(errors="surrogateescape").split("\0") if value]
