"""Where the git repository of a workspace lies, found by reading its files: git itself is not asked, nothing is run."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.shell.jail.small import read_small, text_of

PROTECTED = ("config", "config.worktree", "hooks", "info", "modules", "worktrees", "commondir", "gitdir")
"""names in a git folder that make git run something, or look elsewhere, later"""


@dataclass(frozen=True)
class Repository:
    """A repository whose work tree holds the workspace."""

    top: Path
    """folder with the `.git`"""
    dot: Path
    """that `.git`: a folder, or a file that points to one"""
    own: Path
    """git folder of this work tree: HEAD and index"""
    common: Path
    """git folder with objects, refs and config; the same as `own` except in a linked work tree"""


def find(root: Path) -> Repository | None:
    """The repository that `root` lies in, or None."""
    for top in (root, *root.parents):
        if os.path.lexists(top / ".git"):
            return at(top)
    return None


def around(root: Path) -> list[Repository]:
    """The repository that `root` lies in, and those in folders just below it."""
    own = find(root)
    return [repo for repo in (own, *(at(folder) for folder in nested(root))) if repo is not None]


def nested(root: Path) -> list[Path]:
    """Folders just below `root` with something named `.git` in them."""
    try:
        with os.scandir(root) as entries:
            names = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith("."))
    except OSError:
        return []
    top = str(root)
    return [root / name for name in names if os.path.lexists(f"{top}/{name}/.git")]


def at(top: Path) -> Repository | None:
    """The repository whose work tree starts at `top`."""
    dot = top / ".git"
    if dot.is_symlink() or top.is_symlink():
        return None  # a link that a command may replace is nothing to build a fence on
    if dot.is_dir() and (dot / "HEAD").exists():
        return Repository(top, dot, dot, dot)
    return _linked(top, dot) if dot.is_file() else None


def _linked(top: Path, dot: Path) -> Repository | None:
    """A work tree or submodule: `.git` is a file with one line `gitdir: PATH`."""
    own = _pointed(dot, "gitdir:", top)
    if own is None or not (own / "HEAD").exists() or not _points_back(own, top, dot):
        return None
    common = _pointed(own / "commondir", "", own) if (own / "commondir").exists() else own
    if common is None or not (common / "objects").is_dir():
        return None
    return Repository(top, dot, own, common)


def _pointed(file: Path, prefix: str, base: Path) -> Path | None:
    line = text_of(file, 4096).strip()
    if not line.startswith(prefix) or "\0" in line or not line.removeprefix(prefix).strip():
        return None
    return Path(os.path.realpath(base / line.removeprefix(prefix).strip()))


def _points_back(own: Path, top: Path, dot: Path) -> bool:
    """Whether that git folder knows this work tree; a planted `.git` file could name anybody's repository."""
    inside = any(own.is_relative_to(above / ".git") for above in top.parents)
    return inside or _pointed(own / "gitdir", "", own) == Path(os.path.realpath(dot))


_HEADER = re.compile(r'\[([a-z]+)(?: "((?:[^"\\]|\\.)*)")?\]', re.ASCII)
_SETTING = re.compile(r"([a-z][a-z-]*)\s*=\s*(.*[^\\]|)", re.ASCII | re.IGNORECASE)
_BRANCH = {"remote", "merge", "rebase", "description", "vscode-merge-base"}
_FRESH = {
    "core": {
        "repositoryformatversion",
        "filemode",
        "bare",
        "logallrefupdates",
        "ignorecase",
        "precomposeunicode",
        "symlinks",
    },
    "user": {"name", "email"},
    "init": {"defaultbranch"},
    "extensions": {"objectformat", "refstorage"},
    "remote": {"url", "fetch"},
    "branch": _BRANCH,
}
"""section: settings, all harmless whatever their value (but for a remote that names a helper program)"""


def same_but_for_branches(before: bytes, after: bytes) -> bool:
    """Whether a config changed in nothing but which remote branch a branch follows (`git push -u`)."""
    return _others(before) == _others(after)


def _others(config: bytes) -> list[str]:
    """The lines of a config without plain `[branch "…"]` sections."""
    kept, inside = [], False
    for line in config.decode(errors="surrogateescape").split("\n"):
        text = line.strip()
        if text.startswith("["):
            header = _HEADER.fullmatch(text)
            inside = header is not None and header[1] == "branch"
        setting = _SETTING.fullmatch(text)
        plain = text.startswith("[") or not text or (setting is not None and setting[1].lower() in _BRANCH)
        if not (inside and plain):
            kept.append(text)
    return [text for text in kept if text]


def harmless(dot: Path) -> bool:
    """Whether a `.git` that a command made holds nothing that runs something later, as after a plain `git init`."""
    if dot.is_symlink() or not dot.is_dir():
        return False
    absent = not any(os.path.lexists(dot / name) for name in PROTECTED if name not in ("config", "hooks", "info"))
    hooks = all(h.name.endswith(".sample") for h in (dot / "hooks").glob("*"))
    info = all(f.name in ("exclude", "refs") for f in (dot / "info").glob("*"))
    return absent and hooks and info and _plain_config(dot / "config")


def _plain_config(file: Path) -> bool:
    section = ""
    config = read_small(file)
    if config is None:
        return False
    for line in map(str.strip, config.decode(errors="surrogateescape").split("\n")):
        if header := _HEADER.fullmatch(line):
            section = header[1]
        elif line and not line.startswith(("#", ";")):
            setting = _SETTING.fullmatch(line)
            if setting is None or setting[1].lower() not in _FRESH.get(section, ()) or "::" in setting[2]:
                return False
    return True
