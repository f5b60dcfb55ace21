"""What running a command costs, each figure beside its baseline in the same run: medians, trust ratios first.

    python tests/bench/bench_shell.py [--megabytes 100]

The targets: the sandbox adds at most 12 ms to a command; output passes at 0.6 x the speed of `cat | cat` or more, with
lines counted, the quota kept and memory flat; a tree of five processes, three of them daemons, is gone within a second
of Stop. Prints one line a figure; exits 1 when a target is missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from workbench.shell.run import Finished, run
from workbench.shell.sandbox import Sandbox, probe

BARE_SANDBOX = [
    "/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/",
    "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "/bin/bash", "-c", "true",
]  # fmt: skip
TREE = "sleep 99 & setsid sleep 99 & (setsid sleep 99 >/dev/null 2>&1 &); (setsid sh -c 'sleep 99 &' &); sleep 99"
missed = []


def say(name: str, figure: str, target: str = "", *, met: bool = True) -> None:
    print(f"{name:<46} {figure:<40} {target}{'' if met else '  MISSED'}")
    if not met:
        missed.append(name)


def median(what: Callable[[], object], times: int) -> float:
    """Milliseconds."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        what()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def resident() -> float:
    """MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Bench:
    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder, self.sandbox = folder, sandbox
        self.workspace = folder / "ws"
        self.workspace.mkdir()

    def do(self, command: str, *, sandbox: Sandbox | None = None, stop: threading.Event | None = None) -> Finished:
        return run(
            command,
            cwd=self.workspace,
            sandbox=sandbox or self.sandbox,
            timeout=120,
            stop=stop or threading.Event(),
            on_output=lambda _: None,
            spool=self.folder / "spool",
        )

    def start(self) -> None:
        """Interleaved, so that a busy machine hits all."""
        self.do("true")
        rows: dict[str, list[float]] = {"bare": [], "bwrap": [], "free": [], "ours": []}
        free = replace(self.sandbox, level="D")
        for _ in range(40):
            rows["bare"].append(median(lambda: subprocess.run(["/bin/bash", "-c", "true"], check=True), 1))
            rows["bwrap"].append(median(lambda: subprocess.run(BARE_SANDBOX, check=True), 1))
            rows["free"].append(median(lambda: self.do("true", sandbox=free), 1))
            rows["ours"].append(median(lambda: self.do("true"), 1))
        mid = {name: statistics.median(values) for name, values in rows.items()}
        say("bash -c true", f"{mid['bare']:.1f} ms")
        say("the same in bubblewrap, the least of it", f"{mid['bwrap']:.1f} ms")
        say("ours without a sandbox", f"{mid['free']:.1f} ms")
        added = mid["ours"] - mid["bare"]
        say("ours in the sandbox", f"{mid['ours']:.1f} ms: {added:+.1f} over bash", "<= +12", met=added <= 12)

    def output(self, megabytes: int) -> None:
        size = megabytes * 1_000_000
        file = self.workspace / "big"
        with file.open("w") as big:
            for n in range(0, size, 100 * 10_000):
                big.write("".join(f"{n + i:099d}\n" for i in range(10_000)))
        size = file.stat().st_size
        before = resident()
        rates: dict[str, list[float]] = {"pipe": [], "same": [], "lines": [], "ours": []}
        for _ in range(5):
            took = median(lambda: subprocess.run(f"cat {file} | cat >/dev/null", shell=True, check=True), 1)
            rates["pipe"].append(size / took / 1000)
            same = f"cat {file} | tee {self.folder}/copy | wc -l >/dev/null"
            rates["same"].append(size / median(lambda c=same: subprocess.run(c, shell=True, check=True), 1) / 1000)
            began = time.perf_counter()
            finished = self.do("cat big")
            rates["ours"].append(size / (time.perf_counter() - began) / 1e6)
            assert (finished.output_bytes, finished.lines) == (size, size // 100)
        with subprocess.Popen(["cat", str(file)], stdout=subprocess.PIPE) as child:
            began = time.perf_counter()
            assert child.stdout is not None
            count = sum(1 for _ in child.stdout)
            rates["lines"].append(size / (time.perf_counter() - began) / 1e6)
            assert count == size // 100
        ours, pipe, lines = (statistics.median(rates[name]) for name in ("ours", "pipe", "lines"))
        say("cat | cat >/dev/null", f"{pipe:.0f} MB/s")
        say("cat | tee FILE | wc -l", f"{statistics.median(rates['same']):.0f} MB/s")
        say("a loop over lines", f"{lines:.0f} MB/s: ours is {ours / lines:.1f} x")
        say("ours, all told", f"{ours:.0f} MB/s: {ours / pipe:.2f} x cat | cat", ">= 0.6 x", met=ours >= 0.6 * pipe)
        grown = resident() - before
        say("memory grown meanwhile", f"{grown:.1f} MiB", "<= 50", met=grown <= 50)
        kept = (self.folder / "spool").stat().st_size
        say("kept on disk", f"{kept / 2**20:.1f} MiB", "<= 32", met=kept <= 32 * 2**20 + 200)

    def stop(self, name: str, sandbox: Sandbox) -> None:
        took = []
        for _ in range(10):
            stop = threading.Event()
            thread = threading.Thread(target=lambda s=stop: self.do(TREE, sandbox=sandbox, stop=s))
            thread.start()
            time.sleep(0.15)
            began = time.perf_counter()
            stop.set()
            thread.join()
            took.append((time.perf_counter() - began) * 1000)
        worst = max(took)
        say(
            f"Stop of a tree of five, {name}",
            f"{statistics.median(took):.0f} ms, worst {worst:.0f}",
            "<= 1000",
            met=worst <= 1000,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=100)
    options = parser.parse_args()
    sandbox = probe()
    say("sandbox", sandbox.words)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), sandbox)
        bench.start()
        bench.output(options.megabytes)
        bench.stop(f"level {sandbox.level}", sandbox)
        bench.stop("level D", replace(sandbox, level="D"))
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
