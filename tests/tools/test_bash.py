"""bash: what the model asks for and is told, what a command changed, and what an approved one reaches (SPEC B1-B7)."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import Bench
from workbench.files import Refused
from workbench.history import snapshot
from workbench.policy.call import Mode, Verb, digest
from workbench.policy.decision import decide
from workbench.policy.rules import built_in
from workbench.shell import background
from workbench.shell.sandbox import Sandbox, probe
from workbench.tools import Context, Result, all_tools
from workbench.tools.bash import asked_for

tool = all_tools()["bash"]
Run = Callable[..., Result]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return probe()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def bench(make_bench: Callable[..., Bench], home: Path) -> Iterator[Bench]:
    made = make_bench(home=home)
    yield made
    background.end("s1")
    snapshot.close_workspace(made.context().history)


@pytest.fixture
def make_context(bench: Bench, sandbox: Sandbox) -> Callable[..., Context]:
    def make(**more: Any) -> Context:
        ctx = bench.context(by="bash")
        ctx.sandbox = sandbox
        for name, value in more.items():
            setattr(ctx, name, value)
        return ctx

    return make


@pytest.fixture
def bash(make_context: Callable[..., Context]) -> Run:
    """Parse, judge and run, the way the scheduler does, with the approval given."""

    def run(ctx: Context | None = None, **raw: Any) -> Result:
        ctx = ctx or make_context()
        args = tool.parse(raw)
        tool.call(args, ctx)
        result = tool.run(args, ctx)
        assert isinstance(result, Result)
        return result

    return run


def outcome(make_context: Callable[..., Context], mode: Mode = Mode.ASK, **raw: Any) -> str:
    return decide(tool.call(tool.parse(raw), make_context()), built_in(), mode, contained=True).outcome


# ---- what is asked for


@pytest.mark.parametrize(
    "raw", ["{", "[1]", "null", '{"command": 5}', '{"comand": "ls"}', '{"command": "ls", "timeout": "x"}']
)
def test_arguments_that_are_no_arguments_are_a_clear_error(raw: str) -> None:
    with pytest.raises(Refused) as refused:
        tool.parse(raw)
    assert refused.value.code == "bad_args"
    assert "bash" in refused.value.message


@pytest.mark.parametrize("command", ["", "   ", "\n\t\n"])
def test_an_empty_command_is_a_clear_error(bash: Run, command: str) -> None:
    with pytest.raises(Refused) as refused:
        bash(command=command)
    assert (refused.value.code, "empty" in refused.value.message) == ("bad_args", True)


@pytest.mark.parametrize("timeout", [121, 300, 86_400])
def test_a_time_out_above_the_cap_is_refused_and_nothing_runs(bash: Run, bench: Bench, timeout: int) -> None:
    with pytest.raises(Refused) as refused:
        bash(command="touch ran", timeout=timeout)
    assert refused.value.code == "timeout_cap"
    assert refused.value.facts == {"timeout": timeout, "cap": 120}
    assert "120" in refused.value.message
    assert not (bench.root / "ran").exists()


@pytest.mark.parametrize("timeout", [0, -1])
def test_a_time_out_that_is_none_is_refused(timeout: int) -> None:
    with pytest.raises(Refused) as refused:
        tool.parse({"command": "ls", "timeout": timeout})
    assert refused.value.code == "bad_args"


def test_the_cap_is_a_setting(bash: Run, make_context: Callable[..., Context]) -> None:
    assert bash(make_context(limits={"bash.timeout_cap": 600}), command="true", timeout=600).data["exit_code"] == 0
    with pytest.raises(Refused):
        bash(make_context(limits={"bash.timeout_cap": 5}), command="true")


def test_the_description_tells_the_model_how_it_works() -> None:
    for said in (
        "fresh process",
        "cd and variables do not carry over",
        "30 seconds",
        "120",
        "stdin",
        "read_file",
        "grep",
        "split",
    ):
        assert said in " ".join(tool.description.split())
    assert tool.schema["properties"]["timeout"]["default"] == 30


# ---- what is told


def test_a_command_that_works(bash: Run) -> None:
    assert bash(command="echo hello").data == {
        "exit_code": 0, "output": "hello\n", "timed_out": False, "stopped": False,
    }  # fmt: skip


def test_a_failure_is_information(bash: Run) -> None:
    data = bash(command="echo why >&2; exit 3").data
    assert (data["exit_code"], data["output"]) == (3, "why\n")
    assert "error" not in data


def test_no_output_says_so(bash: Run) -> None:
    assert bash(command="true").data["output"] == "(no output)"


def test_nothing_carries_over(bash: Run, bench: Bench) -> None:
    bash(command="cd /usr && export X=1")
    assert bash(command='pwd; echo "[$X]"').data["output"] == f"{bench.root}\n[]\n"


def test_the_end_of_much_output_is_kept_and_the_cut_is_said(bash: Run, bench: Bench) -> None:
    result = bash(command="seq 1 100000")
    marker, _, rest = result.data["output"].partition("\n")
    whole = "".join(f"{n}\n" for n in range(1, 100001))
    assert marker == f"[… first {len(whole) - len(rest)} bytes cut …]"
    assert whole.endswith(rest)
    assert rest.startswith("98")
    assert len(rest) <= 8192
    spooled = bench.data / "spool" / result.view["spool"]
    assert spooled.read_text() == whole
    assert (result.view["lines"], result.view["output_bytes"]) == (100_000, len(whole))


def test_bytes_that_are_no_text_do_no_harm(bash: Run) -> None:
    assert bash(command=r"printf 'a\xff\x00b\n'").data["output"] == "a\ufffd\0b\n"


def test_a_time_out_is_a_result_with_what_was_printed(bash: Run) -> None:
    data = bash(command="echo before; sleep 60", timeout=1).data
    assert (data["timed_out"], data["exit_code"], data["output"]) == (True, None, "before\n")
    assert "120" in data["message"]


def test_a_stop_is_a_result_with_what_was_printed(bash: Run, make_context: Callable[..., Context]) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    data = bash(make_context(stop=stop), command="echo before; sleep 60").data
    assert (data["stopped"], data["timed_out"], data["exit_code"], data["output"]) == (True, False, None, "before\n")


def test_output_streams(bash: Run, make_context: Callable[..., Context]) -> None:
    live: list[bytes] = []
    bash(make_context(stream=live.append), command="echo one; sleep 0.2; echo two")
    assert live == [b"one\n", b"two\n"]


def test_the_level_is_told(bash: Run, sandbox: Sandbox) -> None:
    view = bash(command="true").view
    assert (view["sandbox"], view["network"]) == (sandbox.words, False)


# ---- what it changed


def test_changes_are_recorded_like_edits(bash: Run, bench: Bench) -> None:
    """The hole that `echo >>` was: history, a diff, and read state that goes stale by itself."""
    (bench.root / "list.txt").write_text("one\n")
    (bench.root / "gone.txt").write_text("a\nb\n")
    result = bash(command="echo hello >> list.txt; rm gone.txt; mkdir new; echo x > new/file")
    assert result.data["changed"] == [
        {"path": "gone.txt", "change": "deleted", "added": 0, "removed": 2},
        {"path": "list.txt", "change": "changed", "added": 1, "removed": 0},
        {"path": "new/file", "change": "created", "added": 1, "removed": 0},
    ]
    versions = [bench.versions.rows[v] for v in result.view["versions"]]
    assert [(v.path, v.by, v.status) for v in versions] == [
        ("gone.txt", "bash", "done"), ("list.txt", "bash", "done"), ("new/file", "bash", "done"),
    ]  # fmt: skip
    assert bench.store.get(versions[1].before.sha256) == b"one\n"


def test_what_was_changed_before_a_time_out_is_recorded_too(bash: Run, bench: Bench) -> None:
    data = bash(command="echo x > half; sleep 60", timeout=1).data
    assert data["timed_out"]
    assert [c["path"] for c in data["changed"]] == ["half"]


def test_a_command_that_changed_nothing_says_nothing(bash: Run) -> None:
    assert "changed" not in bash(command="ls").data


def test_many_changes_are_named_up_to_a_limit(bash: Run) -> None:
    data = bash(command="for n in $(seq 100); do echo $n > f$n; done").data
    assert (len(data["changed"]), data["changed_in_all"]) == (30, 100)


def test_what_acts_later_is_held_back_and_said(bash: Run, bench: Bench) -> None:
    """By code that nobody could look into; a command that says so asks instead, and is let through when approved."""
    (bench.root / "gen.py").write_text("open('AGENTS.md', 'w').write('obey')\n")
    result = bash(command="python3 gen.py")
    data = result.data
    assert "AGENTS.md was held back" in data["notes"][0]
    assert (bench.data / "spool" / result.view["held"] / "AGENTS.md").read_text() == "obey"
    assert not (bench.root / "AGENTS.md").exists()
    bash(command="echo mine > AGENTS.md")
    assert (bench.root / "AGENTS.md").read_text() == "mine\n"


def test_a_deeper_file_that_acts_later_is_pointed_out(bash: Run, bench: Bench) -> None:
    (bench.root / "gen.py").write_text("import os; os.mkdir('sub'); open('sub/AGENTS.md', 'w').write('obey')\n")
    (note,) = bash(command="python3 gen.py").data["notes"]
    assert "look at sub/AGENTS.md" in note


# ---- what it may reach


@pytest.fixture
def repo(bench: Bench) -> Path:
    """A workspace with a bare repository beside it as its origin."""
    far = bench.root.parent / "far.git"
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=bench.root, check=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(far)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(far)], cwd=bench.root, check=True)
    (bench.root / "a.txt").write_text("a\n")
    return far


def test_a_commit_runs_by_itself_and_an_approved_push_arrives(
    bash: Run, make_context: Callable[..., Context], repo: Path
) -> None:
    """The demo's way: nobody is asked about the commit, somebody about the push, and then it is there."""
    assert outcome(make_context, command="git add -A && git commit -m x") == "allow"
    committed = bash(command="git add -A && git commit -q -m x && git log --format=%s").data
    assert (committed["exit_code"], committed["output"]) == (0, "x\n")
    assert outcome(make_context, command="git push origin main") == "ask"
    pushed = bash(command="git push origin main")
    assert pushed.data["exit_code"] == 0, pushed.data
    assert not pushed.view["network"]
    log = subprocess.run(["git", "log", "--format=%s", "main"], cwd=repo, capture_output=True, text=True, check=True)
    assert log.stdout == "x\n"


