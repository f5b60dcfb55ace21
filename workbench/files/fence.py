"""The path fence: every path that a tool or the browser names passes here, and is opened by descriptor (SPEC P1, P2).

Two steps. `resolve` follows links one component at a time, holding a descriptor of each folder on the way, and says
where the path leads; that is what rules are checked on and what a person is shown. `open` then opens exactly that
place, beneath the root and through no link at all: whatever was swapped in since makes it fail, never lead elsewhere.
A link that stays inside works, also one written as an absolute path. Bind mounts inside the root are part of it.
"""

import contextlib
import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, NoReturn

from workbench.files import Refused
from workbench.files.beneath import O_PATH, kernel_has_openat2, make_folders, open_beneath
from workbench.files.similar import other_form, similar_names
from workbench.files.spelling import spell

_MAX_LINKS = 40
_TRIES = 8
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC


class Access(StrEnum):
    READ = "read"
    WRITE = "write"


Check = Callable[[str, Access], None]
"""called with the resolved path (relative to the root, `/` between parts); raises Refused("denied") to stop it"""
Kind = Literal["absent", "file", "folder", "link", "fifo", "socket", "character device", "block device"]


def allow_all(_path: str, _access: Access) -> None:
    """The check of a fence without rules."""


def kind_of(mode: int) -> Kind:
    kinds: dict[int, Kind] = {
        stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo",
        stat.S_IFSOCK: "socket", stat.S_IFCHR: "character device", stat.S_IFBLK: "block device",
    }  # fmt: skip
    return kinds[stat.S_IFMT(mode)]


@dataclass(frozen=True)
class Place:
    """Where a path leads, after links were followed beneath the root."""

    asked: str
    """as it was given"""
    rel: str
    """resolved, `/` between parts: relative to the root ("" is the root itself), absolute beneath a further root"""
    exists: bool
    via_link: bool
    """a symbolic link was followed on the way"""
    kind: Kind = "absent"
    """when it was resolved; only `open` makes sure"""
    root: Path = field(default=Path(), repr=False)
    inner: str = field(default="", repr=False)
    """relative to `root`"""
    follow: bool = field(default=True, repr=False)

    @property
    def new_folder(self) -> bool:
        """Nothing is there, and it was asked for with a `/` at its end, as only a folder can be."""
        return not self.exists and self.asked.endswith(("/", "/."))


