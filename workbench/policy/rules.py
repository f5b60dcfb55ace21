"""Rules at three levels: built in, user, workspace. They match tools, paths and parsed commands, never text.

Deny beats ask beats allow, with one addition: the built-in asks are defaults, so an allow rule that a person made
stands before them, while a deny of any level stands before everything. An allow rule must cover all that a command
does; an ask or deny rule needs one thing it does.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, Literal, get_args

from workbench.policy.call import Effect, Kind, Mode, Outcome, Verb
from workbench.policy.match import Argv, Match, PathAccess
from workbench.policy.names import Paths

Level = Literal["built in", "user", "workspace"]
Marks = Literal["secret", "persist"]

_RANK: dict[Outcome, int] = {"allow": 0, "ask": 1, "deny": 2}
_LISTS = ("tool", "mode", "program", "subcommand", "argv", "option", "effect", "kind", "path", "target")
_CLOSED = {
    "mode": frozenset(Mode),
    "effect": frozenset(Verb),
    "kind": frozenset(get_args(Kind)) - {""},
    "access": frozenset(get_args(PathAccess)),
    "outcome": frozenset(get_args(Outcome)),
    "marks": frozenset(get_args(Marks)),
}
_OTHER = ("name", "outcome", "reason", "version", "marks", "access", "unless", "examples")


class BadRules(ValueError):
    """Rules that can't be loaded; `problems` says for each what is wrong and where."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Rule:
    """One rule. The name is unique in its level; the version counts up when a person changes the rule."""

    name: str
    level: Level
    outcome: Outcome
    match: Match
    unless: Match | None = None
    """where this holds too, the rule does not"""
    reason: str = ""
    """`{what}` stands for the command or tool"""
    version: int = 1
    marks: Marks | None = None
    """the effect that a path rule gives to reading or writing such a path"""
    examples: tuple[str, ...] = ()

    @cached_property
    def title(self) -> str:
        """As decisions name it."""
        return f"{self.level} / {self.name}"

    @cached_property
    def permits(self) -> bool:
        """A person's allow."""
        return self.outcome == "allow" and self.level != "built in"

    def speaks_of(self, verb: Verb | None) -> bool:
        """Whether it may have a say on effects of this verb, or (None) on units as a whole."""
        if verb is None:
            return self.permits or not self.match.names_effect
        if self.permits or not self.match.names_effect:
            return False
        return self.match.may_hold_for(verb)

    def matches_effect(self, effect: Effect, mode: Mode) -> bool:
        if not self.match.holds_for_effect(effect):
            return False
        return self.unless is None or not (
            self.unless.holds_for_call("", mode) and self.unless.holds_for_effect(effect)
        )


