"""Which level this machine allows: a command is run in each kind of sandbox, and what it could do is looked at."""

import platform
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.files import Refused
from workbench.shell.jail import landlock, seccomp
from workbench.shell.jail.levels import NO_GRANTS, Grants, Level, Sandbox
from workbench.shell.run import run

__all__ = ["NO_GRANTS", "Grants", "Level", "Sandbox", "probe"]

PROGRAMS = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")
"""the system's own first: Ubuntu's AppArmor rule that lets it make namespaces names that path"""
_NOTHING_RAN = "level D: nothing holds commands back, and each one needs your approval."
_FENCED = (
    "level C: commands cannot write outside the workspace but can read more of your files, and each one needs your "
    "approval."
)
MENDS = {
    "setting up uid map": (
        "This is Ubuntu's AppArmor rule for user namespaces. As root: `apt install apparmor-profiles && install -m644 "
        "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && apparmor_parser -r "
        "/etc/apparmor.d/bwrap-userns-restrict`."
    ),
    "RTM_NEWADDR": "setting up uid map",
    "No permissions to create": (
        "In a container, allow user namespaces (a seccomp profile that permits `unshare` and `clone`); on Debian "
        "`sysctl kernel.unprivileged_userns_clone=1`, on RHEL `sysctl user.max_user_namespaces=15000`."
    ),
    "Creating new namespace failed": "No permissions to create",
    "Can't mount proc": "In a container, start it with `--security-opt systempaths=unconfined`.",
}
"""part of bubblewrap's message: what to do about it, or the part that has the same cause"""


def probe(*, hide: Sequence[Path] = ()) -> Sandbox:
    """Find the level by running commands in each kind of sandbox. Takes some 50 ms; the caller keeps the answer."""
    hidden = tuple(Path(h).resolve() for h in hide)
    if platform.system() != "Linux":
        return Sandbox("D", f"Commands are isolated on Linux only. This machine runs at {_NOTHING_RAN}", hide=hidden)
    problem = "bubblewrap is not installed. Install it with the system's packages (`apt install bubblewrap`)."
    for program in filter(None, (*PROGRAMS, shutil.which("bwrap"))):
        if not Path(program).exists():
            continue
        found, problem = _try(program, hidden)
        if found is not None:
            return found
    if landlock.version() >= landlock.NEEDED and seccomp.supported():
        fenced = Sandbox(
            "C", f"Commands cannot be isolated on this machine: {problem} Until then: {_FENCED}", hide=hidden
        )
        if not attempt(fenced):
            return fenced
    return Sandbox(
        "D", f"Commands cannot be isolated on this machine: {problem} Until then: {_NOTHING_RAN}", hide=hidden
    )


def _try(program: str, hide: tuple[Path, ...]) -> tuple[Sandbox | None, str]:
    """The best that this bubblewrap can do, or None and why not."""
    first = ""
    for sandbox in _candidates(program, hide):
        wrong = attempt(sandbox)
        if not wrong:
            return replace(sandbox, reason=_gaps(sandbox, first)), ""
        first = first or wrong
    return None, f"{first} {mend(first)}".strip()


def _candidates(program: str, hide: tuple[Path, ...]) -> Iterator[Sandbox]:
    helped = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10, check=False)
    known = helped.stdout + helped.stderr
    old = {option for option in ("size", "disable-userns") if f"--{option} " not in known}
    old |= set() if seccomp.supported() else {"seccomp"}
    for gaps in ((), ("net",), ("proc",), ("net", "proc")):
        lacks = frozenset(old | set(gaps))
        yield Sandbox("B" if lacks & {"net", "proc", "seccomp"} else "A", program=program, lacks=lacks, hide=hide)


def _gaps(sandbox: Sandbox, first: str) -> str:
    """What is missing for level A, and how to mend it."""
    if sandbox.level == "A":
        return ""
    words = {
        "net": "no network of their own (sockets are refused instead)",
        "proc": "no process list of their own (they see other programs)",
        "seccomp": f"no filter for system calls on {platform.machine()}",
    }
    missing = ", ".join(words[gap] for gap in words if gap in sandbox.lacks)
    return f"Commands have {missing}. {first} {mend(first)}".strip()


def mend(error: str) -> str:
    """What to do about a message of bubblewrap."""
    for part, advice in MENDS.items():
        if part in error:
            return MENDS.get(advice, advice)
    return ""


_TEST = """
echo inside > inside || echo cannot write in the workspace
echo outside 2>/dev/null > {outside}/written && echo wrote outside the workspace
read -r line 2>/dev/null < {hidden}/secret && echo read a hidden file
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached the network
echo done
"""


def attempt(sandbox: Sandbox) -> str:
    """Run a command that tries to get out. Empty when the sandbox held, else what went wrong."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-probe-") as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        workspace, outside, hidden = (Path(folder) / name for name in ("workspace", "outside", "hidden"))
        for made in (workspace, outside, hidden):
            made.mkdir()
        (hidden / "secret").write_text("secret\n")
        try:
            finished = run(
                _TEST.format(outside=outside, hidden=hidden, port=server.getsockname()[1]),
                cwd=workspace,
                sandbox=replace(sandbox, hide=(*sandbox.hide, hidden)),
                timeout=20,
                stop=threading.Event(),
                on_output=lambda _: None,
                spool=Path(folder) / "output",
            )
        except Refused as e:
            return e.message
        if not (workspace / "inside").exists() or (outside / "written").exists():
            return "The sandbox did not hold: the test could not write inside, or could outside."
    said = finished.tail.decode(errors="replace").strip()
    return "" if said == "done" else f"The sandbox did not hold: {said}."
