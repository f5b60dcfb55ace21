"""Commands run to their end: output, time-outs, stops, and nothing left behind (SPEC B1, B2, B3)."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shell.conftest import Do
from workbench.files import Refused
from workbench.shell.jail.levels import Sandbox

LEVELS = ["A", "B-net", "B-proc", "C", "D"]
TREE = """
# five processes, three of them daemons: a session of its own, orphaned, or both
bash -c 'exec -a {mark} sleep 100' &
setsid bash -c 'exec -a {mark} sleep 100' &
(setsid bash -c 'exec -a {mark} sleep 100' >/dev/null 2>&1 &)
(setsid bash -c '(setsid bash -c "exec -a {mark} sleep 100" >/dev/null 2>&1 &)' &)
exec -a {mark} sleep 100
"""


def alive(mark: str) -> list[int]:
    """Processes of the whole machine whose first argument is `mark`."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().startswith(mark.encode()):
                found.append(int(entry.name))
    return found


def until(check: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_the_exit_code_and_the_output_come_back(do: Do) -> None:
    finished = do("echo hello; exit 3")
    assert (finished.exit_code, finished.signal, finished.tail) == (3, None, b"hello\n")
    assert (finished.output_bytes, finished.lines, finished.cut_bytes) == (6, 1, 0)
    assert not finished.timed_out
    assert not finished.stopped


def test_each_command_starts_afresh_in_the_same_folder(do: Do, workspace: Path) -> None:
    assert do("cd /usr; export X=1; pwd").tail == b"/usr\n"
    assert do('pwd; echo "${X-unset}"').tail == f"{workspace}\nunset\n".encode()


def test_stdout_and_stderr_keep_their_order(do: Do) -> None:
    writes = "".join(f"echo o{n}; echo e{n} >&2; " for n in range(200))
    assert do(writes).tail.decode().split() == [f"{c}{n}" for n in range(200) for c in "oe"]


def test_stdout_and_stderr_of_python_keep_their_order(do: Do) -> None:
    program = "import sys\nfor n in range(50): print('o', n); print('e', n, file=sys.stderr)"
    lines = do(f'python3 -c "{program}"').tail.decode().split("\n")[:-1]
    assert lines == [f"{c} {n}" for n in range(50) for c in "oe"]


def test_stdin_is_closed(do: Do) -> None:
    assert do("cat; read -r x; echo $?").tail == b"1\n"


def test_a_signal_is_told(do: Do) -> None:
    assert (do("kill -TERM $$").exit_code, do("kill -SEGV $$").signal) == (128 + 15, 11)


def test_output_is_shown_while_it_runs_and_not_too_often(do: Do) -> None:
    seen: list[tuple[float, bytes]] = []
    finished = do(
        "for i in $(seq 300); do echo $i; sleep 0.002; done", on_output=lambda b: seen.append((time.monotonic(), b))
    )
    assert b"".join(piece for _, piece in seen) == finished.tail
    assert len(seen) >= 3
    gaps = [b - a for (a, _), (b, _) in itertools.pairwise(seen[:-1])]
    assert min(gaps) >= 0.045


def test_the_first_output_is_shown_at_once(do: Do) -> None:
    started = time.monotonic()
    first: list[float] = []
    do("echo now; sleep 1", on_output=lambda _: first.append(time.monotonic()))
    assert first[0] - started < 0.8


def test_a_watcher_that_fails_does_not_end_the_command(do: Do, caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: bytes) -> None:
        raise RuntimeError("the page is gone")

    assert do("echo on", on_output=fails).tail == b"on\n"
    assert "live output was not shown" in caplog.text


def test_the_whole_output_is_spooled_and_the_tail_starts_at_a_line(do: Do, tmp_path: Path) -> None:
    finished = do("seq 1 100000")
    whole = "".join(f"{n}\n" for n in range(1, 100001)).encode()
    assert (tmp_path / "spool" / "c1").read_bytes() == whole
    assert (finished.output_bytes, finished.lines) == (len(whole), 100_000)
    assert len(finished.tail) <= 8192
    assert finished.tail.startswith(b"98")
    assert whole.endswith(finished.tail)
    assert whole[: finished.cut_bytes].endswith(b"\n")


def test_a_hundred_megabytes_hurt_nobody(do: Do, tmp_path: Path) -> None:
    """Memory stays flat, the quota holds, and the end is kept."""
    live: list[int] = []
    before = _resident()
    finished = do(
        "head -c 104857600 /dev/zero | tr '\\0' 'x' | fold -w 99; echo the end",
        on_output=lambda b: live.append(len(b)),
        quota=4 * 1024 * 1024,
        timeout=60,
    )
    assert finished.exit_code == 0
    assert finished.output_bytes > 105_000_000
    assert finished.tail.endswith(b"the end\n")
    assert _resident() - before < 50 * 1024 * 1024
    kept = tmp_path / "spool" / "c1"
    assert finished.spooled_bytes <= 4 * 1024 * 1024
    assert kept.stat().st_size < 4 * 1024 * 1024 + 200
    assert kept.read_bytes().endswith(b"the end\n")
    assert max(live) < 100_000
    assert any("quota" in note for note in finished.notes)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_disk_that_is_full_stops_the_keeping_not_the_command(do: Do) -> None:
    finished = do("echo one; sleep 0.1; echo two", spool=Path("/dev/full"))
    assert (finished.exit_code, finished.tail, finished.spooled_bytes) == (0, b"one\ntwo\n", 0)
    assert any("could not be kept whole" in note for note in finished.notes)


@pytest.mark.parametrize("name", LEVELS)
def test_a_time_out_ends_the_whole_tree(do: Do, level: Callable[[str], Sandbox], name: str) -> None:
    mark = f"m{uuid.uuid4()}"
    finished = do("echo before; " + TREE.format(mark=mark), sandbox=level(name), timeout=1)
    assert (finished.timed_out, finished.stopped, finished.exit_code) == (True, False, None)
    assert finished.tail.startswith(b"before\n")
    assert finished.duration < 2
    assert until(lambda: not alive(mark), 1 - (finished.duration - 1))


@pytest.mark.parametrize("name", LEVELS)
def test_a_stop_ends_the_whole_tree_within_a_second(
    do: Do, level: Callable[[str], Sandbox], name: str, rounds: Callable[[int], int]
) -> None:
    sandbox = level(name)
    for _ in range(rounds(200 if name in "AD" else 40)):
        mark = f"m{uuid.uuid4()}"
        stop = threading.Event()
        ended: list[object] = []
        thread = threading.Thread(
            target=lambda m=mark, s=stop, e=ended: e.append(do(TREE.format(mark=m), sandbox=sandbox, stop=s))
        )
        thread.start()
        assert until(lambda m=mark: len(alive(m)) == 5)
        started = time.monotonic()
        stop.set()
        assert until(lambda m=mark: not alive(m), 1)
        thread.join(2)
        assert time.monotonic() - started < 1.5
        assert ended[0].stopped  # type: ignore[attr-defined]
        assert ended[0].exit_code is None  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", LEVELS)
def test_nothing_outlives_its_command(do: Do, level: Callable[[str], Sandbox], name: str) -> None:
    mark = f"m{uuid.uuid4()}"
    finished = do(
        TREE.format(mark=mark).replace(f"exec -a {mark} sleep 100\n", "sleep 0.2; exit 7\n"), sandbox=level(name)
    )
    assert (finished.exit_code, finished.timed_out) == (7, False)
    assert until(lambda: not alive(mark), 1)


@pytest.mark.parametrize("name", ["A", "C", "D"])
def test_when_the_workbench_is_killed_its_commands_die(
    tmp_path: Path, workspace: Path, level: Callable[[str], Sandbox], name: str
) -> None:
    """kill -9 leaves no time to clean up: the end of its socket and of its launcher must do it."""
    mark = f"m{uuid.uuid4()}"
    script = f"""
import threading
from pathlib import Path
from workbench.shell.jail.levels import Sandbox
from workbench.shell.run import run
run({TREE.format(mark=mark)!r}, cwd=Path({str(workspace)!r}), sandbox={level(name)!r}, timeout=100,
    stop=threading.Event(), on_output=print, spool=Path({str(tmp_path / "c2")!r}))
"""
    script = script.replace("PosixPath", "Path")
    server = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    try:
        assert until(lambda: len(alive(mark)) == 5, 15)
        server.send_signal(signal.SIGKILL)
        server.wait()
        assert until(lambda: not alive(mark), 1)
    finally:
        server.kill()
        server.wait()


def test_commands_run_side_by_side(do: Do, tmp_path: Path) -> None:
    took = time.monotonic()
    ended: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: ended.append(do(f"sleep 0.5; echo {n}", spool=tmp_path / f"s{n}").tail))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == [f"{n}\n".encode() for n in range(8)]
    assert time.monotonic() - took < 3


