"""How a command starts at each level, what each grant opens, and that ordinary work goes on inside."""

import socket
import subprocess
import sys
import threading
import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shell.conftest import Do
from workbench.shell.jail.contain import contain, shell
from workbench.shell.jail.host import Host
from workbench.shell.jail.levels import NO_GRANTS, Grants, Sandbox

LEVELS = ["A", "B-net", "B-proc", "C"]


def ordered(sandbox: Sandbox, root: Path, grants: Grants = NO_GRANTS, **more: object):  # type: ignore[no-untyped-def]
    host = more.pop("host", Host.here())
    return contain("true", cwd=root, root=root, sandbox=sandbox, grants=grants, host=host, tmp=root / "t")  # type: ignore[arg-type]


def test_each_level_has_its_own_way_to_start(workspace: Path) -> None:
    (workspace / "t").mkdir()
    boxed = ordered(Sandbox("A", program="/usr/bin/bwrap"), workspace).order
    fenced = ordered(Sandbox("C"), workspace).order
    free = ordered(Sandbox("D"), workspace).order
    assert (boxed.argv[0], boxed.gather, boxed.confine) == ("/usr/bin/bwrap", False, None)
    assert (Path(fenced.argv[0]).name, fenced.gather, fenced.confine is None) == ("bash", True, False)
    assert (Path(free.argv[0]).name, free.gather, free.confine) == ("bash", True, None)
    granted = ordered(Sandbox("A", program="/usr/bin/bwrap"), workspace, Grants(unconfined=True)).order
    assert granted.argv == free.argv


def test_for_an_ordinary_user_processes_are_counted_inside(workspace: Path) -> None:
    host = replace(Host.here(), uid=1001)
    argv = ordered(Sandbox("A", program="/usr/bin/bwrap"), workspace, host=host).order.argv
    assert argv[argv.index("--") + 3].startswith("ulimit -u ")
    assert argv[-3:] == ["-c", "--", "true"]


def test_bash_is_found_where_systems_put_it() -> None:
    assert Path(shell("/nowhere")).name == "bash"


@pytest.mark.parametrize("name", LEVELS)
def test_a_project_with_its_own_environment_runs_its_tests(
    do: Do, level: Callable[[str], Sandbox], workspace: Path, name: str
) -> None:
    """The interpreter may lie in a home that is masked; what the environment links to must be there all the same."""
    venv.create(workspace / ".venv", symlinks=True)
    ours = Path(pytest.__file__).parent.parent
    site = next((workspace / ".venv" / "lib").glob("python3*")) / "site-packages"
    (site / "ours.pth").write_text(f"{ours}\n")  # stands for packages that are installed there
    (workspace / "test_it.py").write_text("def test_it(tmp_path):\n    (tmp_path / 'x').write_text('x')\n")
    finished = do(
        ".venv/bin/python -m pytest -q -p no:cacheprovider; .venv/bin/python -c 'import sys; print(sys.prefix)'",
        sandbox=level(name),
        grants=Grants(read=(ours,)),
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert b"1 passed" in finished.tail
    assert finished.tail.endswith(f"{workspace}/.venv\n".encode())


def test_processes_of_python_find_each_other(do: Do) -> None:
    """Semaphores and shared memory: /dev/shm is there, and private."""
    program = (
        "import multiprocessing as m; from multiprocessing.shared_memory import SharedMemory as S; "
        "s = S(create=True, size=9); s.unlink(); q = m.Queue(); p = m.Process(target=q.put, args=(7,)); p.start(); "
        "print(q.get()); p.join()"
    )
    assert do(f'{sys.base_prefix}/bin/python3 -c "{program}"').tail == b"7\n"


@pytest.fixture
def repo(workspace: Path, home: Path) -> Path:
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(workspace.parent / "far.git")], check=True)
    subprocess.run(["git", "remote", "add", "origin", "../far.git"], cwd=workspace, check=True)
    (workspace / "a").write_text("a\n")
    return workspace


@pytest.mark.parametrize("name", LEVELS)
def test_git_reads_at_every_level(do: Do, level: Callable[[str], Sandbox], repo: Path, name: str) -> None:
    finished = do("git status --short && git diff && git log -1", sandbox=level(name))
    assert finished.tail.startswith(b"?? a\n")


@pytest.mark.parametrize("name", LEVELS)
def test_git_commits_as_the_person(do: Do, level: Callable[[str], Sandbox], repo: Path, name: str) -> None:
    finished = do(
        "git add -A && git commit -qm one && git branch two && git log --format='%an <%ae> %s' --all",
        sandbox=level(name),
        grants=Grants(git=True),
    )
    assert (finished.exit_code, finished.tail) == (0, b"Ada <ada@example.org> one\n")
    assert finished.notes == ()


def test_a_push_arrives_and_the_branch_follows(do: Do, repo: Path) -> None:
    do("git add -A && git commit -qm one", grants=Grants(git=True))
    grants = Grants(git=True, tracking=True, write=(repo.parent / "far.git",))
    assert do("git push -qu origin main", grants=grants).exit_code == 0
    log = subprocess.run(
        ["git", "log", "--format=%s", "main"], cwd=repo.parent / "far.git", capture_output=True, check=True
    )
    assert log.stdout == b"one\n"
    assert "merge = refs/heads/main" in (repo / ".git" / "config").read_text()


