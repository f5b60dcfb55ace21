"""One control group for all commands: found where this account may make one, entered once, swept afterwards."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.shell.jail.cgroup import Place, enter, places, shares

ENTERED = """
import json, os, resource, sys
from workbench.shell.jail.cgroup import enter, places
held = enter({{"memory": 256 * 1024 * 1024, "processes": 20}})
children = []
try:
    for _ in range(40):
        pid = os.fork()
        if pid == 0:
            os.read(0, 1); os._exit(0)
        children.append(pid)
except OSError:
    pass
print(json.dumps([sorted(held), len(children)]))
"""


def test_shares_leave_the_machine_something() -> None:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < shares()["memory"] < max(total, 2 * 1024**3)
    assert shares()["processes"] > 500


@pytest.mark.skipif(not places(), reason="this account may make no control groups")
def test_what_is_started_in_it_is_limited() -> None:
    """Even for root, to whom the limit on a user's processes does not apply."""
    script = ENTERED.replace("{{", "{").replace("}}", "}")
    ended = subprocess.run(
        [sys.executable, "-c", script],
        input="",
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    held, started = json.loads(ended.stdout)
    if "processes" in held:
        assert started < 20
    assert held


def fake(proc: Path, groups: str, mounts: str) -> Path:
    proc.mkdir()
    (proc / "cgroup").write_text(groups)
    (proc / "mounts").write_text(mounts)
    return proc


def test_hierarchies_of_version_one(tmp_path: Path) -> None:
    for folder in ("memory/mine", "pids", "cpu"):
        (tmp_path / folder).mkdir(parents=True)
    mounts = "".join(f"cgroup {tmp_path}/{c} cgroup rw,relatime,{c} 0 0\n" for c in ("memory", "pids", "cpu"))
    proc = fake(tmp_path / "proc", "4:memory:/mine\n8:pids:/\n1:cpu:/\n0::/\n", mounts)
    assert places(proc) == [
        Place(tmp_path / "memory" / "mine", {"memory": "memory.limit_in_bytes"}),
        Place(tmp_path / "pids", {"processes": "pids.max"}),
    ]


def test_version_two_counts_where_its_controllers_are_handed_down(tmp_path: Path) -> None:
    parent = tmp_path / "user"
    own = parent / "session"
    own.mkdir(parents=True)
    for folder, handed in ((own, ""), (parent, "cpu memory pids")):
        (folder / "cgroup.subtree_control").write_text(handed)
        (folder / "cgroup.procs").touch()
    proc = fake(tmp_path / "proc", "0::/user/session\n", f"cgroup2 {tmp_path} cgroup2 rw 0 0\n")
    assert places(proc) == [Place(parent, {"memory": "memory.max", "processes": "pids.max"})]
    (parent / "cgroup.subtree_control").write_text("cpu")
    assert places(proc) == []


def test_a_machine_without_groups_has_none(tmp_path: Path) -> None:
    assert places(tmp_path) == []


def test_groups_of_launchers_that_are_gone_are_swept(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    for name in ("workbench-999999999", f"workbench-{os.getpid()}", "other"):
        (pids / name).mkdir(parents=True)
    proc = fake(tmp_path / "proc", "8:pids:/\n", f"cgroup {pids} cgroup rw,pids 0 0\n")
    places(proc)
    assert sorted(os.listdir(pids)) == ["other", f"workbench-{os.getpid()}"]


def test_entering_never_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No group is no reason to run nothing: the limits of single processes still hold."""
    monkeypatch.setattr("workbench.shell.jail.cgroup.places", lambda: [Place(tmp_path / "none", {"memory": "x"})])
    assert enter({"memory": 1, "processes": 1}) == frozenset()
