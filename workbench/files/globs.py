"""Globs over paths with `/`, matched in linear time whatever they hold.

`*` and `?` stay within a name, `**` spans folders, `{a,b}` are alternatives, `[a-z]` and `[!a]` are classes. A glob
without `/` matches names at any depth, as in .gitignore; one with `/` matches from the folder that is searched.
A class also matches its own text, so that `app/[id]/page.tsx` finds the folder of that name.
"""

import re
from functools import lru_cache

import re2

from workbench.files import Refused

_TOKEN = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|\\.|[{},]|.", re.S)
_NO_NAME = re.compile("[\0\ud800-\udfff]")
"""what no name that can be asked for holds, and neither RE2 nor a program's arguments take"""


class Glob:
    """A compiled glob. Refused `bad_args` when it makes no sense."""

    def __init__(self, pattern: str) -> None:
        if _NO_NAME.search(pattern):
            raise Refused("bad_args", f"The glob {pattern!r} holds a character that no file name has.")
        self.pattern = pattern
        anchored = "/" in pattern.rstrip("/")
        body = _translated(pattern.strip("/") if anchored else pattern.rstrip("/"))
        options = re2.Options()
        options.log_errors = False
        try:
            self._regex = re2.compile(("" if anchored else "(?:.*/)?") + body, options)
        except re2.error as e:
            raise Refused("bad_args", f"The glob {pattern!r} is not valid: {e}.") from None

    def matches(self, path: str) -> bool:
        return self._regex.fullmatch(path) is not None

    @property
    def name(self) -> str | None:
        """A glob that the last name of every match fulfils; None when there is none to tell."""
        last = self.pattern.rstrip("/").rsplit("/", 1)[-1]
        whole = last.count("{") == last.count("}") and not re.search(r"[\[\]\\,{}]", last)
        return last if whole and last not in ("", "**") else None


@lru_cache(maxsize=256)
def glob(pattern: str) -> Glob:
    return Glob(pattern)


def _translated(pattern: str) -> str:
    out, depth = [], 0
    for part in _TOKEN.findall(pattern):
        if part == "{":
            depth += 1
            out.append("(?:")
        elif part == "}" and depth:
            depth -= 1
            out.append(")")
        elif part == "," and depth:
            out.append("|")
        else:
            out.append(_one(part))
    if depth:
        raise Refused("bad_args", f"The glob {pattern!r} opens a brace that it does not close.")
    return "(?s)" + "".join(out)


def _one(token: str) -> str:
    special = {"**/": "(?:[^/]+/)*", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token in special:
        return special[token]
    if token.startswith("[") and len(token) > 2:
        negated = token[1] in "!^"
        inside = re.sub(r"([\\\[\]&~^])", r"\\\1", token[2 if negated else 1 : -1])
        literal = str(re2.escape(token))
        return f"[^/{inside}]" if negated else f"(?:[{inside}]|{literal})"
    return str(re2.escape(token[1:] if token.startswith("\\") and len(token) > 1 else token))