def test_secrets_of_the_server_do_not_reach_a_command(do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = [
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SECRET_KEY", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN",
        "NPM_TOKEN", "PYTHONPATH", "BASH_ENV", "ENV", "PROMPT_COMMAND", "SSH_AUTH_SOCK", "https_proxy", "PIP_INDEX_URL",
    ]  # fmt: skip
    for name in secrets:
        monkeypatch.setenv(name, "hush-hush")
    assert b"hush" not in do("env; set; cat /proc/self/environ").tail


@pytest.mark.parametrize("name", LEVELS)
def test_no_descriptor_but_the_three_reaches_a_command(do: Do, level: Callable[[str], Sandbox], name: str) -> None:
    assert do("ls -1 /proc/self/fd; true", sandbox=level(name)).tail.split() == [b"0", b"1", b"2", b"3"]


def test_a_program_of_the_workspace_does_not_pose_as_git(
    do: Do, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "bin").mkdir()
    (workspace / "bin" / "git").write_text("#!/bin/sh\necho planted\n")
    (workspace / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{workspace}/bin:.:{os.environ['PATH']}")
    assert do("git --version").tail.startswith(b"git version")


@pytest.mark.parametrize(
    ("command", "code", "part"),
    [
        ("echo \0", "bad_args", "NUL"),
        ("echo \ud800", "bad_args", "half a character"),
        ("x" * 70_000, "bad_args", "70,000 bytes"),
    ],
)
def test_a_command_that_no_program_can_be_given_is_refused(do: Do, command: str, code: str, part: str) -> None:
    with pytest.raises(Refused) as refused:
        do(command)
    assert refused.value.code == code
    assert part in refused.value.message


def test_a_folder_that_vanished_is_a_clear_error(do: Do, workspace: Path) -> None:
    workspace.rmdir()
    with pytest.raises(Refused) as refused:
        do("true")
    assert refused.value.code == "no_file"
    assert str(workspace) in refused.value.message


def test_a_sandbox_that_cannot_be_set_up_is_not_taken_for_the_command(do: Do, level: Callable[[str], Sandbox]) -> None:
    """Bubblewrap fails on its own, with the exit code 1 that a command could have as well."""
    broken = level("A")
    with pytest.raises(Refused) as refused:
        do("true", sandbox=broken, tmp=Path("/nowhere"))
    assert refused.value.code == "io"
    assert "nothing ran" in refused.value.message


def test_without_bubblewrap_where_it_is_expected_nothing_runs(do: Do, level: Callable[[str], Sandbox]) -> None:
    gone = Sandbox("A", program="/usr/bin/no-such-bwrap")
    with pytest.raises(Refused) as refused:
        do("touch ran", sandbox=gone)
    assert refused.value.code == "io"
