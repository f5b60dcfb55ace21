"""What understanding and deciding cost a command, beside two baselines in the same run.

    python tests/bench/bench_gate.py [--rounds 7]

Over the corpora in `tests/data/gating`. Each command is timed several times and its best time counts: other work on
the machine only adds. The targets: 200 µs at the 95th percentile for parse, effects and decision together, a median
under 150 µs, and 5,000 commands in a row under 5 s. Prints one line a figure.
"""

import argparse
import json
import shlex
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import tree_sitter_bash  # noqa: E402
from tree_sitter import Language, Parser  # noqa: E402

from workbench.policy.call import Call, Mode  # noqa: E402
from workbench.policy.decision import decide  # noqa: E402
from workbench.policy.rules import built_in  # noqa: E402
from workbench.shell.effects import Analysis, analyse  # noqa: E402
from workbench.shell.parse import parse  # noqa: E402

WORKSPACE, HOME = Path("/home/dev/project"), Path("/home/dev")
GRAMMAR = Parser(Language(tree_sitter_bash.language()))


def corpus() -> list[str]:
    rows = []
    for name in ("harmless", "wild", "danger"):
        lines = (ROOT / f"tests/data/gating/{name}.tsv").read_text().splitlines()[1:]
        rows += [json.loads(line.split("\t")[1]) for line in lines]
    return rows


def words(command: str) -> None:
    try:
        shlex.split(command)
    except ValueError:
        pass


def understood(command: str) -> Analysis:
    return analyse(command, cwd=WORKSPACE, root=WORKSPACE, home=HOME)


def gate(command: str) -> None:
    found = understood(command)
    call = Call("bash", {"command": command}, found.effects, str(WORKSPACE), found.reads_only, commands=found.commands)
    decide(call, built_in(), Mode.ASK, contained=True)


def best(work: Callable[[str], object], commands: list[str], rounds: int) -> list[float]:
    """The best time of each command in microseconds, sorted."""
    found = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for command in commands:
            start = time.perf_counter()
            work(command)
            found[command] = min(found[command], (time.perf_counter() - start) * 1e6)
    return sorted(found.values())


def row(what: str, times: list[float], target: str = "") -> None:
    at = times[int(len(times) * 0.95)]
    print(f"{what:<44} p50 {statistics.median(times):7.0f} µs   p95 {at:7.0f} µs   max {times[-1]:7.0f} µs   {target}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=7)
    rounds = arguments.parse_args().rounds
    commands = corpus()
    start = time.perf_counter()
    gate(commands[0])
    print(f"the first command, which reads the tables    {(time.perf_counter() - start) * 1000:11.0f} ms")
    row("shlex.split", best(words, commands, rounds))
    row("tree-sitter alone", best(lambda c: GRAMMAR.parse(c.encode()), commands, rounds))
    row("parse: tree, checked", best(parse, commands, rounds))
    row("parse and effects", best(understood, commands, rounds))
    row("parse, effects and decision", best(gate, commands, rounds), "target: p50 150 µs, p95 200 µs")
    many = (commands * 5)[:5000]
    start = time.perf_counter()
    for command in many:
        gate(command)
    print(f"5,000 commands in a row                      {time.perf_counter() - start:11.2f} s    target: 5 s")


if __name__ == "__main__":
    main()
