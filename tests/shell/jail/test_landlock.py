"""The fence without namespaces: what is shown around a mask, and that the kernel holds it (more in `test_sandbox`)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.shell.jail.landlock import NEEDED, readable_around, version
from workbench.shell.jail.seccomp import supported

pytestmark = pytest.mark.skipif(version() < NEEDED or not supported(), reason="this kernel has no Landlock")

CONFINED = """
import json, os, socket, sys
from workbench.shell.jail.landlock import Confinement, confine
from workbench.shell.jail.seccomp import program
top = sys.argv[1]
fd = os.open(f"{top}/in", os.O_RDONLY)
read = ["/usr", "/lib", "/lib64", "/proc", sys.base_prefix]
confine(Confinement(read=read, write=[f"{top}/in", "/not/there"]), program(frozenset([16])))
def tries(what):
    try:
        what()
        return True
    except OSError:
        return False
print(json.dumps({
    "write in": tries(lambda: open(f"{top}/in/new", "w")),
    "delete in": tries(lambda: os.unlink(f"{top}/in/new")),
    "write out": tries(lambda: open(f"{top}/out/new", "w")),
    "truncate out": tries(lambda: os.truncate(f"{top}/out/file", 0)),
    "rename out": tries(lambda: os.rename(f"{top}/out/file", f"{top}/in/file")),
    "link in": tries(lambda: os.link(f"{top}/out/file", f"{top}/in/file")),
    "read out": tries(lambda: open(f"{top}/out/file").read()),
    "socket": tries(lambda: socket.socket()),
    "capabilities": open("/proc/self/status").read().split("CapEff:")[1].split()[0],
    "by descriptor": tries(lambda: open("../out/new", "w", opener=lambda p, f: os.open(p, f, dir_fd=fd))),
}))
"""


def test_a_confined_process_keeps_to_its_folders(tmp_path: Path) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "out" / "file").write_text("as it was")
    ended = subprocess.run(
        [sys.executable, "-c", CONFINED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert ended.returncode == 0, ended.stderr
    could = json.loads(ended.stdout)
    assert int(could.pop("capabilities"), 16) == 0
    assert {name for name, worked in could.items() if worked} == {"write in", "delete in"}
    assert (tmp_path / "out" / "file").read_text() == "as it was"


def test_what_is_masked_is_left_out_and_the_rest_is_not(tmp_path: Path) -> None:
    for name in ("a/secret/x", "a/open/x", "b/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "file").touch()
    (tmp_path / "a" / "link").symlink_to("secret")
    top = os.path.realpath(tmp_path)
    shown = readable_around([f"{top}/a/secret", f"{top}/a/file", f"{top}/none"])
    assert {path for path in shown if path.startswith(top)} == {f"{top}/a/open", f"{top}/b"}
    assert "/usr" in shown
    assert "/" not in shown
    assert not any(Path(path).is_symlink() for path in shown)


def test_without_masks_everything_is_shown_by_one_rule() -> None:
    assert readable_around([]) == ["/"]