@dataclass(frozen=True)
class Rules:
    """All rules that hold for a session, built in first."""

    rules: tuple[Rule, ...]
    _paths: dict[tuple[str, PathAccess], Rule | None] = field(default_factory=dict, compare=False, repr=False)
    _spoken: dict[tuple[str, Mode, Verb, str, Kind], Rule | None] = field(
        default_factory=dict, compare=False, repr=False
    )
    _about: dict[tuple[str, Mode, Verb | None], tuple[Rule, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def plus(self, *more: Rule) -> "Rules":
        """These and `more`."""
        return Rules(self.rules + more)

    def about(self, tool: str, mode: Mode, verb: Verb | None) -> tuple[Rule, ...]:
        """The rules that may have a say on this tool and mode: about effects of this verb, or (None) about whole units.

        A person's allow is about whole units, for it must cover all that they do.
        """
        key = (tool, mode, verb)
        if key not in self._about:
            if len(self._about) > 1024:
                self._about.clear()
            self._about[key] = tuple(r for r in self.rules if r.match.holds_for_call(tool, mode) and r.speaks_of(verb))
        return self._about[key]

    def spoken(self, tool: str, mode: Mode, effect: Effect, argv: Argv | None) -> Rule | None:
        """The rule that decides on one effect, before a person's allow for the whole unit.

        Where no rule looks at the command the answer is remembered, within a bound.
        """
        key = (tool, mode, effect.verb, effect.target, effect.kind)
        if key not in self._spoken:
            about = self.about(tool, mode, effect.verb)
            named = any(rule.match.names_command for rule in about)
            found = winner(
                rule
                for rule in about
                if rule.matches_effect(effect, mode)
                and rule.match.holds_for_command(argv, all_options=rule.outcome == "allow")
            )
            if named:
                return found
            if len(self._spoken) > 4096:
                self._spoken.clear()
            self._spoken[key] = found
        return self._spoken[key]

    def for_path(self, path: str, access: PathAccess) -> Rule | None:
        """The rule on paths alone that decides, if one does. Remembers its answers, within a bound."""
        if (path, access) not in self._paths:
            if len(self._paths) > 4096:
                self._paths.clear()
            found = [r for r in self.rules if not r.match.names_command and r.match.holds_for_path(path, access)]
            self._paths[path, access] = winner(found)
        return self._paths[path, access]

    def path_outcome(self, rel: str, access: PathAccess) -> tuple[Outcome, str, str]:
        """(outcome, rule name, reason) for a path relative to the workspace, or absolute when outside."""
        rule = self.for_path(rel, access)
        if rule is None or rule.outcome == "allow":
            return "allow", rule.title if rule else "", ""
        doing = "Reading" if access == "read" else "Writing"
        return rule.outcome, rule.title, f"{rule.reason.format(what=f'{doing} {rel or "."}')}."


def winner(rules: Iterable[Rule]) -> Rule | None:
    """Deny, then a person's ask, then a person's allow, then the built-in ask, then the built-in allow."""
    return max(rules, key=_order, default=None)


def _order(rule: Rule) -> tuple[bool, bool, int]:
    return rule.outcome == "deny", rule.level != "built in", _RANK[rule.outcome]


def load(source: str | Iterable[Mapping[str, Any]], level: Level) -> tuple[Rule, ...]:
    """Rules from TOML text (`[[rule]]` tables) or from a list of mappings; `BadRules` says what is wrong."""
    tables: list[Any]
    if isinstance(source, str):
        try:
            document = tomllib.loads(source)
        except tomllib.TOMLDecodeError as e:
            raise BadRules((f"The rules are not valid TOML: {e}.",)) from None
        extra = sorted(set(document) - {"rule"})
        if extra or not isinstance(document.get("rule", []), list):
            raise BadRules((f"Rules are written as [[rule]] tables; found {', '.join(extra) or 'something else'}.",))
        tables = document.get("rule", [])
    else:
        tables = list(source)
    problems: list[str] = []
    rules = [_rule(table, level, f"rule {i}", problems) for i, table in enumerate(tables, 1)]
    seen: set[str] = set()
    for rule in rules:
        if rule and rule.name in seen:
            problems.append(f"Two rules are called {rule.name!r}; give each its own name.")
        seen.add(rule.name if rule else "")
    if problems:
        raise BadRules(tuple(problems))
    return tuple(rule for rule in rules if rule)


def _rule(table: Any, level: Level, where: str, problems: list[str]) -> Rule | None:
    """One rule, or None after saying in `problems` what is wrong."""
    before = len(problems)
    if not isinstance(table, Mapping):
        problems.append(f"{where} is not a table.")
        return None
    if isinstance(table.get("name"), str) and table["name"]:
        where = f"rule {table['name']!r}"
    else:
        problems.append(f"{where} has no name.")
    _check(table, where, (*_LISTS, *_OTHER), problems)
    if "outcome" not in table:
        problems.append(f"{where} has no outcome; write allow, ask or deny.")
    unless = table.get("unless")
    if isinstance(unless, Mapping):
        _check(unless, f"{where}, unless", (*_LISTS, "access"), problems)
    elif unless is not None:
        problems.append(f"{where}: unless must be a table.")
    if not any(key in table for key in (*_LISTS, "access")):
        problems.append(f"{where} matches everything; give at least one of {', '.join(_LISTS)}.")
    if len(problems) > before:
        return None
    return Rule(
        name=table["name"],
        level=level,
        outcome=table["outcome"],
        match=_match(table),
        unless=None if unless is None else _match(unless),
        reason=table.get("reason", ""),
        version=table.get("version", 1),
        marks=table.get("marks"),
        examples=tuple(table.get("examples", ())),
    )


def _check(table: Mapping[str, Any], where: str, known: tuple[str, ...], problems: list[str]) -> None:
    """Say what is wrong with the keys and values of a rule."""
    for key, value in table.items():
        lists = key in _LISTS or key == "examples"
        if key not in known:
            problems.append(f"{where}: there is no condition called {key!r}; known are {', '.join(known)}.")
        elif lists and not (isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)):
            problems.append(f"{where}: {key} must be a list of texts.")
        elif lists and not value and key != "option":
            problems.append(f"{where}: {key} is empty, so the rule would match nothing or everything; leave it out.")
        elif key == "version" and not (isinstance(value, int) and value >= 1):
            problems.append(f"{where}: version must be a whole number from 1 on.")
        elif key in ("name", "reason", "access", "outcome", "marks") and not isinstance(value, str):
            problems.append(f"{where}: {key} must be a text.")
        elif key in _CLOSED:
            unknown = sorted(set(value if lists else [value]) - set(_CLOSED[key]))
            if unknown:
                choice = ", ".join(sorted(_CLOSED[key]))
                problems.append(f"{where}: {', '.join(unknown)} is no {key}; choose from {choice}.")


def _match(table: Mapping[str, Any]) -> Match:
    def words(key: str) -> tuple[str, ...]:
        return tuple(table.get(key, ()))

    return Match(
        tool=words("tool"),
        mode=frozenset(Mode(m) for m in words("mode")),
        program=frozenset(words("program")),
        subcommand=words("subcommand"),
        argv=words("argv"),
        option=frozenset(words("option")) if "option" in table else None,
        effect=frozenset(Verb(v) for v in words("effect")),
        kind=frozenset(words("kind")),  # type: ignore[arg-type]  # checked against the closed list
        path=Paths(words("path")) if "path" in table else None,
        access=table.get("access"),
        target=words("target"),
    )


@cache
def built_in() -> Rules:
    """The rules that ship: `built_in.toml` beside this file."""
    return Rules(load(files(__package__).joinpath("built_in.toml").read_text("utf-8"), "built in"))


@lru_cache(maxsize=4096)
def path_effects(rel: str, access: PathAccess) -> tuple[Effect, ...]:
    """The effects of reading or writing one path: `read`, or `write_ws`, with `secret` and `persist` where they apply.

    `rel` is resolved and relative to the workspace, or absolute when outside (a write is then `write_out`).
    """
    plain = Verb.READ if access == "read" else Verb.WRITE_OUT if rel.startswith("/") else Verb.WRITE_WS
    marks = {r.marks for r in built_in().rules if r.marks and r.match.holds_for_path(rel, access)}
    return (Effect(plain, rel), *(Effect(Verb(m), rel) for m in ("secret", "persist") if m in marks))


def path_outcome(rel: str, access: PathAccess) -> tuple[Outcome, str, str]:
    """(outcome, rule name, reason) by the built-in rules; the reason is a whole sentence, empty for allow."""
    return built_in().path_outcome(rel, access)
