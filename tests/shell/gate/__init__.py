"""What the tests of the gate share: a workspace that need not exist, and what a command is found to do in it."""

from pathlib import Path

from workbench.policy.call import Call, Mode
from workbench.policy.decision import decide
from workbench.policy.rules import built_in
from workbench.shell.effects import Analysis, analyse

ROOT, HOME = Path("/home/dev/project"), Path("/home/dev")


def understood(command: str, root: Path = ROOT) -> Analysis:
    return analyse(command, cwd=root, root=root, home=HOME)


def told(command: str) -> set[str]:
    """The effects as `verb target`."""
    return {f"{e.verb} {e.target}".strip() for e in understood(command).effects}


def kinds(command: str) -> set[str]:
    """The finer words of the effects."""
    return {e.kind for e in understood(command).effects} - {""}


def words(command: str) -> list[tuple[str | None, ...]]:
    """The words of each simple command."""
    return [part.argv for part in understood(command).parts]


def outcome(command: str, mode: Mode = Mode.ASK) -> str:
    """What the built-in rules say."""
    found = understood(command)
    call = Call("bash", {"command": command}, found.effects, str(ROOT), found.reads_only, (), found.commands)
    return decide(call, built_in(), mode, contained=True).outcome


def allowed(commands: str) -> list[str]:
    """Those lines that would run without a person; `⏎` stands for a line break."""
    lines = (line.replace("⏎", "\n") for line in commands.strip("\n").split("\n") if line.strip())
    return [line for line in lines if outcome(line) == "allow"]


def stopped(commands: str) -> list[str]:
    """Those lines that would not."""
    lines = (line.replace("⏎", "\n") for line in commands.strip("\n").split("\n") if line.strip())
    return [line for line in lines if outcome(line) != "allow"]
