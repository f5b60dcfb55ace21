"""How fast reading is, each figure beside its baseline in the same run.

    python tests/bench/bench_read.py [--megabytes 1000]

The targets: the first page at the middle of the file within 2.5 x of `wc -l` on it (1.3 x is the aim), the next twenty
under 2 ms each, all 21 at least 40 x faster than `itertools.islice`, at most 40 MB of memory above idle, and a small
file within 0.2 ms. Prints one line a figure; exits 1 when a target is missed.
"""

import argparse
import itertools
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from workbench.files.fence import Fence
from workbench.files.find import Deadline
from workbench.files.opened import open_text
from workbench.files.page import Page, read
from workbench.files.search import Pattern, count

LINE = "%09d 2026-01-01T00:00:00 INFO worker: a line of a log, about a hundred characters long, as they are\n"
missed = []


def timed(what: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    result = what()
    return time.perf_counter() - began, result


def say(name: str, figure: str, target: str = "", *, met: bool = True) -> None:
    print(f"{name:<46} {figure:<34} {target}{'' if met else '  MISSED'}")
    if not met:
        missed.append(name)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make_log(path: Path, megabytes: int) -> int:
    lines = megabytes * 1_000_000 // len(LINE % 0)
    with path.open("w") as file:
        for start in range(0, lines, 10_000):
            file.write("".join(LINE % n for n in range(start, min(lines, start + 10_000))))
    return lines


def warm(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass


def large(folder: Path, megabytes: int) -> None:
    path = folder / "big.log"
    lines = make_log(path, megabytes)
    warm(path)
    fence, middle = Fence(folder), lines // 2
    wc = statistics.median(timed(lambda: subprocess.run(["wc", "-l", path], capture_output=True))[0] for _ in range(3))
    idle = peak_mb()
    first, page = timed(lambda: read(fence, "big.log", offset=middle))
    assert isinstance(page, Page)
    assert page.pieces[0].startswith(f"{middle:09d}")
    following = min((next_pages(fence, middle + 80 + 1600 * n) for n in range(3)), key=max)
    grown = peak_mb() - idle
    slow, _ = timed(lambda: list(itertools.islice(path.open("rb"), middle, middle + 80)))
    ratio = 21 * slow / (first + sum(following))
    say(
        f"first page at line {middle:,} of {lines:,}",
        f"{first / wc:.2f} x wc -l ({first * 1000:.0f} ms)",
        "<= 2.5 x",
        met=first <= 2.5 * wc,
    )
    worst = max(following) * 1000
    say(
        "the next 20 pages",
        f"{statistics.median(following) * 1000:.2f} ms, worst {worst:.2f} ms",
        "< 2 ms",
        met=worst < 2,
    )
    say("all 21 against islice", f"{ratio:.0f} x faster", ">= 40 x", met=ratio >= 40)
    say("peak memory above idle", f"{grown:.1f} MB", "<= 40 MB", met=grown <= 40)
    search(fence, path)


def next_pages(fence: Fence, offset: int) -> list[float]:
    """Seconds for each of 20 pages in a row."""
    return [timed(lambda at=at: read(fence, "big.log", offset=at))[0] for at in range(offset, offset + 1600, 80)]


def search(fence: Fence, path: Path) -> None:
    rg, _ = timed(lambda: subprocess.run(["rg", "-c", r"INFO \w+: x", path], capture_output=True))
    with open_text(fence, fence.resolve(path.name)) as file:
        own, _ = timed(lambda: count(file, Pattern(r"INFO \w+: x"), Deadline(60)))
    say("grep of one file, no match", f"{own / rg:.1f} x ripgrep")


def small(folder: Path) -> None:
    path = folder / "small.py"
    path.write_text("def f(x):\n    return x + 1\n\n" * 60)
    fence = Fence(folder)
    bare = statistics.median(timed(path.read_text)[0] for _ in range(500))
    page = statistics.median(timed(lambda: read(fence, "small.py"))[0] for _ in range(500))
    say(
        "a page of a file of 1.7 KB",
        f"{page * 1000:.3f} ms ({page / bare:.1f} x Path.read_text)",
        "< 0.2 ms",
        met=page < 0.0002,
    )
    place = statistics.median(timed(lambda: fence.resolve("small.py"))[0] for _ in range(500))
    real = statistics.median(timed(path.resolve)[0] for _ in range(500))
    say("resolving through the fence", f"{place / real:.2f} x pathlib.resolve ({place * 1e6:.0f} us)")


def long_line(folder: Path) -> None:
    (folder / "min.js").write_text("x" * 60_000_000)
    fence = Fence(folder)
    first, _ = timed(lambda: read(fence, "min.js", column=59_000_000))
    again, _ = timed(lambda: read(fence, "min.js", column=58_900_000))
    say("a page at column 59,000,000 of one line", f"{first * 1000:.0f} ms, then {again * 1000:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        large(Path(folder), args.megabytes)
        small(Path(folder))
        long_line(Path(folder))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
