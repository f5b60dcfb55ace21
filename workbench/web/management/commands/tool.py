"""`tool`: tool calls without a model."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from workbench.files import Refused
from workbench.web.management.base import WorkbenchCommand
from workbench.web.offline import Bench, answer, lines


class Command(WorkbenchCommand):
    help = (
        "Runs one tool call and prints its result, or with --jsonl a call for each {tool, args} line of the input, in "
        "one session. A call that needs approval gives approval_required, unless --approve all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", nargs="?", help="the tool")
        parser.add_argument("arguments", metavar="args", nargs="?", default="{}", help="its arguments, one JSON object")
        parser.add_argument("--jsonl", action="store_true", help="read {tool, args} lines, answer each before the next")
        parser.add_argument("--workspace", metavar="DIR", default=".", help="default: here")
        parser.add_argument("--approve", choices=["none", "all"], default="none")

    def handle(self, **options: Any) -> None:
        if options["jsonl"] == bool(options["name"]):
            self.fail("Give either a tool and its arguments, or --jsonl.", 2)
        try:
            bench = Bench(Path(options["workspace"]).expanduser().absolute())
        except Refused as e:
            self.fail(e.message)
        approve = options["approve"] == "all"
        if options["name"]:
            call = {"tool": options["name"], "args": options["arguments"]}
            self._print(answer(call, lambda given: self._run(bench, given, approve=approve)))
            return
        for raw in lines():
            self._print(answer(raw, lambda given: self._run(bench, given, approve=approve)))

    def _run(self, bench: Bench, call: dict[str, Any], *, approve: bool) -> dict[str, Any]:
        if not isinstance(call.get("tool"), str):
            raise Refused("bad_args", 'The line names no tool: send {"tool": "read_file", "args": {…}}.')
        return bench.run(call["tool"], call.get("args", {}), approve=approve)

    def _print(self, data: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(data))
        self.stdout.flush()
