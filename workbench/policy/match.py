"""What a rule looks at: a tool, a parsed command, an effect, a path. Every condition that is given must hold."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Literal

from workbench.policy.call import Effect, Kind, Mode, Verb
from workbench.policy.names import Paths

PathAccess = Literal["read", "write"]

PATH_VERBS: dict[Verb, PathAccess] = {
    Verb.READ: "read",
    Verb.SECRET: "read",
    Verb.WRITE_WS: "write",
    Verb.WRITE_OUT: "write",
    Verb.PERSIST: "write",
    Verb.DELETE: "write",
}
"""verbs whose target is a path, and what is done to it"""

Argv = tuple[str | None, ...]


@dataclass(frozen=True)
class Match:
    """The conditions of a rule. Left out (empty, None) they hold for everything."""

    tool: tuple[str, ...] = ()
    """names, with `*` and `?`"""
    mode: frozenset[Mode] = frozenset()
    program: frozenset[str] = frozenset()
    """base name of a simple command's first word"""
    subcommand: tuple[str, ...] = ()
    """the words after the program that are not options, from the first on"""
    argv: tuple[str, ...] = ()
    """all words of a simple command, exactly"""
    option: frozenset[str] | None = None
    """option names: for ask and deny any of these is used, for allow no other is"""
    effect: frozenset[Verb] = frozenset()
    kind: frozenset[Kind] = frozenset()
    path: Paths | None = None
    access: PathAccess | None = None
    target: tuple[str, ...] = ()
    """hosts, remotes and other targets that are not paths, with `*` and `?`"""

    @cached_property
    def names_command(self) -> bool:
        """Whether it can hold for a parsed simple command only."""
        return bool(self.program or self.subcommand or self.argv or self.option is not None)

    @cached_property
    def names_effect(self) -> bool:
        return bool(self.effect or self.kind or self.path or self.access or self.target)

    def holds_for_call(self, tool: str, mode: Mode) -> bool:
        return (not self.mode or mode in self.mode) and (not self.tool or any(fnmatchcase(tool, t) for t in self.tool))

    def holds_for_command(self, argv: Argv | None, *, all_options: bool) -> bool:
        """`argv` is None for a call that is no command. A word that is not static (None) matches nothing named."""
        if not self.names_command:
            return True
        if not argv or argv[0] is None:
            return False
        if self.argv:
            return argv == self.argv
        if self.program and argv[0].rsplit("/", 1)[-1] not in self.program:
            return False
        plain = tuple(word for word in argv[1:] if word is None or not word.startswith("-"))
        if plain[: len(self.subcommand)] != self.subcommand:
            return False
        if self.option is None:
            return True
        if all_options:
            return None not in argv and options(argv) <= self.option
        return bool(options(argv) & self.option)

    def may_hold_for(self, verb: Verb) -> bool:
        """Whether it can hold for some effect of this verb."""
        access = PATH_VERBS.get(verb)
        if (self.effect and verb not in self.effect) or (self.access and access != self.access):
            return False
        return access is not None or self.path is None

    def holds_for_effect(self, effect: Effect) -> bool:
        if self.effect and effect.verb not in self.effect:
            return False
        if self.kind and effect.kind not in self.kind:
            return False
        access = PATH_VERBS.get(effect.verb)
        if self.access and access != self.access:
            return False
        if self.path is not None and (access is None or effect.kind == "names" or not self.path.match(effect.target)):
            return False
        return not self.target or (access is None and any(fnmatchcase(effect.target, t) for t in self.target))

    def holds_for_path(self, path: str, access: PathAccess) -> bool:
        """For rules on paths alone."""
        return self.path is not None and (not self.access or self.access == access) and self.path.match(path)


def options(argv: Argv) -> frozenset[str]:
    """The options in `argv` by name: `--key=value` is `--key`, `-abc` counts as written."""
    return frozenset(word.split("=", 1)[0] for word in argv[1:] if word and word.startswith("-") and word != "-")
