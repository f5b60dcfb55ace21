"""Which spellings of a path are accepted, before the disk is touched (SPEC P2).

Accepted: relative, absolute, `~/…`, and on Windows `C:\\…` and git-bash `/c/…`. Refused everywhere, so that an answer
never depends on the machine: UNC, drive letters elsewhere, URIs, variables, alternate streams, backslashes, control and
invisible characters. Odd but honest names stay as they are: `[id]`, `$slug`, `..a`, emoji, blanks, percent signs.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from workbench.files import Refused

_INVISIBLE = frozenset(
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""bidi controls, separators and zero-width characters without use in a name; ZWJ and ZWNJ have one (emoji, Persian)"""
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://|(file|https?|ftps?|sftp|ssh|git|jar|data|javascript|mailto|urn|blob|vscode):", re.I
)
_DRIVE = re.compile(r"[A-Za-z]:")
_GIT_BASH = re.compile(r"/([A-Za-z])(/|$)")
_STREAM = re.compile(r"(.+\.[A-Za-z]\w{0,9}:)|(.*::\$)")
_VARIABLE = re.compile(r"\$\{\w+\}|\$[A-Z_][A-Z0-9_]*|\$env:.*|%\w[\w()]*%")
_TELLING = re.compile(r"[\\:$%]")
"""every form that is refused holds one of these"""
_NAME_BYTES, _PATH_BYTES = 255, 4095


@dataclass(frozen=True)
class Spelled:
    """A path as it was meant: its parts from the root of the disk when `absolute`, else from the workspace."""

    parts: tuple[str, ...]
    absolute: bool
    folder: bool
    """it ends with `/` or `/.`, so it can only mean a folder"""


def spell(path: str, home: Path | None = None, *, windows: bool = False) -> Spelled:
    """Refused: `bad_args` for a NUL, `bad_path` for any other spelling that is not accepted."""
    _check_characters(path)
    if windows:
        path = _from_windows(path)
    _check_form(path)
    if path == "~" or path.startswith("~/"):
        if home is None:
            raise Refused("bad_path", f"{path!r} names a home folder; give a path relative to the workspace.")
        path = f"{home.as_posix()}/{path[2:]}"
    elif path.startswith("~"):
        raise Refused("bad_path", f"{path!r} names a user's home folder. For a file of that name write './{path}'.")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    _check_lengths(path, parts)
    return Spelled(parts, absolute=path.startswith("/"), folder=path.endswith(("/", "/.")) or path == ".")


def _check_characters(path: str) -> None:
    if path.isascii() and path.isprintable() and not path.isspace() and path:
        return
    if "\0" in path:
        raise Refused("bad_args", f"The path {path!r} holds a NUL character; no file can have that name.")
    if not path.strip():
        raise Refused(
            "bad_path", "The path is empty. Give a path relative to the workspace, '.' for the workspace itself."
        )
    for character in path:
        if character in _INVISIBLE or unicodedata.category(character) in ("Cc", "Cs"):
            raise Refused(
                "bad_path",
                f"The path {path!a} holds the character U+{ord(character):04X}; paths here do without it.",
            )


def _check_form(path: str) -> None:
    if not _TELLING.search(path):
        return
    why = ""
    first = path.split("/", 1)[0]
    if "\\" in path:
        why = "it holds a backslash; write / between folders"
    elif _URI.match(path):
        why = "it is a URI; give a path"
    elif _DRIVE.match(path):
        why = "it begins with a drive letter"
    elif any(_STREAM.match(part) for part in path.split("/")):
        why = "it has a colon after a file name; give the path alone (for a line use offset)"
    elif _VARIABLE.fullmatch(first):
        why = f"variables are not expanded; for a folder of that name write './{path}'"
    if why:
        raise Refused("bad_path", f"{path!r} is not accepted as a path: {why}.")


def _check_lengths(path: str, parts: tuple[str, ...]) -> None:
    if len(path.encode()) > _PATH_BYTES:
        raise Refused("bad_path", f"The path is {len(path.encode())} bytes long; at most {_PATH_BYTES} are possible.")
    for part in parts:
        if len(part.encode()) > _NAME_BYTES:
            raise Refused(
                "bad_path",
                f"The name {part[:40]!r}… is {len(part.encode())} bytes long; a file name holds at most {_NAME_BYTES}.",
            )


def _from_windows(path: str) -> str:
    r"""`C:\x` and `/c/x` as `/C:/x`, whose first part is the drive; anything else unchanged but for the slashes."""
    if path.startswith(("\\\\", "//")):
        raise Refused("bad_path", f"{path!r} is a network path; only the workspace on this machine can be reached.")
    path = path.replace("\\", "/")
    if _DRIVE.match(path) and path[2:3] == "/":
        return f"/{path[0].upper()}:{path[2:]}"
    if found := _GIT_BASH.match(path):
        return f"/{found[1].upper()}:/{path[3:]}"
    return path
