"""A control group for all commands together, so that they cannot take the machine from the server.

The launcher enters it once and every command is born in it: moving each command into a group of its own would cost
more than starting it. Resource limits of a process hold for each process alone, and the one on processes not at all
for root.
"""

import contextlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROCESSES = 2048
_PREFIX = "workbench-"


@dataclass(frozen=True)
class Place:
    """A group in which we may make one of our own."""

    folder: Path
    files: dict[str, str]
    """which limit goes into which file"""


@cache
def shares() -> dict[str, int]:
    """What all commands together may use: three quarters of the memory (bytes), and a number of processes."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"memory": max(1024**3, total * 3 // 4), "processes": PROCESSES}


def enter(limits: dict[str, int]) -> frozenset[str]:
    """Put this process, and all it will start, under `limits` (memory in bytes, processes). Returns those in force."""
    held: set[str] = set()
    for place in places():
        folder = place.folder / f"{_PREFIX}{os.getpid()}"
        with contextlib.suppress(OSError):
            folder.mkdir()
            for limit, file in place.files.items():
                (folder / file).write_text(str(limits[limit]))
            (folder / "cgroup.procs").write_text("0")
            held |= place.files.keys()
    return frozenset(held)


def places(proc: Path = Path("/proc/self")) -> list[Place]:
    """Where this account may make groups with limits; swept of what earlier launchers left."""
    found: list[Place] = []
    own = _own_groups(proc)
    for mount, controllers in _mounts(proc):
        key = next((c for c in controllers if c in own), None)
        if key is None:
            continue
        here = mount / own[key].lstrip("/")
        if key == "":
            found += [p for p in map(_unified, (here, here.parent)) if p is not None][:1]
        elif key == "memory":
            found.append(Place(here, {"memory": "memory.limit_in_bytes"}))
        elif key == "pids":
            found.append(Place(here, {"processes": "pids.max"}))
    usable = [p for p in found if os.access(p.folder, os.W_OK)]
    for place in usable:
        _sweep(place.folder)
    return usable


def _own_groups(proc: Path) -> dict[str, str]:
    """Path of our group by controller; that of version 2 is ""."""
    with contextlib.suppress(OSError):
        fields = [line.split(":", 2) for line in (proc / "cgroup").read_text().splitlines()]
        return {controller: path for _, controllers, path in fields for controller in controllers.split(",")}
    return {}


def _mounts(proc: Path) -> list[tuple[Path, list[str]]]:
    """(mount point, controllers) of each hierarchy that is mounted."""
    with contextlib.suppress(OSError):
        fields = [line.split() for line in (proc / "mounts").read_text().splitlines()]
        return [
            (Path(at), [""] if kind == "cgroup2" else options.split(","))
            for _, at, kind, options, *_ in fields
            if kind in ("cgroup", "cgroup2")
        ]
    return []


def _unified(folder: Path) -> Place | None:
    """A group of version 2 as a place, where it hands controllers down and we may write in it."""
    with contextlib.suppress(OSError):
        handed = (folder / "cgroup.subtree_control").read_text().split()
        known = {"memory": ("memory", "memory.max"), "pids": ("processes", "pids.max")}
        files = dict(known[c] for c in known if c in handed)
        return Place(folder, files) if files and os.access(folder / "cgroup.procs", os.W_OK) else None
    return None


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{_PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
            with contextlib.suppress(OSError):
                left.rmdir()
