"""What is known of each watched file, in memory and on disk.

The file `DATA/store/trees/<name>.jsonl` is only appended to: `[path, …fields]` is what a file is now, `[path]` one that
is gone, `{"begin": …}` and `{"end": …}` a command that started and ended. It is written anew when much of it is stale.
A stale entry does no harm: times and sizes are compared with the disk before it counts.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from workbench.history.states import State


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or link as it was last seen."""

    kind: str
    """file or link"""
    sha256: str
    """"" for one whose content is not kept"""
    size: int
    mode: int
    changed_ns: int
    """ctime"""
    inode: int
    why: str = ""
    """why its content is not kept, as a clause; "" when it is"""

    @property
    def state(self) -> State:
        kind: Any = self.kind
        return State(kind, self.sha256, self.size, self.mode if kind == "file" else 0, stored=not self.why)

    def same(self, other: "Entry | None") -> bool:
        """Nothing that a version would show differs. Of unkept content only size and time are known."""
        if other is None or (self.kind, self.size, self.mode) != (other.kind, other.size, other.mode):
            return False
        return self.sha256 == other.sha256 and (self.sha256 != "" or self.changed_ns == other.changed_ns)


class TreeFile:
    """The entries of one workspace on disk."""

    def __init__(self, folder: Path, root: str) -> None:
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
        folder.mkdir(mode=0o700, exist_ok=True)
        self.root = root
        self.path = folder / f"{name}.jsonl"

    def load(self) -> tuple[dict[str, Entry], list[dict[str, str]]]:
        """(entries by relative path, commands that began and did not end). A torn line is passed over."""
        entries: dict[str, Entry] = {}
        begun: dict[str, dict[str, str]] = {}
        lines = 0
        for item in _items(self.path):
            lines += 1
            if isinstance(item, dict):
                if "begin" in item:
                    begun[_key(item["begin"])] = item["begin"]
                elif "end" in item:
                    begun.pop(_key(item["end"]), None)
            elif len(item) == 1:
                entries.pop(item[0], None)
            else:
                entries[item[0]] = Entry(*item[1:])
        if lines > 2 * len(entries) + 1000:
            self.write(entries, begun.values())
        return entries, list(begun.values())

    def write(self, entries: Mapping[str, Entry], begun: Iterable[dict[str, str]] = ()) -> None:
        """Everything anew."""
        temp = self.path.with_suffix(f".{os.getpid()}.tmp")
        with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:  # noqa: PTH123
            f.writelines(_line(path, entry) for path, entry in entries.items())
            f.writelines(json.dumps({"begin": who}) + "\n" for who in begun)
        temp.replace(self.path)

    def add(self, changes: Mapping[str, Entry | None]) -> None:
        if changes:
            self._append("".join(_line(path, entry) for path, entry in changes.items()))

    def begin(self, who: dict[str, str]) -> None:
        self._append(json.dumps({"begin": who}) + "\n")

    def end(self, who: dict[str, str]) -> None:
        self._append(json.dumps({"end": who}) + "\n")

    def _append(self, text: str) -> None:
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            data = memoryview(f"\n{text}".encode())  # a line that a crash tore ends here
            while data:
                data = data[os.write(fd, data) :]
        finally:
            os.close(fd)


def named_by(folder: Path) -> set[str]:
    """Every content that the trees of a store count on, for its collection."""
    found: set[str] = set()
    for file in folder.glob("*.jsonl"):
        found |= {item[2] for item in _items(file) if isinstance(item, list) and len(item) > 1 and item[2]}
    return found


def _items(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as f:
            for line in f:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue
    except FileNotFoundError:
        return


def _line(path: str, entry: Entry | None) -> str:
    return json.dumps([path, *astuple(entry)] if entry else [path]) + "\n"


def _key(who: dict[str, str]) -> str:
    return f"{who['session']}\0{who['call']}"
