"""Files that make something run later, where a command may not write them: found, compared, held back.

What exists is mounted read-only (`mounts`). What does not exist cannot be mounted over without leaving a mark in the
workspace, so it is looked for afterwards. Without mounts (levels C and D) the existing ones are compared too, and put
back. Nothing is thrown away: what is held back lies in a folder outside the workspace, and a note says so.
"""

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.policy.call import Verb
from workbench.policy.rules import path_effects
from workbench.shell.jail import repository
from workbench.shell.jail.small import read_small

_KEPT_BYTES = 4 * 1024 * 1024
_KEPT_FILES = 2000


@dataclass(frozen=True)
class Shape:
    """What lies at a path and beneath it: kind, permission bits, bytes of a file or target of a link."""

    parts: tuple[tuple[str, int, bytes], ...]
    """(path beneath, st_mode, content); empty when there is nothing"""
    whole: bool = True
    """False: too much to keep, only the first part was looked at"""


@lru_cache(maxsize=16384)
def acts_later(rel: str) -> bool:
    """Whether the built-in rules say that a file at this path runs or configures something later."""
    if rel.endswith(".pth"):  # in a workspace's own folders these are saved models, not Python's start-up files
        return False
    return any(e.verb == Verb.PERSIST for e in path_effects(rel, "write"))


def protected(root: Path, write: Sequence[Path] = ()) -> list[Path]:
    """What acts later in the top folder of a workspace and in its folders with a dot, and repositories just below.

    Where something beneath may be written (`write`, as a person allowed), what lies beside it instead.
    """
    found: list[Path] = []
    for name in _names(root):
        if acts_later(name):
            found.append(root / name)
        elif name.startswith(".") and (root / name).is_dir():
            found += [root / name / inner for inner in _names(root / name) if acts_later(f"{name}/{inner}")]
    found += [folder / ".git" for folder in repository.nested(root)]
    return [left for path in found for left in _without(path, write)]


def _without(path: Path, write: Sequence[Path]) -> list[Path]:
    if not granted(path, write):
        return [path]
    if path in write or path.name == ".git" or path.is_symlink():
        return []
    return [left for name in _names(path) for left in _without(path / name, write)]


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries)
    except OSError:
        return []


def granted(path: Path, write: Sequence[Path]) -> bool:
    """Whether a person allowed to write a path, or something beneath it."""
    return any(w.is_relative_to(path) for w in write)


class Guard:
    """A watch over the workspace `root` while one command runs that may write what `write` names."""

    def __init__(self, root: Path, compared: Iterable[Path], write: Sequence[Path], held: Path) -> None:
        """`compared`: paths to be as they were afterwards; `held` takes what is held back, and is made when needed."""
        self.root = root
        self.write = write
        self.held = held
        self.known: Collection[Path] = set(protected(root, write))
        self.before = {path: look(path) for path in compared}

    def settle(self) -> list[str]:
        """After the command: put everything protected back as it was. A sentence for each that was not."""
        notes = []
        for path in protected(self.root, self.write):
            if path not in self.known and path not in self.before:
                self.before[path] = Shape(())
        for path, before in self.before.items():
            after = look(path)
            if after != before and not _harmless(path, before, after):
                notes.append(self._hold_back(path, before))
        return notes

    def _hold_back(self, path: Path, before: Shape) -> str:
        name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        parent = _open_folder(self.root, path)
        if parent is None:
            return f"{name} changed, and could not be put back: a folder above it was replaced by a link."
        try:
            target = _free(self.held / name.strip("/").replace("/", "_"))
            if os.path.lexists(path):
                shutil.move(f"/proc/self/fd/{parent}/{path.name}", target)
            if before.parts and before.whole:
                _restore(Path(f"/proc/self/fd/{parent}/{path.name}"), before)
        finally:
            os.close(parent)
        if not before.parts:
            return (
                f"{name} was held back: it can make something run later, so a command may not create it. "
                f"Write it with write_file, which asks a person."
            )
        kept = "and was put back" if before.whole else "and was too large to be put back"
        return f"{name} was changed {kept}: it can make something run later. Use edit_file, which asks a person."


def look(path: Path) -> Shape:
    """What lies at `path`, without following a link at or beneath it."""
    parts: list[tuple[str, int, bytes]] = []
    left = _KEPT_BYTES
    todo = [path]
    while todo:
        here = todo.pop()
        try:
            info = here.lstat()
            if stat.S_ISLNK(info.st_mode):
                content = os.fsencode(here.readlink())
            elif stat.S_ISREG(info.st_mode):
                content = (read_small(here, left) or b"") if info.st_size <= left else b""
                left -= info.st_size
            else:
                content = b""
            if stat.S_ISDIR(info.st_mode):
                todo += sorted(here.iterdir(), reverse=True)
        except OSError:
            continue
        parts.append((here.relative_to(path).as_posix(), info.st_mode, content))
        if left < 0 or len(parts) > _KEPT_FILES:
            return Shape(tuple(parts[:1]), whole=False)
    return Shape(tuple(parts))


def _harmless(path: Path, before: Shape, after: Shape) -> bool:
    """A new repository without traps, and a branch that now follows a remote one, are what git does every day."""
    if path.name == ".git" and not before.parts:
        return repository.harmless(path)
    if path.name == "config" and len(before.parts) == len(after.parts) == 1:
        return repository.same_but_for_branches(before.parts[0][2], after.parts[0][2])
    return False


def _open_folder(root: Path, path: Path) -> int | None:
    """Descriptor of the folder that holds `path`, reached from `root` through no link; None when it cannot be."""
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    top = root if path.is_relative_to(root) else path.parent
    try:
        fd = os.open(top, flags)
        for part in path.parent.relative_to(top).parts:
            below = os.open(part, flags, dir_fd=fd)
            os.close(fd)
            fd = below
    except OSError:
        return None
    return fd


def _free(target: Path) -> Path:
    """`target`, or the same name with a number when something lies there already. Its folder is made."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number = 1
    while os.path.lexists(target):
        number += 1
        target = target.with_name(f"{target.name}.{number}")
    return target


def _restore(path: Path, shape: Shape) -> None:
    for rel, mode, content in shape.parts:
        here = path / rel
        if stat.S_ISDIR(mode):
            here.mkdir(exist_ok=True)
        elif stat.S_ISLNK(mode):
            here.symlink_to(os.fsdecode(content))
        elif stat.S_ISREG(mode):
            here.write_bytes(content)
            here.chmod(stat.S_IMODE(mode))
