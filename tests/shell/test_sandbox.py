"""What a contained command cannot do, tried for real at each level; and that ordinary work still goes on (SPEC B5)."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.shell import escapes
from tests.shell.conftest import Do
from workbench.shell import sandbox as sandbox_module
from workbench.shell.jail import bwrap, landlock
from workbench.shell.jail.bwrap import wrap
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import NO_GRANTS, Grants, Sandbox
from workbench.shell.jail.mounts import layout
from workbench.shell.jail.spawner import data_fd
from workbench.shell.sandbox import attempt, mend, probe

SECRET = "s3cr3t-marker"
LEVELS = ["A", "B-net", "B-proc", "C"]


@dataclass(frozen=True)
class Prison:
    """The surroundings of an escape: what lies outside and may not be reached."""

    workspace: Path
    home: Path
    outside: Path
    """a folder that is shown read-only"""
    hidden: Path
    """the workbench's own data"""
    tcp: int
    udp: int
    listeners: tuple[socket.socket, ...]
    abstract: str
    socket: Path

    def heard(self) -> list[str]:
        """Who was reached after all."""
        found = []
        for listener in self.listeners:
            with contextlib.suppress(BlockingIOError):
                listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()
                found.append(str(listener))
        return found


@pytest.fixture
def prison(tmp_path: Path, workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prison]:
    monkeypatch.setenv("WORKBENCH_TEST_SECRET", SECRET)
    (home / ".ssh").mkdir()
    for name in (".ssh/id_ed25519", ".netrc", "notes.txt", ".bash_history"):
        (home / name).write_text(SECRET)
    hidden = tmp_path / "data"
    hidden.mkdir()
    (hidden / "secret_key").write_text(SECRET)
    for name in (".git", ".vscode", ".github/workflows"):
        (workspace / name).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "."], cwd=workspace, check=True)
    (workspace / ".vscode" / "settings.json").write_text("{}")
    (workspace / "README.md").write_text("read me\n")
    with contextlib.ExitStack() as stack:
        shown = "/srv" if os.access("/srv", os.W_OK) else Path.cwd()
        outside = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=shown)))
        (outside / "file").write_text("as it was\n")
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        unix, abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        unix.bind(str(outside / "socket"))
        abstract.bind(f"\0workbench-{os.getpid()}")
        for opened in (tcp, udp, unix, abstract):
            stack.enter_context(opened)
            opened.setblocking(False)
        unix.listen()
        abstract.listen()
        yield Prison(
            workspace, home, outside, hidden, tcp.getsockname()[1], udp.getsockname()[1], (tcp, udp, unix, abstract),
            f"workbench-{os.getpid()}", outside / "socket",
        )  # fmt: skip


def written(prison: Prison) -> dict[str, bytes]:
    """Everything outside the workspace that a probe could have touched, and what acts later inside it."""
    found: dict[str, bytes] = {}
    later = [prison.workspace / name for name in (".git", ".vscode", ".github")]
    for top in (prison.outside, prison.home, prison.hidden, *later):
        for path in sorted(top.rglob("*")):
            found[str(path)] = path.read_bytes() if path.is_file() else b""
    return found


def fill(command: str, prison: Prison) -> str:
    fields = {name: str(value) for name, value in vars(prison).items()}
    fields |= {"secret": SECRET, "server": str(os.getpid()), "python": f"{sys.base_prefix}/bin/python3"}
    for name, value in fields.items():
        command = command.replace(f"{{{name}}}", value)
    return command


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("group", ["WRITES", "READS", "NETWORK", "KERNEL"])
def test_no_probe_gets_out(do: Do, level: Callable[[str], Sandbox], prison: Prison, name: str, group: str) -> None:
    box = replace(level(name), hide=(prison.hidden,))
    before = written(prison)
    escaped = []
    for title, command in getattr(escapes, group).items():
        finished = do(fill(command, prison), sandbox=box)
        if finished.exit_code == 0 and (name, title) not in HELD_ELSEWHERE:
            escaped.append((title, finished.tail))
        assert written(prison) == before, title
    assert escaped == []
    assert prison.heard() == []


HELD_ELSEWHERE = {
    ("A", "write into the workbench's data"),  # an empty folder of its own lies there
}


@pytest.mark.parametrize("name", ["A", "B-net", "B-proc"])
def test_git_cannot_be_made_to_run_something(
    do: Do, level: Callable[[str], Sandbox], prison: Prison, name: str
) -> None:
    before = written(prison)
    for title, command in escapes.GIT.items():
        do(fill(command, prison), sandbox=level(name))
        assert written(prison) == before, title


@pytest.mark.parametrize("name", ["A", "B-net"])
def test_git_cannot_be_made_to_run_something_by_what_may_commit(
    do: Do, level: Callable[[str], Sandbox], prison: Prison, name: str
) -> None:
    """With `.git` writable only objects, refs and the index may change."""
    before = written(prison)
    for title, command in escapes.GIT.items():
        if title not in ("delete .git", "make it a link"):
            do(fill(command, prison), sandbox=level(name), grants=Grants(git=True))
            assert written(prison) == before, title