def test_an_approval_of_a_push_binds_where_it_goes(
    make_context: Callable[..., Context], bench: Bench, repo: Path
) -> None:
    args = tool.parse({"command": "git push origin main"})
    first = digest(tool.call(args, make_context()), b"key")
    assert digest(tool.call(args, make_context()), b"key") == first
    subprocess.run(["git", "remote", "set-url", "origin", "https://evil.example/x"], cwd=bench.root, check=True)
    assert digest(tool.call(args, make_context()), b"key") != first


def test_an_approval_of_a_script_binds_its_content(make_context: Callable[..., Context], bench: Bench) -> None:
    (bench.root / "run.sh").write_text("echo one\n")
    args = tool.parse({"command": "bash run.sh"})
    first = digest(tool.call(args, make_context()), b"key")
    (bench.root / "run.sh").write_text("echo two\n")
    second = digest(tool.call(args, make_context()), b"key")
    (bench.root / "run.sh").unlink()
    assert len({first, second, digest(tool.call(args, make_context()), b"key")}) == 3


def test_an_approval_binds_where_a_link_leads(make_context: Callable[..., Context], bench: Bench) -> None:
    """The nice name was shown with what it led to; when that changes it is asked about again."""
    for name in ("in", "out"):
        (bench.root.parent / name).mkdir()
    (bench.root / "link").symlink_to(bench.root.parent / "in")
    args = tool.parse({"command": "echo x > link/file"})
    first = digest(tool.call(args, make_context()), b"key")
    (bench.root / "link").unlink()
    (bench.root / "link").symlink_to(bench.root.parent / "out")
    assert digest(tool.call(args, make_context()), b"key") != first


