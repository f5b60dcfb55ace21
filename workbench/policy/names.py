"""Path patterns that a different spelling does not slip past.

A protected name has aliases on other file systems: another case, another Unicode form, invisible characters (HFS+),
dots and blanks at the end, alternate streams and short names like `git~1` (NTFS). Patterns and paths are both folded,
then compared by component.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SHORT = re.compile(r"([^.~/]{1,6})~\d{1,4}(?:\.([^.~/]{0,3}))?$")
_WILD = re.compile(r"[*?]")
_PLAIN = re.compile(r"[a-z0-9_./-]*[a-z0-9_/-]\Z|\Z")
_HASHED = {"gi7eba": ".gitmodules", "gi7d29": ".gitattributes", "gi250a": ".gitignore"}
"""NTFS hashes the stem when four short names are taken; git refuses these three by name, so do we"""


def invisible(char: str) -> bool:
    """Whether a file system may ignore `char`: format characters, variation selectors, the soft hyphen."""
    return unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def fold(path: str) -> str:
    """`path` (with `/` between parts) in the one spelling that all its aliases share, short names left as they are."""
    if _PLAIN.match(path) and "./" not in path:
        return path
    parts = []
    for part in path.replace("\\", "/").split("/"):
        seen = "".join(c for c in part if not invisible(c))
        seen = unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen).casefold())
        stream = seen.find(":", 1)
        seen = seen[:stream] if stream > 0 else seen
        parts.append(seen.rstrip(". ") or part)
    return "/".join(parts)


@lru_cache(maxsize=4096)
def _folded(path: str) -> tuple[str, tuple[str, ...]]:
    """`path` folded, whole and in parts."""
    folded = fold(path)
    return folded, tuple(folded.split("/"))


def _short_stem(name: str) -> str:
    """The first six characters of the NTFS short name of `name` (folded)."""
    stem = name.lstrip(".").rsplit(".", 1)[0] if "." in name.lstrip(".") else name.lstrip(".")
    return re.sub(r"[ .]", "", stem).replace("+", "_")[:6]


def _part(pattern: str) -> str:
    """A pattern without `**` as a regular expression."""
    wild = {"*": r"[^/]*", "?": r"[^/]"}
    return "".join(wild.get(piece, re.escape(piece)) for piece in re.split(r"([*?])", pattern))


def _regex(pattern: str) -> str:
    """A pattern that has parts as a regular expression, from where its first part may start."""
    beneath = pattern.endswith("/**")
    pieces = re.split(r"(\*\*/|\*\*)", pattern.removesuffix("/**").removeprefix("./").removeprefix("/"))
    wild = {"**/": r"(?:.*/)?", "**": r".*"}
    return "".join(wild.get(piece, _part(piece)) for piece in pieces) + (r"(?:/.*)?" if beneath else "")


class _Set:
    """Folded patterns, sorted by how they are matched: names alone by look-up, the rest by one expression each."""

    def __init__(self, patterns: list[str]) -> None:
        names = [p for p in patterns if "/" not in p]
        folders = [p[:-3] for p in patterns if p.endswith("/**") and "/" not in p[:-3]]
        rest = [p for p in patterns if "/" in p and p.removesuffix("/**") not in folders]
        self.names = frozenset(n for n in names if not _WILD.search(n))
        self.folders = frozenset(f for f in folders if not _WILD.search(f))
        self.wild = _any([_part(n) for n in names if _WILD.search(n)])
        self.wild_folders = _any([_part(f) for f in folders if _WILD.search(f)])
        self.floating = _any([_regex(p) for p in rest if not p.startswith(("/", "./"))], start=r"(?:.*/)?")
        self.root = _any([_regex(p) for p in rest if p.startswith("./")])
        self.absolute = _any([_regex(p) for p in rest if p.startswith("/")], start="/")

    def match(self, path: str, parts: tuple[str, ...]) -> bool:
        """`path` is folded, `parts` are its parts."""
        if parts[-1] in self.names or not self.folders.isdisjoint(parts) or self.wild.fullmatch(parts[-1]):
            return True
        if self.floating.fullmatch(path) or any(self.wild_folders.fullmatch(part) for part in parts):
            return True
        return (self.absolute if path.startswith("/") else self.root).fullmatch(path) is not None


def _any(alternatives: list[str], start: str = "") -> re.Pattern[str]:
    return re.compile(f"{start}(?:{'|'.join(alternatives)})" if alternatives else r"(?!)", re.DOTALL)


class Paths:
    """A set of path patterns.

    `name` or `a/b` at any depth, `./a` from the workspace's root, `/a` absolute; `*` and `?` within one part, `**` over
    parts; `a/**` is the folder and all beneath. A pattern that starts with `!` takes back what the others match.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        wanted = [fold(p) for p in self.patterns if not p.startswith("!")]
        self._wanted = _Set(wanted)
        self._taken = _Set([fold(p[1:]) for p in self.patterns if p.startswith("!")])
        self._long = dict(_HASHED)
        for name in (part for p in wanted for part in p.split("/") if part and not _WILD.search(part)):
            if len(name.lstrip(".")) > 8 or name.startswith("."):
                self._long.setdefault(_short_stem(name), name)

    def match(self, path: str) -> bool:
        """Whether a resolved path (relative to the workspace, or absolute) is one of these, under any alias."""
        folded, parts = _folded(path)
        if "~" in folded:
            parts = tuple(self._unshorten(part) for part in parts)
            folded = "/".join(parts)
        return self._wanted.match(folded, parts) and not self._taken.match(folded, parts)

    def _unshorten(self, part: str) -> str:
        short = _SHORT.fullmatch(part)
        return self._long.get(short[1], part) if short else part

    def __repr__(self) -> str:
        return f"Paths({list(self.patterns)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Paths) and other.patterns == self.patterns

    def __hash__(self) -> int:
        return hash(self.patterns)
