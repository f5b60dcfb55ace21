"""The data folder: who may see it, what lies in it, and the one process that serves it.

The folder is 0700 and its files are 0600 by name, whatever the umask says; the umask stays the person's own, because
agents make files in the person's workspace.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs


class Unusable(Exception):
    """The data folder cannot be used; the message is one line for the person who started the workbench."""


def folder() -> Path:
    """WORKBENCH_DATA, or the place where this platform keeps the data of programs."""
    chosen = os.environ.get("WORKBENCH_DATA")
    return Path(chosen).absolute() if chosen else platformdirs.user_data_path("workbench", appauthor=False)


def write_private(path: Path, text: str) -> None:
    """Write `path` so that nobody else can ever read it, and no reader sees half of it."""
    _draft(path, text).replace(path)


def made_once(path: Path, make: Callable[[], str]) -> str:
    """What a private file holds; written by whoever comes first, and the same for all who start at once."""
    if not path.is_file():
        draft = _draft(path, make())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass  # somebody was quicker: theirs counts
        finally:
            draft.unlink()
    return path.read_text().strip()


def _draft(path: Path, text: str) -> Path:
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return draft


def prepare(data: Path) -> None:
    """Make the folder and its secret key if they are missing. Raises Unusable with what to do."""
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        data.chmod(0o700)
        for name in ("journal", "store", "spool"):
            (data / name).mkdir(exist_ok=True, mode=0o700)
        made_once(data / "secret_key", lambda: secrets.token_urlsafe(50))
        database = data / "workbench.sqlite3"
        os.close(os.open(database, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as e:
        why = e.strerror or str(e)
        raise Unusable(f"The data folder {data} cannot be used: {why} ({e.filename}). Choose another by --data.") from e


class Lock:
    """Held by the one process that serves a data folder; it ends with the process, however that ends."""

    def __init__(self, data: Path) -> None:
        self._path = data / "up.lock"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise Unusable(f"A workbench already serves {data} ({_who(data)}). Stop it first, or use --data.") from None

    def release(self) -> None:
        os.close(self._file)


def _who(data: Path) -> str:
    server = server_facts(data)
    return f"process {server['pid']}, {server['url']}" if server else "it is just starting"


def server_facts(data: Path) -> dict[str, Any]:
    """What `up` wrote into server.json, or nothing."""
    try:
        facts = json.loads((data / "server.json").read_text())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) and {"pid", "url"} <= facts.keys() else {}