def test_a_commit_beside_code_of_the_workspace_is_told_how_to_do_it(bash: Run, bench: Bench, repo: Path) -> None:
    (bench.root / "t.py").write_text("print('ok')\n")
    data = bash(command="python3 t.py && git add -A && git commit -m x").data
    assert data["exit_code"] != 0
    assert any("git add, commit and branch alone" in note for note in data["notes"])


def test_what_is_hidden_is_explained(bash: Run, home: Path) -> None:
    (home / "notes.txt").write_text("mine\n")
    data = bash(command=f"cat {home}/notes.txt").data
    assert data["exit_code"] != 0
    assert any("homes are hidden" in note for note in data["notes"])
    assert bash(command=f"cat {home}/notes.txt", grants=["home"]).data["output"] == "mine\n"


@pytest.mark.parametrize(
    ("grant", "verb"),
    [("network", Verb.NET_READ), ("home", Verb.SECRET), ("no_sandbox", Verb.PRIV), ("write:{out}", Verb.WRITE_OUT)],
)
def test_a_grant_by_name_asks_in_every_mode(
    make_context: Callable[..., Context], tmp_path: Path, grant: str, verb: Verb
) -> None:
    (tmp_path / "out").mkdir()
    raw = {"command": "ls", "grants": [grant.format(out=tmp_path / "out")]}
    assert outcome(make_context, command="ls") == "allow"
    assert outcome(make_context, Mode.AUTO, **raw) == "ask"
    assert verb in {e.verb for e in tool.call(tool.parse(raw), make_context()).effects}


