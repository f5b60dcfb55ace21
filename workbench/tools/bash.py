"""bash: run a command, contained, and say what came of it and what it changed (SPEC B1-B7)."""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from workbench.files import Refused
from workbench.files.fence import Access
from workbench.history import snapshot
from workbench.history.diff import diff
from workbench.history.states import State
from workbench.history.versions import History, Version
from workbench.policy.call import Call, Effect, Verb, canonical
from workbench.shell import background
from workbench.shell.effects import Analysis, analyse
from workbench.shell.jail.guard import acts_later
from workbench.shell.jail.levels import Grants
from workbench.shell.jail.needs import needed
from workbench.shell.run import Finished, run
from workbench.tools import Args, Context, Result, Tool, ToolError

TIMEOUT, TIMEOUT_CAP = 30, 120
EARLY = 1.0
"""seconds for a background command to fail at once"""
CHANGED = 30
"""changed paths that the result names"""
DIFFED_BYTES = 1024 * 1024
HINTS = (
    (
        "Read-only file system",
        "Only the workspace and /tmp are writable; .git is for git add, commit and branch alone.",
    ),
    ("Device or resource busy", "Protected files and .git cannot be moved or replaced by a command."),
    ("Could not resolve host", "There is no network, unless `grants` asks for it and a person agrees."),
    ("Temporary failure in name resolution", "There is no network, unless `grants` asks for it and a person agrees."),
    ("Network is unreachable", "There is no network, unless `grants` asks for it and a person agrees."),
    ("no new privileges", "sudo cannot work in the sandbox; `grants` can ask a person for `no_sandbox`."),
)
"""part of an output: what the sandbox has to do with it"""


class BashArgs(Args):
    command: str = Field("", description="What bash runs, in the workspace's root.")
    timeout: int = Field(TIMEOUT, ge=1, description="Seconds until it is killed, at most 120.")
    grants: tuple[str, ...] = Field(
        (),
        description="Only when it failed for want of one; a person is asked for each: network, home (the real home "
        "folder, to read), write:/absolute/folder, no_sandbox.",
    )

    background: bool = Field(
        default=False, description="Let it go on, a server for instance; you get the name of a job at once."
    )
    job: str = Field("", description="Instead of a command: the new output of this background job.")
    stop: bool = Field(default=False, description="With job: end it.")


class Bash(Tool):
    """Run a command in bash: tests, builds, git, programs.

    Each call is a fresh process in the workspace's root: cd and variables do not carry over to the next call (write
    `cd sub && make`). stdin is closed, so nothing can ask you anything. It is killed after 30 seconds unless you give
    a timeout, 120 at most: split longer work into steps. It runs in a sandbox: the workspace and a private /tmp are
    writable, the network is off, homes and credentials are hidden. You get the exit code and the last 8 KiB of stdout
    and stderr together; an exit code other than 0 is information, not a failure of the call.
    Don't use it for what a tool of its own does: read_file instead of cat, head or sed -n, edit_file and write_file
    instead of sed -i, echo > or cat <<EOF, grep and glob instead of grep, rg, find or ls -R.
    """

    Args = BashArgs

    def effects(self, args: BashArgs, ctx: Context) -> tuple[Effect, ...]:
        _check(args, ctx)
        if args.job:
            return ()
        return (*_analysed(args, ctx).effects, *(e for grant in args.grants for e in asked_for(grant, ctx.fence.root)))

    def call(self, args: BaseModel, ctx: Context) -> Call:
        assert isinstance(args, BashArgs)
        call = super().call(args, ctx)
        if args.job:
            return replace(call, reads_only=True)
        analysis = _analysed(args, ctx)
        return replace(call, commands=analysis.commands, reads_only=analysis.reads_only and not args.grants)

    def scripts(self, args: BashArgs, ctx: Context) -> tuple[tuple[str, str], ...]:
        """What an approval binds besides the words: the scripts it runs, the file that says where a remote is, and the
        effects that were shown, for a link may lead elsewhere by the time it runs."""
        if args.job:
            return ()
        analysis = _analysed(args, ctx)
        names = [*analysis.scripts]
        if any(e.verb in (Verb.EXTERNAL, Verb.NET_READ) for e in analysis.effects) and "git" in args.command:
            names.append(".git/config")
        shown = canonical([[e.verb, e.target, e.kind, e.part] for e in analysis.effects])
        return (
            *((name, _hash(name, ctx)) for name in dict.fromkeys(names)),
            ("what it would do", hashlib.sha256(shown).hexdigest()),
        )

    def run(self, args: BashArgs, ctx: Context) -> Result:
        _check(args, ctx)
        if args.job:
            return _about(
                background.stop(ctx.session, args.job) if args.stop else background.get(ctx.session, args.job)
            )
        grants = _grants(args, ctx)
        if not args.background:
            done = Watched(args, ctx, grants)
            return _result(args, ctx, grants, done, done.run(ctx.stop, args.timeout))
        job = background.start(
            ctx.session, ctx.call, args.command, spool(ctx), lambda stop: Watched(args, ctx, grants).run(stop, None)
        )
        job.done.wait(EARLY)
        return _about(job)