@pytest.mark.parametrize("name", [*LEVELS, "D"])
@pytest.mark.parametrize("planted", escapes.PLANTED)
def test_what_acts_later_is_not_left_behind(
    do: Do, level: Callable[[str], Sandbox], prison: Prison, tmp_path: Path, name: str, planted: str
) -> None:
    finished = do(fill(escapes.PLANTED[planted], prison), sandbox=level(name))
    assert not os.path.lexists(prison.workspace / planted)
    assert any("held back" in note and planted.split("/settings")[0] in note for note in finished.notes)
    assert any((tmp_path / "spool" / "c1.held").iterdir())


@pytest.mark.parametrize(
    ("group", "titles"),
    [
        ("WRITES", ["write beside the workspace", "change a file outside", "write through a link"]),
        ("READS", ["read an ssh key", "read another file of the home", "read the workbench's data"]),
        ("NETWORK", ["connect to this machine by TCP", "connect to a socket on disk", "connect to an abstract socket"]),
        ("KERNEL", ["signal the workbench", "use io_uring", "fault memory by hand", "trace a process"]),
    ],
)
def test_the_probes_find_their_way_where_nothing_holds_them(
    do: Do, level: Callable[[str], Sandbox], prison: Prison, group: str, titles: list[str]
) -> None:
    """A probe that never worked would prove nothing."""
    held = [title for title in titles if do(fill(getattr(escapes, group)[title], prison), sandbox=level("D")).exit_code]
    assert held == []


def test_the_probe_finds_the_best_level_and_hides_what_it_is_told_to(sandbox: Sandbox, tmp_path: Path) -> None:
    found = probe(hide=[tmp_path])
    assert (found.level, found.lacks) == (sandbox.level, sandbox.lacks)
    assert found.hide == (tmp_path.resolve(),)
    assert (found.reason == "") == (found.level == "A")


def test_without_bubblewrap_the_level_falls_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sandbox_module, "PROGRAMS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe()
    assert found.level == ("C" if landlock.version() >= landlock.NEEDED else "D")
    assert "bubblewrap is not installed" in found.reason
    assert "apt install bubblewrap" in found.reason
    assert "each one needs your approval" in found.reason


def test_without_bubblewrap_and_landlock_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sandbox_module, "PROGRAMS", ())
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe()
    assert (found.level, found.contained) == ("D", False)


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("bwrap: setting up uid map: Permission denied", "AppArmor"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
        ("bwrap: No permissions to create new namespace, likely because …", "container"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "container"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("bwrap: something new", ""),
    ],
)
def test_what_bubblewrap_complains_about_comes_with_the_way_to_mend_it(message: str, advice: str) -> None:
    assert (advice in mend(message)) if advice else mend(message) == ""


def test_a_bubblewrap_that_fails_is_not_trusted(tmp_path: Path) -> None:
    """Whatever a program called bwrap says, what counts is what a command could do in it."""
    fake = tmp_path / "bwrap"
    fake.write_text(
        '#!/bin/sh\nwhile [ "$1" != -- ]; do [ "$1" != --chdir ] || cd "$2"; shift; done; shift; exec "$@"\n'
    )
    fake.chmod(0o755)
    wrong = attempt(Sandbox("A", program=str(fake)))
    assert "did not hold" in wrong


def test_bubblewrap_without_a_namespace_to_give_is_told_by_its_own_words(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n")
    fake.chmod(0o755)
    assert "setting up uid map: Permission denied" in attempt(Sandbox("A", program=str(fake)))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_it_holds_for_an_ordinary_user_too(level: Callable[[str], Sandbox]) -> None:
    """The same arguments, started by nobody, as on most people's machines."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        shutil.chown(folder, 65534, 65534)
        host = replace(
            Host.here({"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}), uid=65534, gid=65534, user="nobody"
        )
        mounts = [m for m in layout(host, folder, NO_GRANTS) if m.kind != "ro" or not m.at.is_relative_to("/root")]
        tries = [
            "touch inside", "touch /etc/x /usr/x", "unshare -U true", "mount -t tmpfs none /mnt", "cat /etc/shadow",
            "kill -0 1000", "(exec 3<>/dev/tcp/127.0.0.1/22)", "echo x > /proc/sys/vm/swappiness", "id -u", "ls",
            "grep -c : /proc/net/dev",
        ]  # fmt: skip
        command = "; ".join(tries)
        made = wrap(
            ["/bin/bash", "-c", command], sandbox=level("A"), grants=NO_GRANTS, host=host, mounts=mounts, cwd=folder
        )
        fds = {f"{bwrap.FIRST_FD + n}": data_fd(content) for n, content in enumerate(made.data)}
        argv = [str(fds.get(word, word)) for word in made.argv]
        ended = subprocess.run(
            argv, user=65534, group=65534, extra_groups=[], pass_fds=list(fds.values()), env={}, cwd="/",
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
        for fd in fds.values():
            os.close(fd)
        assert ended.stdout.split() == ["65534", "inside", "1"], ended.stderr
        assert (folder / "inside").stat().st_uid == 65534
    finally:
        shutil.rmtree(folder)