class Fence:
    """A workspace root that nothing leaves, and further roots that the user allowed."""

    def __init__(
        self,
        root: Path,
        *,
        check: Check = allow_all,
        home: Path | None = None,
        more: tuple[Path, ...] = (),
        openat2: bool | None = None,
    ) -> None:
        """`openat2=False` takes the component-wise way even where the kernel has the other."""
        self.root = root
        self.check = check
        self.home = home
        self.more = more
        self.openat2 = kernel_has_openat2() if openat2 is None else openat2
        self._roots = tuple((given.resolve(), given.absolute().parts, given.resolve().parts) for given in (root, *more))

    def resolve(self, path: str, *, follow: bool = True) -> Place:
        """Where `path` leads. Refused: `bad_args`, `bad_path`, `outside`, `loop`, `device`. Opens no file.

        `follow=False` stops at a link that is the last part, for deleting or moving the link itself.
        """
        meant = spell(path, self.home)
        root, parts = (self._roots[0][0], list(meant.parts)) if not meant.absolute else self._inside(path, meant.parts)
        if self.openat2 and (place := self._plain(path, root, parts, folder=meant.folder, follow=follow)):
            return place
        return _Walk(self, path, root, parts, folder=meant.folder, follow=follow).place()

    def open(self, place: Place, access: Access = Access.READ) -> int:
        """A read descriptor of a regular file; the caller closes it.

        Refused: `no_file`, `is_directory`, `device`, `permission`, `denied`, `io`.
        """
        self.check(place.rel, access)
        if access is Access.WRITE and place.new_folder:
            raise Refused("bad_path", f"{place.asked} ends like a folder. Give the path of a file.", path=place.rel)
        if place.kind not in ("file", "absent"):
            _refuse_kind(place, place.kind)
        with self._point(place) as found:
            kind = kind_of(os.fstat(found).st_mode)
            if kind != "file":
                _refuse_kind(place, kind)
            with _said(place):
                return _reopen(found, lambda flags: self._beneath(place, flags))

    def open_folder(self, place: Place) -> int:
        """A descriptor of a folder, for listing and as `dir_fd`; the caller closes it. Refused like `open`."""
        self.check(place.rel, Access.READ)
        with self._point(place) as found:
            kind = kind_of(os.fstat(found).st_mode)
            if kind != "folder":
                raise Refused("bad_path", f"{place.asked} is a {kind}, not a folder. Give a folder.", path=place.rel)
            with _said(place):
                return os.open(".", os.O_RDONLY | _FOLDER, dir_fd=found)

    def open_parent(self, place: Place, *, create: bool = False) -> tuple[int, str]:
        """(descriptor of the parent folder, last name) for a write by `dir_fd=`; the caller closes the descriptor.

        `create` makes missing parents. Refused: `is_directory` for a root, `no_file`, `permission`, `denied`, `io`.
        """
        self.check(place.rel, Access.WRITE)
        if not place.inner:
            raise Refused("is_directory", f"{place.asked} is the workspace itself; name a file in it.", path=place.rel)
        *above, name = place.inner.split("/")
        with _said(place):
            root = os.open(place.root, os.O_RDONLY | _FOLDER)
            try:
                if create:
                    return make_folders(root, above), name
                return open_beneath(root, "/".join(above), os.O_RDONLY | _FOLDER, openat2=self.openat2), name
            finally:
                os.close(root)

    def stat(self, place: Place) -> os.stat_result | None:
        """What lies there now (a link is not followed); None when nothing does."""
        try:
            with self._point(place) as found:
                return os.fstat(found)
        except Refused as e:
            if e.code == "no_file":
                return None
            raise

    def _inside(self, path: str, parts: tuple[str, ...]) -> tuple[Path, list[str]]:
        for root, *names in self._roots:
            for name in names:
                if parts[: len(name) - 1] == name[1:]:
                    return root, list(parts[len(name) - 1 :])
        return _refuse_outside(path, parts)

    def _plain(self, path: str, root: Path, parts: list[str], *, folder: bool, follow: bool) -> Place | None:
        """The common case in two system calls: it exists and no link stands on the way."""
        names: list[str] = []
        for part in parts:
            if part != "..":
                names.append(part)
            elif names:
                return None
            else:
                _refuse_outside(path)
        inner = "/".join(names)
        try:
            with self._at(root, inner, O_PATH) as found:
                kind = kind_of(os.fstat(found).st_mode)
        except OSError:
            return None
        if kind == "link" or (folder and kind != "folder"):
            return None
        return self._place(path, root, inner, kind, via_link=False, follow=follow)

    def _place(self, asked: str, root: Path, inner: str, kind: Kind, *, via_link: bool, follow: bool) -> Place:
        rel = inner if root == self._roots[0][0] else (root / inner).as_posix()
        return Place(asked, rel, kind != "absent", via_link, kind, root, inner, follow)

    def _beneath(self, place: Place, flags: int) -> int:
        with self._at(place.root, place.inner, flags) as found:
            return os.dup(found)

    @contextlib.contextmanager
    def _at(self, root: Path, inner: str, flags: int) -> Iterator[int]:
        top = os.open(root, O_PATH | _FOLDER)
        try:
            found = open_beneath(top, inner, flags, openat2=self.openat2)
        finally:
            os.close(top)
        try:
            yield found
        finally:
            os.close(found)

    @contextlib.contextmanager
    def _point(self, place: Place) -> Iterator[int]:
        """A descriptor that only points at the place. When a link was swapped in, the path is resolved anew."""
        for _ in range(_TRIES):
            try:
                found = self._beneath(place, O_PATH)
                if not place.follow or not stat.S_ISLNK(os.fstat(found).st_mode):
                    break
                os.close(found)
            except OSError as e:
                if e.errno in (errno.ENOENT, errno.ENOTDIR) and not place.exists:
                    self._refuse_missing(place)
                if e.errno not in (errno.ELOOP, errno.EXDEV, errno.ENOENT, errno.ENOTDIR):
                    _refuse_os(place, e)
            again = self.resolve(place.asked, follow=place.follow)
            if again.rel != place.rel or not again.exists:
                self._refuse_missing(again)
        else:
            raise Refused("conflict", f"{place.asked} is replaced again and again; try once more.", path=place.rel)
        try:
            yield found
        finally:
            os.close(found)

    def _refuse_missing(self, place: Place) -> NoReturn:
        if place.exists:
            raise Refused(
                "conflict", f"{place.asked} now leads to {place.rel}; it did not a moment ago. Try once more."
            )
        above, _, name = place.inner.rpartition("/")
        near: list[str] = []
        with contextlib.suppress(OSError), self._at(place.root, above, O_PATH) as folder:
            near = [f"{above}/{other}" if above else other for other in similar_names(folder, name)]
        what = f"{place.asked} is a symbolic link to {place.rel}, where nothing exists" if place.via_link else ""
        hint = f" Did you mean {', '.join(near)}?" if near else " Use glob to find it."
        facts = {"suggest": near} if near else {}
        raise Refused("no_file", f"{what or f'There is no file {place.asked}'}.{hint}", path=place.rel, **facts)