def test_where_a_branch_may_follow_nothing_else_may_change(do: Do, repo: Path) -> None:
    before = (repo / ".git" / "config").read_text()
    finished = do("git config core.fsmonitor ./x", grants=Grants(git=True, tracking=True))
    assert finished.exit_code == 0
    assert (repo / ".git" / "config").read_text() == before
    assert "put back" in finished.notes[0]


def test_without_the_grant_a_commit_fails_by_the_file_system(do: Do, repo: Path) -> None:
    finished = do("git add -A")
    assert finished.exit_code != 0
    assert b"Read-only file system" in finished.tail


def test_the_network_is_a_grant(do: Do) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f"exec 3<>/dev/tcp/127.0.0.1/{port}"
        assert do(command).exit_code != 0
        assert do(command, grants=Grants(network=True)).exit_code == 0


def test_a_folder_outside_is_a_grant(do: Do, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    command = f"echo x > {tmp_path}/out/file"
    assert do(command).exit_code != 0
    assert do(command, grants=Grants(write=(tmp_path / "out",))).exit_code == 0
    assert (tmp_path / "out" / "file").read_text() == "x\n"


def test_the_real_home_is_a_grant_to_read(do: Do, home: Path) -> None:
    (home / "notes").write_text("mine\n")
    assert do("cat ~/notes").exit_code != 0
    finished = do("cat ~/notes; echo x > ~/notes", grants=Grants(home=True))
    assert finished.tail.startswith(b"mine\n")
    assert (home / "notes").read_text() == "mine\n"


def test_one_file_of_the_home_is_a_grant(do: Do, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host x\n")
    (home / ".ssh" / "id").write_text("key\n")
    finished = do("cat ~/.ssh/config; cat ~/.ssh/id", grants=Grants(read=(home / ".ssh" / "config",)))
    assert finished.tail.startswith(b"Host x\n")
    assert b"key" not in finished.tail


def test_without_a_sandbox_everything_is_as_in_a_terminal_but_the_secrets(
    do: Do, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "hush")
    (home / "notes").write_text("mine\n")
    finished = do(f"cat ~/notes; echo x > {tmp_path}/free; env | grep hush", grants=Grants(unconfined=True))
    assert finished.tail == b"mine\n"
    assert (tmp_path / "free").exists()


def test_a_session_keeps_its_tmp_from_command_to_command(do: Do, tmp_path: Path) -> None:
    kept = tmp_path / "session-tmp"
    kept.mkdir()
    assert do("echo x > /tmp/left", tmp=kept).exit_code == 0
    assert do("cat /tmp/left", tmp=kept).tail == b"x\n"
    assert not Path("/tmp/left").exists()
    assert do("cat /tmp/left").exit_code != 0


def test_memory_and_files_are_limited(do: Do) -> None:
    limits = do("ulimit -c; ulimit -f").tail.split()
    assert limits[0] == b"0"
    assert int(limits[1]) <= 16 * 1024 * 1024


@pytest.mark.timeout(60)
def test_a_fork_bomb_ends_with_its_time(do: Do) -> None:
    """The server's own thread goes on, and nothing is left."""
    ticks: list[float] = []
    done = threading.Event()
    ticker = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: done.wait(0.05), True)])
    ticker.start()
    finished = do(":(){ :|:& };: ; sleep 30", timeout=1)
    done.set()
    ticker.join()
    assert finished.duration < 10
    assert len(ticks) > 10
    assert do("echo alive").tail == b"alive\n"


def test_one_protected_file_is_a_grant(do: Do, workspace: Path) -> None:
    """Also for a program that replaces it instead of writing into it; its neighbours stay closed."""
    (workspace / ".vscode").mkdir()
    for name in ("settings.json", "tasks.json"):
        (workspace / ".vscode" / name).write_text("old\n")
    both = "sed -i s/old/new/ .vscode/settings.json; sed -i s/old/new/ .vscode/tasks.json"
    command = f"{both}; mv .vscode v; echo x > .vscode/x"
    assert do(command).exit_code == 1
    finished = do(command, grants=Grants(write=(workspace / ".vscode" / "settings.json",)))
    assert (workspace / ".vscode" / "settings.json").read_text() == "new\n"
    assert (workspace / ".vscode" / "tasks.json").read_text() == "old\n"
    assert not (workspace / ".vscode" / "x").exists()
    assert [note.split(" ")[0] for note in finished.notes] == [".vscode/x"]


def test_a_git_folder_that_is_none_cannot_be_made_one(do: Do, workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "sub").mkdir()
    (workspace / "sub" / ".git").write_text("gitdir: ../nowhere\n")
    finished = do("echo 'ref: refs/heads/main' > .git/HEAD; echo 'gitdir: ../evil' > sub/.git; rm -rf .git sub/.git")
    assert b"Read-only file system" in finished.tail
    assert (workspace / "sub" / ".git").read_text() == "gitdir: ../nowhere\n"


def test_the_persons_own_git_settings_are_shown_when_git_reaches_out(do: Do, home: Path) -> None:
    (home / ".gitconfig").write_text("[credential]\n\thelper = mine\n")
    assert do("git config --global credential.helper").exit_code == 1
    assert do("git config --global credential.helper", grants=Grants(read=(home / ".gitconfig",))).tail == b"mine\n"
