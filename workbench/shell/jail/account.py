"""Who the person is, inside: a name for the mapped user, and the harmless part of their git settings."""

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from workbench.shell.jail.host import Host

_WANTED = r"^(user\.(name|email)|init\.defaultbranch|core\.(autocrlf|eol))$"


def passwd(host: Host, uid: int, file: Path = Path("/etc/passwd")) -> bytes | None:
    """The accounts of this machine, in which `uid` is the person; None when there is no plain file to replace."""
    if not file.is_file() or file.is_symlink():
        return None
    accounts = [line.split(":") for line in file.read_text(errors="surrogateescape").splitlines()]
    others = [a for a in accounts if a[0] != host.user and a[2:3] != [str(uid)]]
    person = [host.user, "x", str(uid), str(uid), host.user, str(host.home), "/bin/bash"]
    return "".join(":".join(a) + "\n" for a in [*others, person]).encode(errors="surrogateescape")


def git_settings(host: Host) -> bytes:
    """A `.gitconfig` with the person's name, address and line ends. What could run something is not in it."""
    files = (host.home / ".gitconfig", host.home / ".config/git/config")
    stamps = tuple(f.stat().st_mtime_ns if f.is_file() else 0 for f in files)
    # whoever owns the workspace: in here it is the person's own
    return b"[safe]\n\tdirectory = *\n" + (_asked(host.home, stamps) if any(stamps) else b"")


@lru_cache(maxsize=16)
def _asked(home: Path, _stamps: tuple[int, ...]) -> bytes:
    """Asked from git, in `/`, where no repository's settings take part; kept until the files change."""
    program = shutil.which("git", path="/usr/local/bin:/usr/bin:/bin")
    if program is None:
        return b""
    listed = subprocess.run(
        [program, "config", "--global", "--includes", "-z", "--get-regexp", _WANTED],
        cwd="/",
        env={"HOME": str(home)},
        capture_output=True,
        timeout=5,
        check=False,
    )
    text = ""
    for setting in listed.stdout.decode(errors="replace").split("\0"):
        name, _, value = setting.partition("\n")
        section, _, key = name.partition(".")
        if key:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            text += f'[{section}]\n\t{key} = "{quoted}"\n'
    return text.encode()
