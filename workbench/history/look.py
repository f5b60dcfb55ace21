"""What lies at a place right now, read by descriptor beneath the fence; links and special files are never followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.files import Refused
from workbench.files.fence import Fence, Place
from workbench.history.disk import hash_fd, pieces
from workbench.history.states import ABSENT, State
from workbench.history.store import Keeper, Store


@dataclass
class Found:
    """A state whose hash is not taken yet, and the open file behind it."""

    state: State
    """`sha256` is "" for a file: reading costs, so it is left to `kept` and `hashed`"""
    fd: int = -1
    target: bytes = b""
    """of a link"""

    def hashed(self) -> State:
        """The state with its hash; the bytes go nowhere."""
        return self.kept(None, durable=False)

    def kept(self, store: Keeper | None, *, durable: bool) -> State:
        """The state with its hash, its bytes in the store (unless None). One pass over the file."""
        kind, mode = self.state.kind, self.state.mode
        if kind == "link":
            sha = store.put(self.target, durable=durable) if store else Store.name(self.target)
            return State("link", sha, len(self.target), 0, stored=store is not None)
        if kind != "file":
            return self.state
        if store:
            sha, size = store.put_fd(self.fd, durable=durable)
        else:
            sha, size = hash_fd(self.fd)
        return State("file", sha, size, mode, stored=store is not None)

    def data(self) -> bytes:
        """The whole content."""
        if self.state.kind == "link":
            return self.target
        if self.fd < 0:
            return b""
        return b"".join(pieces(self.fd))

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def recorded(fence: Fence, path: str) -> Place:
    """The place of a path as a version has it: already resolved, so a link that stands there now is not followed, and
    a name that nobody may type (control characters) still leads to its file."""
    root, inner = fence.root.resolve(), path
    for more in fence.more:
        if Path(path).is_relative_to(more.resolve()):
            root = more.resolve()
            inner = Path(path).relative_to(root).as_posix()
    return Place(path, path, exists=True, via_link=False, kind="file", root=root, inner=inner, follow=False)


@contextmanager
def look(fence: Fence, place: Place) -> Iterator[Found]:
    """What lies at `place`. Refused: what the fence refuses, `permission` for a file that cannot be read."""
    try:
        parent, name = fence.open_parent(place)
    except Refused as e:
        if e.code != "no_file":
            raise
        yield Found(ABSENT)
        return
    try:
        found = look_at(parent, name, place.rel)
    finally:
        os.close(parent)
    try:
        yield found
    finally:
        found.close()


def look_at(parent: int, name: str, rel: str) -> Found:
    """What lies under `name` in the open folder `parent`. The caller closes `Found.fd`."""
    try:
        info = os.stat(name, dir_fd=parent, follow_symlinks=False)
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISLNK(info.st_mode):
            target = os.readlink(os.fsencode(name), dir_fd=parent)
            return Found(State("link", size=len(target)), target=target)
        if stat.S_ISDIR(info.st_mode):
            return Found(State("folder", mode=mode))
        if not stat.S_ISREG(info.st_mode):
            return Found(State("other", mode=mode))
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=parent)
    except FileNotFoundError:
        return Found(ABSENT)
    except PermissionError as e:
        raise Refused("permission", f"{rel} cannot be read, so its content cannot be kept: {e.strerror}.") from e
    except OSError as e:
        raise Refused("io", f"{rel} cannot be read: {e.strerror}.") from e
    info = os.fstat(fd)
    return Found(State("file", size=info.st_size, mode=stat.S_IMODE(info.st_mode)), fd)


def missing_parents(root: Path, rel: str) -> tuple[str, ...]:
    """The folders above `rel` that do not exist, outermost first."""
    parts = rel.split("/")[:-1]
    above = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return tuple(f for f in above if not os.path.lexists(root / f))
