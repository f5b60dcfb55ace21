"""`explain`: what the gate would decide, and why."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from workbench.files import Refused
from workbench.web.management.base import WorkbenchCommand
from workbench.web.offline import Bench, answer, lines


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
            self._print(answer({"command": options["shell_command"]}, lambda given: self._explain(bench, given)))
            return
        for raw in lines():
            self._print(answer(raw, lambda given: self._explain(bench, given)))

    def _explain(self, bench: Bench, asked: dict[str, Any]) -> dict[str, Any]:
        if "command" in asked:
            return bench.explain("bash", {"command": asked["command"]})
        if not isinstance(asked.get("tool"), str):
            raise Refused("bad_args", 'Send {"command": "…"} or {"tool": "…", "args": {…}}.')
        return bench.explain(asked["tool"], asked.get("args", {}))

    def _print(self, data: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(data))
        self.stdout.flush()