def test_a_grant_by_name_opens_what_it_says(bash: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "free").mkdir()
    assert bash(command=f"touch {tmp_path}/out/a", grants=[f"write:{tmp_path}/out"]).data["exit_code"] == 0
    result = bash(command=f"touch {tmp_path}/free/a", grants=["no_sandbox"])
    assert result.data["exit_code"] == 0
    assert result.view["sandbox"] == "not isolated: a person allowed it"
    assert (tmp_path / "out" / "a").exists()


@pytest.mark.parametrize(
    "grant", ["all", "write:", "write:relative", "write:/", "write:/no/such/folder", "write:{root}/..", "Network"]
)
def test_a_grant_that_is_none_is_refused(bench: Bench, grant: str) -> None:
    with pytest.raises(Refused) as refused:
        asked_for(grant.format(root=bench.root), bench.root)
    assert refused.value.code == "bad_args"


def test_no_command_switches_the_sandbox_off_by_itself(bash: Run, bench: Bench, tmp_path: Path) -> None:
    """Only an argument that asks a person does; what a command says or runs counts for nothing."""
    (bench.root / "free.py").write_text(f"open('{tmp_path}/' + 'escaped', 'w')\n")
    bash(command="no_sandbox=1 unconfined=true python3 free.py  # no_sandbox")
    assert not (tmp_path / "escaped").exists()
    with pytest.raises(Refused):
        tool.parse({"command": "ls", "unconfined": True})


def test_tmp_lasts_as_long_as_the_session_and_is_its_own(bash: Run) -> None:
    bash(command="echo kept > /tmp/workbench-note")
    assert bash(command="cat /tmp/workbench-note").data["output"] == "kept\n"
    assert not Path("/tmp/workbench-note").exists()


def test_a_call_id_that_is_no_file_name_does_not_leave_the_spool(
    bash: Run, make_context: Callable[..., Context], bench: Bench
) -> None:
    for call in ("../../escape", "/etc/x", ".hidden", ".."):
        result = bash(make_context(call=call), command="echo x")
        assert (bench.data / "spool" / result.view["spool"]).read_text() == "x\n"
    assert not (bench.data / "escape").exists()


# ---- in the background


def test_a_background_command_goes_on_is_read_and_stopped(bash: Run, bench: Bench) -> None:
    started = time.monotonic()
    first = bash(command="echo ready; echo x > made; sleep 60", background=True).data
    assert time.monotonic() - started < 5
    assert (first["running"], first["output"]) == (True, "ready\n")
    assert bash(job=first["job"]).data["output"] == "(no new output)"
    last = bash(job=first["job"], stop=True).data
    assert (last["running"], last["stopped"], last["exit_code"]) == (False, True, None)
    assert [v.path for v in bench.versions.rows.values()] == ["made"]


def test_a_background_command_that_ends_at_once_says_how(bash: Run) -> None:
    data = bash(command="echo no such thing >&2; exit 4", background=True).data
    assert (data["running"], data["exit_code"], data["output"]) == (False, 4, "no such thing\n")


def test_background_commands_end_with_their_session(bash: Run) -> None:
    job = background.get("s1", bash(command="sleep 60", background=True).data["job"])
    background.end("s1")
    assert not job.running
    with pytest.raises(Refused) as refused:
        bash(job=job.id)
    assert refused.value.code == "not_found"


def test_a_background_command_is_judged_like_any_other(make_context: Callable[..., Context]) -> None:
    assert outcome(make_context, command="git push", background=True) == "ask"
    assert outcome(make_context, job="b1") == "allow"


@pytest.mark.parametrize("raw", [{"command": "ls", "job": "b1"}, {"stop": True}, {"command": "ls", "stop": True}])
def test_words_that_do_not_go_together_are_refused(bash: Run, raw: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        bash(**raw)
    assert refused.value.code == "bad_args"