class Watched:
    """A run between two looks at the workspace."""

    def __init__(self, args: BashArgs, ctx: Context, grants: Grants) -> None:
        self.args, self.ctx, self.grants = args, ctx, grants
        self.changes = snapshot.Changes((), ())
        self.unwatched: tuple[str, ...] = ()

    def run(self, stop: threading.Event, timeout: int | None) -> Finished:
        scan = snapshot.before(self.ctx.history)
        self.unwatched = scan.notes
        try:
            return run(
                self.args.command,
                cwd=self.ctx.fence.root,
                sandbox=self.ctx.sandbox,
                grants=self.grants,
                timeout=timeout,
                stop=stop,
                on_output=self.ctx.stream,
                spool=spool(self.ctx),
                tmp=_tmp(self.ctx),
            )
        finally:
            self.changes = scan.after()


def _result(args: BashArgs, ctx: Context, grants: Grants, watched: Watched, finished: Finished) -> Result:
    versions = watched.changes.versions
    data = told(finished, args.timeout)
    if versions:
        data["changed"] = [_changed(v, ctx.history) for v in versions[:CHANGED]]
    if len(versions) > CHANGED:
        data["changed_in_all"] = len(versions)
    notes = [*finished.notes, *watched.changes.notes, *_remarks(args, ctx, finished, versions, grants)]
    if notes:
        data["notes"] = notes
    view = _view(finished, ctx, grants) | {"versions": [v.id for v in versions], "unwatched": list(watched.unwatched)}
    return Result(data, view)


def _about(job: background.Job) -> Result:
    """A background job: its new output, and how it ended when it did."""
    if job.failed:
        raise job.failed
    new, cut = background.news(job)
    output = new.decode(errors="replace")
    data: dict[str, Any] = {"job": job.id, "background": True, "running": job.running, "command": job.command}
    data["output"] = (f"[… first {cut} bytes cut …]\n{output}" if cut else output) or "(no new output)"
    if job.finished:
        data |= {"exit_code": job.finished.exit_code, "stopped": job.finished.stopped}
        data |= {"notes": list(job.finished.notes)} if job.finished.notes else {}
    else:
        data["message"] = f'It goes on. {{"job": "{job.id}"}} gives what it prints next; with "stop": true it ends.'
    return Result(data, {"spool": job.spool.name, "job": job.id})


def _check(args: BashArgs, ctx: Context) -> None:
    cap = ctx.limits.get("bash.timeout_cap", TIMEOUT_CAP)
    if args.job and args.command:
        raise ToolError("bad_args", "Give a command, or the job whose output you want, not both.")
    if args.job:
        return
    if args.stop:
        raise ToolError("bad_args", "stop ends a background job: name it by job.")
    if not args.command.strip():
        raise ToolError("bad_args", "The command is empty: there is nothing to run. Give a command.")
    if args.timeout > cap:
        raise ToolError(
            "timeout_cap",
            f"timeout is {args.timeout} s and may be at most {cap} s. Split the work into shorter commands.",
            timeout=args.timeout,
            cap=cap,
        )


def _analysed(args: BashArgs, ctx: Context) -> Analysis:
    return analyse(args.command, cwd=ctx.fence.root, root=ctx.fence.root, home=ctx.fence.home)


def asked_for(grant: str, root: Path) -> list[Effect]:
    """What a person decides about when the model asks for a grant by name."""
    if grant == "network":
        return [Effect(Verb.NET_READ, detail="the network is on for the whole command")]
    if grant == "home":
        return [Effect(Verb.SECRET, "~", "the real home folder can be read, with the credentials in it")]
    if grant == "no_sandbox":
        return [Effect(Verb.PRIV, detail="nothing contains the command")]
    folder = Path(grant.removeprefix("write:"))
    if (
        grant.startswith("write:")
        and folder.is_absolute()
        and folder.is_dir()
        and not root.is_relative_to(folder.resolve())
    ):
        return [Effect(Verb.WRITE_OUT, str(folder.resolve()), "everything in this folder can be written")]
    raise ToolError(
        "bad_args",
        f"There is no grant {grant!r}. There are: network, home, no_sandbox, and write: with the absolute path of a "
        "folder that exists and does not hold the workspace.",
    )


def _grants(args: BashArgs, ctx: Context) -> Grants:
    """From the effects, which the gate let pass, and from what was asked for by name, which it let pass as well."""
    found = needed(_analysed(args, ctx), root=ctx.fence.root, home=ctx.fence.home or Path.home())
    folders = tuple(Path(g.removeprefix("write:")) for g in args.grants if g.startswith("write:"))
    return replace(
        found,
        network=found.network or "network" in args.grants,
        home="home" in args.grants,
        unconfined="no_sandbox" in args.grants,
        write=(*found.write, *folders),
    )


