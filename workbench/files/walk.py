"""A walk over a folder by descriptors, ignore files honoured; follows no link and opens nothing but folders."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pathspec

from workbench.files.fence import Fence, Place

_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
"""later ones win"""
_IGNORE_SIZE = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEPTH = 200


@dataclass(frozen=True)
class _Ignore:
    """The rules of one file, for paths beneath `base` ("" or ending with `/`)."""

    base: str
    spec: pathspec.GitIgnoreSpec

    def says(self, path: str) -> bool | None:
        return self.spec.check_file(path.removeprefix(self.base)).include


def walk(fence: Fence, place: Place, over: Callable[[], bool]) -> Iterator[str]:
    """Files under the folder `place`, relative to the fence's root, sorted folder by folder. `over` ends it early."""
    base = f"{place.rel}/" if place.rel else ""
    rules = _above(fence, place)
    fd = fence.open_folder(place)
    try:
        yield from _folder(fd, base, rules, over, _DEPTH)
    finally:
        os.close(fd)


def _above(fence: Fence, place: Place) -> list[_Ignore]:
    """Rules of the folders between the root and `place`, and of the repository."""
    found: list[_Ignore] = []
    parts = place.inner.split("/") if place.inner else []
    outer = place.rel[: len(place.rel) - len(place.inner)]
    for depth in range(len(parts) + 1):
        inner = "/".join(parts[:depth])
        above = fence.resolve(f"{outer}{inner}" or ".") if depth < len(parts) else None
        if above is None or above.kind != "folder":
            continue
        fd = fence.open_folder(above)
        try:
            found += _rules(fd, f"{above.rel}/" if above.rel else "")
        finally:
            os.close(fd)
    return found


def _folder(fd: int, base: str, rules: Sequence[_Ignore], over: Callable[[], bool], depth: int) -> Iterator[str]:
    rules = [*rules, *_rules(fd, base)]
    with os.scandir(fd) as listed:
        entries = sorted((os.fsencode(e.name), e.is_dir(follow_symlinks=False), e.is_symlink()) for e in listed)
    for raw, folder, link in entries:
        if over():
            return
        try:
            name = raw.decode()
        except UnicodeDecodeError:
            continue
        if link or name == ".git" or _ignored(rules, base + name + ("/" if folder else "")):
            continue
        if not folder:
            yield base + name
        elif depth:
            yield from _subfolder(fd, name, base, rules, over, depth)


def _subfolder(
    above: int, name: str, base: str, rules: Sequence[_Ignore], over: Callable[[], bool], depth: int
) -> Iterator[str]:
    try:
        fd = os.open(name, _FOLDER, dir_fd=above)
    except OSError:
        return
    try:
        yield from _folder(fd, f"{base}{name}/", rules, over, depth - 1)
    except PermissionError:
        return
    finally:
        os.close(fd)


def _ignored(rules: Sequence[_Ignore], path: str) -> bool:
    """The nearest rule that says something decides."""
    return next((said for rule in reversed(rules) if (said := rule.says(path)) is not None), False)


def _rules(fd: int, base: str) -> list[_Ignore]:
    return [
        _Ignore(base, pathspec.GitIgnoreSpec.from_lines(lines))
        for name in (".git/info/exclude", *_IGNORE_FILES)
        if (lines := _lines(fd, name))
    ]


def _lines(fd: int, name: str) -> list[str]:
    try:
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
    except OSError:
        return []
    try:
        return os.pread(opened, _IGNORE_SIZE, 0).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    finally:
        os.close(opened)
