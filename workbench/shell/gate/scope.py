"""What is known at a point of a script: variables, working folder, functions, links; always all that can be."""

from dataclasses import dataclass, field

from workbench.shell.gate.values import ANY, SOME, word_set
from workbench.shell.parse import Node

MAX_FOLDERS = 4
"""working folders considered at once; with more it is unknown"""


@dataclass(slots=True)
class Function:
    """A function of the script, and whether it is surely defined."""

    body: Node
    text: str
    """the text that `body` has its offsets in"""
    certain: bool = True


@dataclass(slots=True)
class Scope:
    """Copied where bash forks, joined where two ways meet."""

    folders: tuple[str, ...] | None
    """absolute working folders, one of which it is; None when it is unknown"""
    home: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    """abstract values (see `values`) of what the script assigned"""
    arrays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """symbolic links made by the script itself: absolute path -> what it points to"""
    arguments: tuple[str, ...] | None = None
    """`$1`, `$2` … where they are known"""
    before: tuple[str, ...] | None = None
    """the folders that `cd -` goes back to"""
    failed: tuple[str, ...] | None = ()
    """folders it may still be in because a `cd` failed; empty when none did"""
    local: set[str] = field(default_factory=set)
    """names that a function declared for itself"""
    ended: bool = False
    """it has come to an `exit`"""

    def fork(self) -> "Scope":
        """For a subshell: what it changes does not come back."""
        return Scope(
            self.folders, self.home, self.variables.copy(), self.arrays.copy(), self.functions.copy(),
            self.links.copy(), self.arguments, self.before, self.failed, self.local,
        )  # fmt: skip

    def enter(self, folders: tuple[str, ...] | None) -> None:
        """`cd` to one of these folders; it may fail."""
        self.failed = _either(self.failed, self.folders)
        self.before, self.folders = self.folders, folders

    def settle(self) -> None:
        """From here on it does not matter whether what came before failed."""
        self.folders = _either(self.folders, self.failed)
        self.failed = ()

    def fail(self) -> None:
        """What came before failed."""
        if self.failed != ():
            self.folders = self.failed
        self.failed = ()

    def sure(self) -> None:
        """What came before did not fail."""
        self.failed = ()

    def join(self, other: "Scope") -> None:
        """From here on either this or `other` holds."""
        if other.ended:
            return
        self.failed = _either(self.failed, other.failed)
        self.folders = _either(self.folders, other.folders)
        self.before = _either(self.before, other.before)
        if self.arguments != other.arguments:
            self.arguments = None
        if self.variables != other.variables:
            for name in self.variables.keys() | other.variables.keys():
                if self.variables.get(name) != other.variables.get(name):
                    self.variables[name] = ANY
        if self.arrays != other.arrays:
            self.arrays = {k: v for k, v in self.arrays.items() if other.arrays.get(k) == v}
        if self.functions != other.functions:
            for name in self.functions.keys() | other.functions.keys():
                mine, theirs = self.functions.get(name), other.functions.get(name)
                if mine != theirs:
                    kept = mine or theirs
                    if kept:
                        self.functions[name] = Function(kept.body, kept.text, certain=False)
        self.links.update(other.links)

    def value(self, name: str) -> str:
        """The abstract value of a variable, whoever set it."""
        known = self.variables.get(name)
        if known is not None:
            return known
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else ""
        if name == "HOME" and self.home:
            return self.home
        if name == "PWD" and self.folders and len(self.folders) == 1:
            return self.folders[0]
        if name == "IFS":
            return " \t\n"
        if name == "!":
            return f"%{SOME}"  # like `%1` it can only be a job of this shell
        if name.isdigit() and name != "0" and self.arguments is not None:
            return self.arguments[int(name) - 1] if int(name) <= len(self.arguments) else ""
        return SOME if name in _TOKENS else ANY

    def assigned(self, name: str) -> bool:
        """Whether the script itself gave the variable its value."""
        return name in self.variables or name in self.arrays


_TOKENS = word_set(
    """
    # ? $ - BASHPID BASH_VERSION COLUMNS EPOCHREALTIME EPOCHSECONDS EUID HOSTNAME HOSTTYPE LINENO LINES LOGNAME MACHTYPE
    OPTIND OSTYPE PPID RANDOM SECONDS SHLVL UID USER
    """
)
"""variables that hold one word without `/`"""


def _either(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return None
    both = tuple(dict.fromkeys(one + other))
    return both if len(both) <= MAX_FOLDERS else None