def _hash(name: str, ctx: Context) -> str:
    """Content of a file that the call executes; empty when it is not there, which binds as well."""
    try:
        fd = ctx.fence.open(ctx.fence.resolve(name), Access.READ)
    except Refused:
        return ""
    with open(fd, "rb") as file:  # noqa: PTH123 - by descriptor
        return hashlib.file_digest(file, "sha256").hexdigest()


def spool(ctx: Context) -> Path:
    """Where the whole output of this call goes. A call id is the model's own and may be no file name."""
    plain = Path(ctx.call).name == ctx.call and not ctx.call.startswith(".")
    return ctx.spool / (ctx.call if plain else hashlib.sha256(ctx.call.encode()).hexdigest())


def _tmp(ctx: Context) -> Path:
    """The session's own /tmp: what one command leaves there the next one finds."""
    folder = ctx.spool / ".tmp"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def told(finished: Finished, timeout: int) -> dict[str, Any]:
    """What the model reads about how it ended."""
    output = finished.tail.decode(errors="replace")
    if finished.cut_bytes:
        output = f"[… first {finished.cut_bytes} bytes cut …]\n{output}"
    data: dict[str, Any] = {
        "exit_code": finished.exit_code,
        "output": output or "(no output)",
        "timed_out": finished.timed_out,
        "stopped": finished.stopped,
    }
    if finished.cut_bytes:
        data["cut_bytes"] = finished.cut_bytes
    if finished.timed_out:
        data["message"] = (
            f"It was killed after {timeout} s with everything it had started; the output is what it printed by then. "
            f"Split the work, or give a longer timeout (at most {TIMEOUT_CAP} s)."
        )
    if finished.stopped:
        data["message"] = "A person stopped it; everything it had started was killed."
    return data


def _view(finished: Finished, ctx: Context, grants: Grants) -> dict[str, Any]:
    return {
        "output_bytes": finished.output_bytes,
        "spooled_bytes": finished.spooled_bytes,
        "cut_bytes": finished.cut_bytes,
        "lines": finished.lines,
        "duration": round(finished.duration, 3),
        "signal": finished.signal,
        "spool": spool(ctx).name,
        "held": f"{spool(ctx).name}.held" if spool(ctx).with_name(f"{spool(ctx).name}.held").exists() else "",
        "sandbox": "not isolated: a person allowed it" if grants.unconfined else ctx.sandbox.words,
        "network": grants.network or grants.unconfined or ctx.sandbox.level == "D",
        "granted": [str(path) for path in (*grants.write, *grants.read)],
    }


def _remarks(
    args: BashArgs, ctx: Context, finished: Finished, versions: Sequence[Version], grants: Grants
) -> list[str]:
    """What the sandbox has to do with a failure, and what a person should look at."""
    output = finished.tail.decode(errors="replace")
    found: list[str] = []
    if not grants.unconfined and ctx.sandbox.level != "D":
        found += dict.fromkeys(hint for part, hint in HINTS if part in output)
    if finished.exit_code and not grants.unconfined and ctx.sandbox.level != "D":
        home = ctx.fence.home
        hidden = [e.target for e in _analysed(args, ctx).effects if home and _hides(Path(e.target), home, ctx)]
        if hidden and not grants.home:
            found.append(f"{', '.join(hidden[:5])}: homes are hidden from commands, unless `grants` asks for home.")
    later = [v.path for v in versions if acts_later(v.path)]
    if later:
        found.append(f"A person should look at {', '.join(later[:5])}: such a file makes something run later.")
    return found


def _hides(path: Path, home: Path, ctx: Context) -> bool:
    return (
        path.is_absolute() and path.is_relative_to(home) and not path.is_relative_to(ctx.fence.root) and path.exists()
    )


def _changed(version: Version, history: History) -> dict[str, Any]:
    """One changed path, with lines added and removed where both sides are small enough to compare."""
    before, after = version.before, version.after or version.before
    change = "created" if before.kind == "absent" else "deleted" if after.kind == "absent" else "changed"
    told: dict[str, Any] = {"path": version.path, "change": change}
    sides = [_content(state, history) for state in (before, after)]
    if sides[0] is not None and sides[1] is not None:
        found = diff(sides[0], sides[1], words=False)
        if not found.binary:
            told |= {"added": found.added, "removed": found.removed}
    return told


def _content(state: State, history: History) -> bytes | None:
    if state.kind == "absent":
        return b""
    if state.kind != "file" or not state.stored or state.size > DIFFED_BYTES:
        return None
    return history.store.get(state.sha256)


tool = Bash()
