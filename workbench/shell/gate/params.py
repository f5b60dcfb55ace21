"""What `${name%pattern}` and its kin make of a value that is known in part. Pure text; the safe answer is ANY."""

import re
from fnmatch import translate

from workbench.shell.gate.values import ANY, BENEATH, SOME, static, unknown


def strip(value: str, operator: str, pattern: str) -> str:
    """`%`, `%%` cut a match from the end, `#`, `##` from the start."""
    if static(value) and static(pattern):
        return _strip_known(value, operator, pattern)
    if unknown(value) or not static(pattern):
        return ANY
    literal = not re.search(r"[*?\[]", pattern)
    if operator[0] == "%":
        if literal and value.endswith(pattern):
            return value[: len(value) - len(pattern)]
        # what is left is the start of the value, so it is beneath what the value is beneath
        return BENEATH if _beneath(value) else ANY
    if literal and value.startswith(pattern):
        return value[len(pattern) :]
    if operator == "##" and pattern == "*/":
        return value.rsplit("/", 1)[-1].replace(BENEATH, SOME)
    return ANY


def _strip_known(value: str, operator: str, pattern: str) -> str:
    match = re.compile(translate(pattern)).match
    ends = range(len(value) + 1)
    if operator[0] == "%":
        tails = [i for i in (ends if operator == "%%" else reversed(ends)) if match(value[i:])]
        return value[: tails[0]] if tails else value
    heads = [i for i in (reversed(ends) if operator == "##" else ends) if match(value[:i])]
    return value[heads[0] :] if heads else value


def replace(value: str, operator: str, pattern: str, new: str) -> str:
    """`/` replaces the first match, `//` every one; only what is wholly known and literal is worked out."""
    if not (static(value) and static(pattern) and static(new)) or re.search(r"[*?\[\\&]", pattern + new):
        return ANY
    return value.replace(pattern, new) if operator == "//" else value.replace(pattern, new, 1)


def change_case(value: str, operator: str) -> str:
    """`^^`, `,,` and the single forms."""
    change = str.upper if operator[0] == "^" else str.lower
    return change(value) if len(operator) == 2 else change(value[:1]) + value[1:]


def _beneath(value: str) -> bool:
    """Whether every start of `value` is a path beneath the working folder."""
    return value[:1] not in ("", "/", "~", "-") and ".." not in value
