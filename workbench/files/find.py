"""Which files lie under a folder, ignore files honoured, in one order: by ripgrep where it is, else by an own walk.

What ripgrep says is only a hint where to look: it opens by name, and a link could be swapped in before its eyes. So
each path goes through the fence before it is shown, and contents are read through the fence alone.
`.gitignore`, `.ignore` and `.git/info/exclude` count, with or without a repository; hidden files are found, `.git` not.
"""

import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from workbench.files import Refused
from workbench.files.fence import Fence, Place
from workbench.files.walk import walk

_READ = 64 << 10
_ARGS = (
    "--no-config", "--no-messages", "--no-require-git", "--no-ignore-global", "--hidden", "--glob=!.git",
    "--sort=path", "--null", "--color=never",
)  # fmt: skip


@dataclass
class Deadline:
    """When a search ends, finished or not."""

    seconds: float
    stop: Callable[[], bool] = lambda: False
    met: bool = False
    """it ended the search"""
    began: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        if time.monotonic() - self.began > self.seconds or self.stop():
            self.met = True
        return self.met

    def left(self) -> float:
        return max(0.0, self.seconds - (time.monotonic() - self.began))


@lru_cache(maxsize=1)
def ripgrep() -> str | None:
    """Absolute path of the program; None when it is not installed."""
    found = shutil.which("rg")
    return os.path.realpath(found) if found else None


def files_under(
    fence: Fence,
    place: Place,
    deadline: Deadline,
    *,
    name: str | None = None,
    containing: Sequence[str] = (),
    program: str | None = None,
) -> Iterator[str]:
    """Paths relative to the fence's root, sorted folder by folder. `place` may be a file.

    `name` is a glob that the last part of each path of interest fulfils, `containing` are regular expressions one of
    which the content fulfils: hints that make it fast, not promises. `program` is ripgrep, None to do without.
    """
    if place.kind != "folder":
        os.close(fence.open(place))
        yield place.rel
        return
    if program is None or Path(program).is_relative_to(place.root):
        yield from walk(fence, place, deadline.over)
        return
    args = ["--files"] if not containing else ["--files-with-matches", *(f"--regexp={p}" for p in containing)]
    if name:
        args += [f"--type-add=wanted:{name}", "--type=wanted"]
    os.close(fence.open_folder(place))
    try:
        yield from _paths(program, args, place, deadline)
    except _NotUnderstood:
        yield from walk(fence, place, deadline.over)


class _NotUnderstood(Exception):
    """ripgrep does not know this pattern or option."""


def _paths(program: str, args: list[str], place: Place, deadline: Deadline) -> Iterator[str]:
    process = subprocess.Popen(
        [program, *_ARGS, *args, "--", f"./{place.inner}" if place.inner else "./"],
        cwd=place.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
    )
    above = "" if place.rel == place.inner else f"{place.root.as_posix()}/"
    met = 0
    try:
        for name in _names(process, deadline):
            met += 1
            yield above + name.removeprefix("./")
    finally:
        process.kill()
        assert process.stdout and process.stderr
        complaint = process.stderr.read()
        process.stdout.close()
        process.stderr.close()
        process.wait()
    if not met and complaint and process.returncode == 2:
        raise _NotUnderstood


def _names(process: "subprocess.Popen[bytes]", deadline: Deadline) -> Iterator[str]:
    """What is printed, as it comes, until the deadline. Names that are not UTF-8 can't be named and are left out."""
    assert process.stdout
    fd, rest = process.stdout.fileno(), b""
    while not deadline.over():
        if not select.select([fd], [], [], min(0.1, deadline.left()))[0]:
            continue
        piece = os.read(fd, _READ)
        if not piece:
            process.wait()
            return
        *names, rest = (rest + piece).split(b"\0")
        for name in names:
            try:
                yield name.decode()
            except UnicodeDecodeError:
                continue


def regular_file(fence: Fence, rel: str) -> Place | None:
    """The place of a path that a search found; None when it is no regular file now, or a link stands on the way."""
    try:
        place = fence.resolve(rel if rel.startswith("/") else f"./{rel}", follow=False)
    except Refused:
        return None
    return place if place.kind == "file" and not place.via_link else None
