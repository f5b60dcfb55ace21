"""What the history costs, each figure beside its anchor, both measured in one run: medians, trust ratios first.

`python tests/bench/bench_history.py [--only put,diff]`; `--files 100000` measures the larger workspace too (a minute).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "history")]

from conftest import Work  # noqa: E402

from workbench.history import snapshot, tree  # noqa: E402
from workbench.history.changes import blocks  # noqa: E402
from workbench.history.diff import diff  # noqa: E402
from workbench.history.store import Store  # noqa: E402


def median(work: Callable[[int], object], times: int) -> float:
    """Milliseconds."""
    took = []
    for i in range(times):
        start = time.perf_counter()
        work(i)
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def row(what: str, ours: float, anchor: str = "", theirs: float = 0, target: str = "") -> None:
    ratio = f"{ours / theirs:8.2f} x" if theirs else " " * 10
    told = f"{anchor} {theirs:.2f} ms" if theirs else anchor
    print(f"{what:<58}{ours:10.2f} ms {ratio}  {told:<44}{target}")


def bench_put(base: Path) -> None:
    """Alternating, so that a busy disk hits both."""
    store = Store(base / "store")
    folder = base / "raw"
    folder.mkdir()
    datas = [os.urandom(1500).hex()[:4096].encode().ljust(4096, b"x") for _ in range(300)]

    def raw(i: int) -> None:
        fd = os.open(folder / str(i), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(fd, datas[i])
        os.fsync(fd)
        os.close(fd)

    ours, theirs = [], []
    store_all = [store.put(b"%d" % i, durable=False) for i in range(2000)]
    for i in range(len(datas)):
        theirs.append(median(lambda _, i=i: raw(i), 1))
        ours.append(median(lambda _, i=i: store.put(datas[i]), 1))
    row("durable put of 4 KB", statistics.median(ours), "one fsynced write", statistics.median(theirs), "<= 1.5 x")
    row("put of 4 KB that is there already", median(lambda i: store.put(datas[i]), 100))
    row("get of 4 KB", median(lambda i: store.get(store.name(datas[i])), 100))
    assert store_all


def bench_rollback(base: Path) -> None:
    work = Work(base / "rollback")
    lines = b"".join(b"line %d of a file of ordinary size\n" % i for i in range(2000))
    work.person("f", lines)

    def once(i: int) -> None:
        version = work.edit("f", work.path("f").read_bytes().replace(b"line 10 ", b"line ten %d " % i))
        work.person("f", work.path("f").read_bytes().replace(b"line 1500 ", b"line 1500+ "))
        start = time.perf_counter()
        assert work.undo(version).status == "done"
        took.append((time.perf_counter() - start) * 1000)
        work.person("f", lines)

    took: list[float] = []
    for i in range(20):
        once(i)
    row("roll back one edit, merged, plan to durable", statistics.median(took), target="< 30 ms")


def bench_diff(base: Path) -> None:
    old = [b"line %d with a few words in it %d\n" % (i, i * 7919 % 1000) for i in range(100_000)]
    new = list(old)
    for i in range(0, 100_000, 100):
        new[i] = b"changed %d\n" % i
    a, b = b"".join(old), b"".join(new)
    for name, data in (("a", a), ("b", b)):
        (base / name).write_bytes(data)
    blocks(a, b)
    git = median(
        lambda _: subprocess.run(["git", "diff", "--no-index", base / "a", base / "b"], capture_output=True), 7
    )
    row(
        "line diff, 100,000 lines, 1 % changed",
        median(lambda _: blocks(a, b), 7),
        "git diff --no-index",
        git,
        "<= 1.5 x",
    )
    row("the same with rows and words", median(lambda _: diff(a, b), 3), "git diff --no-index", git)
    c = b"".join(b"value %d = compute(%d)\n" % (i, i) for i in range(2500))
    row(
        "diff of 5,000 rows, words first",
        median(lambda _: diff(c, c.replace(b"compute", b"measure")), 3),
        target="< 200 ms",
    )
    small = b"".join(old[:1000])
    row("diff of 1,000 lines, 1 %", median(lambda _: diff(small, b"".join(new[:1000])), 9))


def files(root: Path, count: int) -> None:
    for d in range(count // 10):
        folder = root / f"d{d % 40}" / f"s{d // 40}"
        folder.mkdir(parents=True, exist_ok=True)
        for k in range(10):
            (folder / f"file{k}.py").write_text(f"# {d} {k}\n" + "x = 1\n" * ((d * 10 + k) % 200))


def bench_scan(base: Path, count: int) -> None:
    work = Work(base / f"scan{count}")
    files(work.root, count)
    os.sync()
    env = {**os.environ, "GIT_DIR": str(base / f"git{count}"), "GIT_WORK_TREE": str(work.root)}

    def git(_: int) -> None:
        subprocess.run(["git", "add", "-A"], env=env, check=True, cwd=work.root)
        subprocess.run(["git", "write-tree"], env=env, check=True, stdout=subprocess.DEVNULL, cwd=work.root)

    subprocess.run(["git", "init", "-q"], env=env, check=True)
    first_git = median(git, 1)
    index = tree.of(work.store, work.root)
    row(f"first look at {count:,} files", median(lambda _: index.refresh(), 1), "git add -A, first", first_git)
    os.sync()
    time.sleep(0.1)
    index.refresh()
    git(0)
    theirs, ours = [], []
    for _ in range(9):
        theirs.append(median(git, 1))
        ours.append(median(lambda _: index.refresh(), 1))
    row(f"look at {count:,} files, nothing changed", statistics.median(ours), "git add -A && git write-tree",
        statistics.median(theirs), "<= 1.3 x")  # fmt: skip
    history = work.history("bash")
    snapshot.before(history, wait=600).after()
    took = median(lambda _: snapshot.before(history, wait=60).after(), 9)
    row(f"what a command in {count:,} files pays", took, target="< 60 ms at 10,000")
    snapshot.close_workspace(history)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--only", default="put,rollback,diff,scan")
    args = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="bench-history-"))
    try:
        for name in args.only.split(","):
            if name == "scan":
                for count in sorted({10_000, args.files}):
                    bench_scan(base, count)
            else:
                {"put": bench_put, "rollback": bench_rollback, "diff": bench_diff}[name](base)
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
