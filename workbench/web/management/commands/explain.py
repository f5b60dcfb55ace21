"""`explain`: what the gate would decide, and why."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from workbench.files import Refused
from workbench.web.management.base import WorkbenchCommand
from workbench.web.offline import Bench, line_of


class Command(WorkbenchCommand):
    help = (
        "Says what the gate would decide about a command, by which rule, and what the command does. With --jsonl for "
        "each {command} or {tool, args} line of the input. Runs nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("shell_command", metavar="COMMAND", nargs="?")
        parser.add_argument("--jsonl", action="store_true", help="read lines, answer each before the next")
        parser.add_argument("--workspace", metavar="DIR", default=".", help="default: here")

    def handle(self, **options: Any) -> None:
        if options["jsonl"] == (options["shell_command"] is not None):
            self.fail("Give either a command or --jsonl.", 2)
        try:
            bench = Bench(Path(options["workspace"]).expanduser().absolute())
        except Refused as e:
            self.fail(e.message)
        if options["shell_command"] is not None:
            self._print(bench.explain("bash", {"command": options["shell_command"]}))
            return
        for raw in sys.stdin:
            if raw.strip():
                self._print(self._line(bench, raw))

    def _line(self, bench: Bench, raw: str) -> dict[str, Any]:
        try:
            line = line_of(raw)
            if "command" in line:
                return bench.explain("bash", {"command": line["command"]})
            if not isinstance(line.get("tool"), str):
                raise Refused("bad_args", 'Send {"command": "…"} or {"tool": "…", "args": {…}}.')
            return bench.explain(line["tool"], line.get("args", {}))
        except Refused as e:
            return e.as_data()
        except Exception as e:  # a line never ends the loop
            return Refused("io", f"The workbench made a mistake here: {type(e).__name__}: {e}").as_data()

    def _print(self, data: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(data))
        self.stdout.flush()
