"""An atomic write against the bare steps it cannot do without: write, fsync, rename, fsync of the folder.

    python tests/bench/bench_write.py [FOLDER]

Both replace the same file in turn, so that disk and neighbours disturb both alike. Prints medians and their ratio for
each size; the aim is 1.3. What is paid on top: reading back what lies on disk, and looking at what was replaced. The
SHA-256 of the content (about 1 ms a MB) is given, as by the tools, whose history has taken it before.
"""

import hashlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from workbench.files import atomic

SIZES = {"4 KB": (4_096, 300), "40 KB": (40_960, 200), "200 KB": (204_800, 100), "5 MB": (5_000_000, 20)}


def bare(folder: int, data: bytes) -> None:
    fd = os.open("bare.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=folder)
    try:
        os.write(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename("bare.tmp", "bare", src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(folder: int, size: int, rounds: int) -> tuple[float, float]:
    """Median seconds of a bare write and of ours."""
    contents = [os.urandom(size), os.urandom(size)]
    bare(folder, contents[1])
    atomic.write(folder, "ours", contents[1], rel="ours", expect=None)
    hashes = [hashlib.sha256(content).hexdigest() for content in contents]
    plain, ours = [], []
    for n in range(rounds):
        new, old = contents[n % 2], contents[1 - n % 2]
        plain.append(seconds(partial(bare, folder, new)))
        write = partial(atomic.write, folder, "ours", new, rel="ours", expect=old, sha256=hashes[n % 2])
        ours.append(seconds(write))
    atomic.delete(folder, "ours", rel="ours", expect=atomic.hash_of(os.open("ours", os.O_RDONLY, dir_fd=folder)))
    return statistics.median(plain), statistics.median(ours)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        folder = os.open(name, os.O_RDONLY)
        for label, (size, rounds) in SIZES.items():
            plain, ours = measure(folder, size, rounds)
            print(f"{label:>7}  bare {plain * 1e3:7.2f} ms  atomic {ours * 1e3:7.2f} ms  ratio {ours / plain:.2f}")
        os.close(folder)


if __name__ == "__main__":
    main()
