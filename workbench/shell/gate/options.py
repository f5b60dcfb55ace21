"""The words of a command as options and operands, the way its own parser takes them. What is not listed is unknown."""

import re
from dataclasses import dataclass, field

from workbench.shell.gate.tables import Spec
from workbench.shell.gate.values import MARKS, may_be_option

_NUMBER = re.compile(r"-[0-9]+")


@dataclass(slots=True)
class Used:
    """One option as it was given."""

    name: str
    role: str
    value: str | None


@dataclass(slots=True)
class Options:
    """The words after the program's name, sorted."""

    used: list[Used] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """options that the table does not list"""
    unsure: bool = False
    """a word that is known only at run time may turn out to be an option"""

    def has(self, *names: str) -> bool:
        return any(u.name in names for u in self.used)

    def value(self, *names: str) -> str | None:
        """The value of the last of these options."""
        return next((u.value for u in reversed(self.used) if u.name in names), None)


def sort(words: list[str], spec: Spec) -> Options:
    """Sort `words` (without the program) by the options of `spec`."""
    found = Options()
    todo = list(reversed(words))
    while todo:
        word = todo.pop()
        if word == "--":
            found.operands += reversed(todo)
            break
        if word.startswith("-") and word != "-":
            if _NUMBER.fullmatch(word) and "-#" in spec.options:
                continue
            if word.startswith("--") or spec.long:
                _long(word, todo, spec, found)
            else:
                _short(word, todo, spec, found)
            continue
        found.unsure = found.unsure or may_be_option(word)
        found.operands.append(word)
        if spec.leading:
            found.operands += reversed(todo)
            break
        if spec.wraps and (len(found.operands) >= len(spec.operands) or not _leads(word, found, spec)):
            found.operands += reversed(todo)
            break
    return found


def _leads(word: str, found: Options, spec: Spec) -> bool:
    """Whether `word` is still before the program that a wrapper runs."""
    role = spec.operands[min(len(found.operands), len(spec.operands)) - 1]
    return (role == "assign*" and "=" in word) or role not in ("assign*", "program")


def _long(word: str, todo: list[str], spec: Spec, found: Options) -> None:
    name, given, value = word.partition("=")
    known = spec.options.get(name)
    if known is None and spec.long and name.startswith("--"):
        known = spec.options.get(name[1:])
    if known is None and spec.long:
        start = _prefix(word, spec)
        if start:
            role = spec.prefixes.get(start, spec.options.get(start, ("", ""))[1])
            found.used.append(Used(start, role, word[len(start) :]))
            return
    if known is None or MARKS.search(name):
        _unlisted(name, value if given else None, spec, found)
        return
    kind, role = known
    if kind == "flags" and given:
        _unlisted(word, value, spec, found)
    elif kind == "values" and not given:
        found.used.append(Used(name, role, todo.pop() if todo else ""))
    else:
        found.used.append(Used(name, role, value if given else None))


def _prefix(word: str, spec: Spec) -> str:
    """The longest listed start of `word` that takes the rest of it as its value."""
    for end in range(len(word), 1, -1):
        if word[:end] in spec.prefixes or (end == 2 and spec.options.get(word[:2], ("", ""))[0] == "values"):
            return word[:end]
    return ""


def _short(word: str, todo: list[str], spec: Spec, found: Options) -> None:
    """A cluster: `-abc` is `-a -b -c` until one of them takes the rest as its value."""
    for at, char in enumerate(word[1:], 1):
        name, rest = f"-{char}", word[at + 1 :]
        kind, role = spec.options.get(name, ("", ""))
        if not kind:
            _unlisted(name if not MARKS.search(char) else word, rest or None, spec, found)
            if spec.any_option:
                continue
            return
        if kind == "flags":
            found.used.append(Used(name, role, None))
            continue
        value = rest or (todo.pop() if todo and kind == "values" else "" if kind == "values" else None)
        found.used.append(Used(name, role, value))
        return


def _unlisted(name: str, value: str | None, spec: Spec, found: Options) -> None:
    if not spec.any_option:
        found.unknown.append(name)
    elif value and (name.startswith("--") or re.search(r"[/.~]", value)):
        found.used.append(Used(name, "read", value))
