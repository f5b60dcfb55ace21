"""What is known of programs: one TOML file a family, read once, on first use.

A heading names a program, or a program and its subcommand, or several with commas: `["sort"]`, `["git log, git show"]`.
Every option that is not listed is unknown, and what is unknown asks. The keys:

    flags, values, optional   options that do nothing the gate cares about: alone, with a value, with a joined value
    prefixes                  starts of options, whose rest is the value: `-W` for `-Wall`
    <role>_flags …            the same, where the option or its value has a role (below): `write_values = "-o --output"`
    options = "any"           no option of this program matters; each value is looked at as a file that is read
    operands                  the roles of the operands in order, `*` for any number: "text read*", "read* write"
    effects, why              what it does in any case, and the words for it
    like                      the name of another heading to start from
    long = true               options are long with one dash (`-name`)
    also                      more names that this entry is for
    leading = true            options end at the first operand, as in `python script.py -x`
    by                        the judge in `programs/`, as module.function, instead of this table alone
    throughout = true         that judge also has the subcommands that name none
    prints                    what a line of its output is: "token", "paths", "input" (passes lines on), "nothing"
    try                       examples, tested one by one: "COMMAND => EFFECTS"

Roles: methods of `command.Command` (read, names, write, dir, delete, tree, program, run, script, code, cwd, net, send,
look), functions of `roles` (assign, config, none, number, pager, plus, processes, property, source, task, text, upload,
variable, warning), or a verb (`external`, `opaque` …) for that effect.
"""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from workbench.policy.call import Verb
from workbench.shell.gate.values import word_set

VERBS = {verb.value: verb for verb in Verb}
KINDS = ("flags", "values", "optional", "prefixes")
ROLES = VERBS.keys() | word_set(
    """
    read names write dir delete tree program run script code cwd net send look
    assign config none number pager plus processes property source task text upload variable warning
    """
)
_KEYS = word_set("options operands effects why like long leading by throughout prints try")
PRINTS = frozenset(["any", "token", "paths", "input", "nothing"])


@dataclass(frozen=True, slots=True)
class Spec:
    """One program, or one subcommand of it."""

    name: str
    options: dict[str, tuple[str, str]] = field(default_factory=dict)
    """option -> (one of KINDS, role)"""
    prefixes: dict[str, str] = field(default_factory=dict)
    """start of options -> role of the rest"""
    any_option: bool = False
    operands: tuple[str, ...] = ()
    """roles; the one with `*` repeats"""
    effects: tuple[Verb, ...] = ()
    why: str = ""
    long: bool = False
    leading: bool = False
    by: str = ""
    prints: str = "any"
    examples: tuple[str, ...] = ()

    @property
    def wraps(self) -> bool:
        """It runs the program that its operands name; its own options end there."""
        return "program" in self.operands


class BadTable(ValueError):
    """A table that cannot be read; the message says where and why."""


@cache
def load() -> dict[str, Spec]:
    """All tables, by name of program and subcommand."""
    raw: dict[str, dict[str, Any]] = {}
    for path in sorted(files(__package__).iterdir(), key=lambda p: p.name):
        if path.name.endswith(".toml"):
            for heading, entry in tomllib.loads(path.read_text("utf-8")).items():
                names = f"{heading}, {entry.pop('also', '')}".split(",")
                for name in (" ".join(n.split()) for n in names if n.strip()):
                    if name in raw:
                        raise BadTable(f"{path.name}: {name} stands in the tables twice.")
                    raw[name] = entry
    return entries(raw)


def entries(raw: dict[str, dict[str, Any]]) -> dict[str, Spec]:
    """Entries as they stand in the tables, by name; `BadTable` says what is wrong with one."""
    for name, entry in raw.items():
        program = raw.get(name.split(" ")[0], {})
        if program.get("throughout") and "by" not in entry:
            entry["by"] = program["by"]
    return {name: _spec(name, _inherit(name, entry, raw)) for name, entry in raw.items()}


def _inherit(name: str, entry: dict[str, Any], raw: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """`entry` on top of what it is like; options add up, everything else is replaced."""
    parent = entry.get("like")
    if parent is None:
        return entry
    if parent not in raw:
        raise BadTable(f"{name} is like {parent}, which stands in no table.")
    merged = dict(_inherit(parent, raw[parent], raw))
    merged.pop("try", None)
    for key, value in entry.items():
        merged[key] = f"{merged[key]} {value}" if key.split("_")[-1] in KINDS and key in merged else value
    return merged


def _spec(name: str, entry: dict[str, Any]) -> Spec:
    options: dict[str, tuple[str, str]] = {}
    prefixes: dict[str, str] = {}
    for key, value in entry.items():
        role, _, kind = key.rpartition("_")
        if kind not in KINDS or (role and role not in ROLES):
            if key not in _KEYS:
                raise BadTable(f"{name}: there is no key {key}.")
        elif kind == "prefixes":
            prefixes.update(dict.fromkeys(value.split(), role))
        else:
            options.update(dict.fromkeys(value.split(), (kind, role)))
    return Spec(
        name=name,
        options=options,
        prefixes=prefixes,
        any_option=entry.get("options") == "any",
        operands=_operands(name, entry),
        effects=tuple(VERBS[v] for v in entry.get("effects", ())),
        why=entry.get("why", ""),
        long=entry.get("long", False),
        leading=entry.get("leading", False),
        by=entry.get("by", ""),
        prints=entry.get("prints", "any"),
        examples=tuple(entry.get("try", ())),
    )


def _operands(name: str, entry: dict[str, Any]) -> tuple[str, ...]:
    operands = tuple(entry.get("operands", "").split())
    unknown = [o for o in operands if o.rstrip("*") not in ROLES]
    if unknown or sum(o.endswith("*") for o in operands) > 1:
        raise BadTable(f"{name}: operands {operands} are not roles with at most one *.")
    if entry.get("prints", "any") not in PRINTS:
        raise BadTable(f"{name}: prints {entry['prints']!r}, not one of {sorted(PRINTS)}.")
    return operands