class _Walk:
    """One resolution, component by component, with a descriptor of every folder on the way."""

    def __init__(self, fence: Fence, asked: str, root: Path, parts: list[str], *, folder: bool, follow: bool) -> None:
        self.fence, self.asked, self.root, self.follow = fence, asked, root, follow
        self.todo = deque(parts)
        self.folder = folder
        self.names: list[str] = []
        self.missing: list[str] = []
        self.held: list[int] = []
        self.links = 0
        self.swapped = 0
        self.last: Kind = "folder"

    def place(self) -> Place:
        try:
            self.held.append(os.open(self.root, O_PATH | _FOLDER))
            while self.todo:
                self._step(self.todo.popleft())
        except OSError as e:
            _refuse_os(Place(self.asked, self.asked, exists=False, via_link=False), e)
        finally:
            for held in self.held:
                os.close(held)
        kind: Kind = "absent" if self.missing else self.last
        if self.folder and kind not in ("folder", "absent"):
            self._refuse_beneath_file()
        inner = "/".join(self.names + self.missing)
        return self.fence._place(self.asked, self.root, inner, kind, via_link=self.links > 0, follow=self.follow)

    def _step(self, part: str) -> None:
        if part == "..":
            self._up()
            return
        if self.missing:
            self.missing.append(part)
            return
        if self.last != "folder":
            self._refuse_beneath_file()
        here = self.held[-1]
        try:
            mode = os.stat(part, dir_fd=here, follow_symlinks=False).st_mode
        except FileNotFoundError:
            if alias := other_form(here, part):
                self.todo.appendleft(alias)
            else:
                self.missing.append(part)
            return
        kind = kind_of(mode)
        target = None
        try:
            if kind == "link" and (self.follow or self.todo):
                target = os.readlink(part, dir_fd=here)
            elif kind == "folder":
                self.held.append(os.open(part, O_PATH | _FOLDER | os.O_NOFOLLOW, dir_fd=here))
        except OSError as e:
            self._again(part, e)
            return
        if target is not None:
            self._follow(target)
            return
        self.names.append(part)
        self.last = kind

    def _again(self, part: str, error: OSError) -> None:
        """Look at the part once more: it was a link or folder a moment ago, and something else was put there since."""
        self.swapped += 1
        if self.swapped > _TRIES or error.errno not in (errno.EINVAL, errno.ELOOP, errno.ENOTDIR, errno.ENOENT):
            raise error
        self.todo.appendleft(part)

    def _up(self) -> None:
        if self.missing:
            self.missing.pop()
            return
        if self.last != "folder":
            self._refuse_beneath_file()
        if not self.names:
            _refuse_outside(self.asked)
        self.names.pop()
        os.close(self.held.pop())

    def _follow(self, target: str) -> None:
        self.links += 1
        if self.links > _MAX_LINKS:
            raise Refused("loop", f"{self.asked} leads through more than {_MAX_LINKS} symbolic links.")
        parts = [part for part in target.split("/") if part not in ("", ".")]
        if target.startswith("/"):
            self.root, parts = self.fence._inside(self.asked, tuple(parts))
            while self.held:
                os.close(self.held.pop())
            self.names = []
            self.held.append(os.open(self.root, O_PATH | _FOLDER))
        self.todo.extendleft(reversed(parts))

    def _refuse_beneath_file(self) -> NoReturn:
        file = "/".join(self.names)
        raise Refused("bad_path", f"{file} is a {self.last}, so {self.asked} can't be: nothing lies beneath a file.")


def _reopen(found: int, again: Callable[[int], int]) -> int:
    """A readable descriptor of what `found` points at: the very same file, where /proc is there to ask."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(f"/proc/self/fd/{found}", flags)
    except FileNotFoundError:
        opened = again(flags)
    if not os.path.samestat(os.fstat(opened), os.fstat(found)):
        os.close(opened)
        raise OSError(errno.EAGAIN, "replaced while it was opened")
    return opened


def _refuse_outside(path: str, parts: tuple[str, ...] = ()) -> NoReturn:
    if (parts[:1] == ("dev",) and ".." not in parts) or (parts[:1] == ("proc",) and "fd" in parts[2:4]):
        raise Refused(
            "device", f"{path} leads to a device; only regular files in the workspace can be read.", type="device"
        )
    raise Refused("outside", f"{path} leads outside the workspace. Give a path inside it, relative to its root.")


def _refuse_kind(place: Place, kind: Kind) -> NoReturn:
    if kind == "folder":
        raise Refused("is_directory", f"{place.asked} is a folder. Use glob to list what is in it.", path=place.rel)
    if kind == "link":
        raise Refused(
            "loop", f"{place.asked} is a symbolic link that is being replaced; try once more.", path=place.rel
        )
    raise Refused("device", f"{place.asked} is a {kind}; only regular files can be used.", path=place.rel, type=kind)


@contextlib.contextmanager
def _said(place: Place) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        _refuse_os(place, e)


def _refuse_os(place: Place, error: OSError) -> NoReturn:
    if isinstance(error, FileNotFoundError):
        raise Refused("no_file", f"There is no {place.asked}. Use glob to find it.", path=place.rel) from None
    if error.errno in (errno.EACCES, errno.EPERM):
        raise Refused(
            "permission", f"The system does not let the workbench use {place.asked}.", path=place.rel
        ) from None
    if error.errno == errno.ENAMETOOLONG:
        raise Refused("bad_path", f"{place.asked} leads to a path that is too long.", path=place.rel) from None
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EXDEV, errno.EINVAL, errno.EAGAIN):
        raise Refused(
            "conflict", f"{place.asked} changed while it was opened; try once more.", path=place.rel
        ) from None
    raise Refused("io", f"{place.asked}: {error.strerror or error}.", path=place.rel) from None
