"""The rows of `tests/data/edits/edit_cases.jsonl`, carried out through the tools on a real workspace."""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.files import Refused, atomic
from workbench.tools import all_tools

_CASES = Path(__file__).parents[1] / "data/edits/edit_cases.jsonl"
ROWS = [json.loads(line) for line in _CASES.read_text("utf-8").strip().split("\n")]
OURS = {"not_regular": "device"}
"""error names of the rows that are ours by another name (cases/README)"""


def made(value: Any) -> Any:
    return eval(value["make"]) if isinstance(value, dict) else value


def content(row: dict[str, Any], name: str) -> bytes | None:
    """`before` or `after` of a row, in whichever of its forms it is given."""
    if f"{name}_b64" in row:
        return base64.b64decode(row[f"{name}_b64"])
    if f"{name}_make_bytes" in row:
        return bytes(eval(row[f"{name}_make_bytes"]))
    text = eval(row[f"{name}_make"]) if f"{name}_make" in row else row.get(name)
    return None if text is None else str(text).encode("utf-8", "surrogatepass")


class Stage:
    """One row: its file, the steps before the call, the call, and what must be true afterwards."""

    def __init__(self, row: dict[str, Any], bench: Any) -> None:
        self.row, self.bench = row, bench
        self.name = eval(row["path_make"]) if "path_make" in row else row.get("path", "f.txt")
        self.named = {"encoding": row["encoding"]} if row.get("needs_encoding_hint") else {}
        self.target = self.file
        self.before = content(row, "before")
        self.beside: list[threading.Thread] = []
        self.problems: list[BaseException] = []

    @property
    def file(self) -> Path:
        return Path(self.bench.root, self.name)

    def prepare(self) -> None:
        if self.before is not None and "\0" not in self.name:
            self.file.write_bytes(self.before)
        for step in self.row.get("pre", [{"do": "read"}]):
            getattr(self, f"_{step['do']}")(step)

    def call(self) -> dict[str, Any]:
        """The row's own call; its data, or the refusal's."""
        row = self.row
        if row.get("tool") == "write_file":
            name, args = "write_file", {"content": row["content"]}
        else:
            name = "edit_file"
            args = {k: made(row[k]) for k in ("replace_all",)}
            args |= {"old_string": made(row["old"]), "new_string": made(row["new"])}
        for thread in self.beside:
            thread.start()
        try:
            return dict(self.bench.run(all_tools()[name], path=self.name, **args, **self.named).data)
        except Refused as e:
            return e.as_data()
        finally:
            for thread in self.beside:
                thread.join()
            if self.problems:
                raise self.problems[0]

    # --- steps -------------------------------------------------------------------------------------------------------

    def _read(self, step: dict[str, Any]) -> None:
        path = step.get("path", "FILE").replace("FILE", self.name)
        if "sub/" in path:
            (self.bench.root / "sub").mkdir(exist_ok=True)
        asked = {"limit": step["limit"], "offset": step["offset"] - 1} if "limit" in step else {"limit": 2000}
        with suppress(Refused):
            while True:
                data = self.bench.run(all_tools()["read_file"], path=path, **asked, **self.named).data
                if "limit" in step or not data.get("next"):
                    return
                asked |= {"offset": 0, "column": 0} | data["next"]

    def _user_write(self, step: dict[str, Any]) -> None:
        info = self.file.stat()
        self.file.write_text(step["content"])
        if step.get("keep_mtime"):
            os.utime(self.file, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _user_write_at(self, step: dict[str, Any]) -> None:
        """The user is faster than the replacing: it happens once the old state is taken down."""
        begin = self.bench.versions.begin

        def overtaken(**row: Any) -> int:
            self.file.write_text(step["content"])
            return int(begin(**row))

        self.bench.versions.begin = overtaken

    def _touch(self, _step: dict[str, Any]) -> None:
        later = self.file.stat().st_mtime_ns + 60 * 10**9
        os.utime(self.file, ns=(later, later))

    def _edit(self, step: dict[str, Any]) -> None:
        args = {"old_string": step["old"], "new_string": step["new"]}
        self.bench.run(all_tools()["edit_file"], path=self.name, **args)

    def _write(self, step: dict[str, Any]) -> None:
        self.bench.run(all_tools()["write_file"], path=self.name, content=step["content"])

    def _parallel_edit(self, step: dict[str, Any]) -> None:
        def run() -> None:
            try:
                self._edit(step)
            except BaseException as e:
                self.problems.append(e)

        self.beside.append(threading.Thread(target=run))

    def _bash(self, step: dict[str, Any]) -> None:
        subprocess.run(step["cmd"].replace("FILE", self.name), shell=True, cwd=self.bench.root, check=True)

    def _as_symlink(self, step: dict[str, Any]) -> None:
        folder = self.bench.root.parent if step.get("target") == "outside" else self.bench.root
        self.target = folder / "real.txt"
        self.file.rename(self.target)
        self.file.symlink_to(os.path.relpath(self.target, self.bench.root))

    def _symlink_loop(self, _step: dict[str, Any]) -> None:
        self.file.symlink_to(self.name)

    def _hardlink(self, step: dict[str, Any]) -> None:
        (self.bench.root / step["as"]).hardlink_to(self.file)

    def _mkdir(self, _step: dict[str, Any]) -> None:
        self.file.mkdir()

    def _mkfifo(self, _step: dict[str, Any]) -> None:
        os.mkfifo(self.file)

    def _chmod(self, step: dict[str, Any]) -> None:
        self.file.chmod(int(step["mode"], 8))


def left_over(root: Path) -> Iterator[Path]:
    """Temporary files that should be gone."""
    return (path for path in root.rglob(atomic.PREFIX + "*"))
