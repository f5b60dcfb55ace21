"""Why `old` is not in a text: the nearest place and what differs there, so that the next try succeeds.

This only ever makes a message. Nothing found here is edited; guessing where to edit is what `tolerate` never does.
"""

import difflib
import html
import json
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.files import Refused
from workbench.files.decode import shown

SEARCHED = 1_000_000
"""characters of a text that are compared loosely; in a longer one, those around the best line"""
SIMILAR_LINES = 5_000
SHOWN_LINES = 8
SHOWN_CHARS = 200

_LINE_NUMBER = re.compile(r"[ \t]*\d+(?:\t|→|\|[ \t]?|:[ \t])")
_MARKER = re.compile(r"<redacted[^<>\n]*>|\[redacted[^\[\]\n]*\]|\[… [^\[\]\n]* …\]", re.IGNORECASE)
_BLANK = " \t"
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt"'\\/]))""")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Guess:
    """The nearest place."""

    line: int
    lines: list[str]
    """as they are in the file"""
    why: str
    """what differs there, as a clause"""


def nearest(text: str, old: str, path: str) -> Refused:
    """The refusal `not_found` for `old`, which is not in `text` (LF line ends)."""
    guess = next(_guesses(text, old), None)
    if guess is None:
        return Refused(
            "not_found",
            f"old_string is not in {path}, and no place in it is similar. Read the place again and copy it exactly, "
            "without line numbers.",
        )
    last = guess.line + len(guess.lines) - 1
    where = f"line {guess.line}" if last == guess.line else f"lines {guess.line}-{last}"
    return Refused(
        "not_found",
        f"old_string is not in {path}. The nearest place is {where}: {guess.why}. "
        "Copy the text exactly as it is in the file; nothing was changed.",
        nearest={
            "line": guess.line,
            "end_line": last,
            "text": shown("\n".join(_short(line) for line in guess.lines[:SHOWN_LINES])),
        },
        difference=guess.why,
    )


def _guesses(text: str, old: str) -> Iterator[Guess]:
    """Places from the surest to the vaguest."""
    yield from _markers(text, old)
    yield from _disguised(text, old)
    window, first = _window(text, old)
    lines = window.split("\n")
    wanted = old.split("\n")
    for found in (_loosely(lines, wanted), _by_equal_lines(lines, wanted), _by_similar_line(lines, wanted)):
        if found is not None:
            at, length = found
            there = lines[at : at + length]
            yield Guess(first + at, there, _difference(there, wanted, first + at))


def _markers(text: str, old: str) -> Iterator[Guess]:
    """A marker that stands for hidden text was copied as if it were in the file."""
    marker = _MARKER.search(old)
    if marker and marker[0] not in text:
        around = max(old[: marker.start()].rpartition("\n")[2], old[marker.end() :].partition("\n")[0], key=len)
        at = text.find(around) if around.strip() else -1
        line = text.count("\n", 0, max(at, 0)) + 1
        yield Guess(line, [""], f"{marker[0]} only marks where something was left out and is not in the file")


def _disguised(text: str, old: str) -> Iterator[Guess]:
    """`old` is in the text once a known disguise is taken off."""
    lines = old.split("\n")
    if any(map(_LINE_NUMBER.match, lines)):
        bare = "\n".join(_LINE_NUMBER.sub("", line, count=1) for line in lines)
        yield from _there(text, bare, "old_string begins with a line number that only the reading view shows")
    yield from _there(text, html.unescape(old), "old_string has HTML entities where the file has the characters")
    yield from _there(text, html.escape(old, quote=False), "the file has HTML entities where old_string does not")
    yield from _there(text, _ESCAPE.sub(_unescape, old), "old_string has escapes where the file has the characters")
    controls = old.replace("\n", "\\n").replace("\t", "\\t")
    foreign = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in old)
    for escaped in (controls, foreign, json.dumps(old)[1:-1], json.dumps(old, ensure_ascii=False)[1:-1]):
        yield from _there(text, escaped, "the file has escapes (such as \\n or \\u2019) where old_string does not")


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])


def _there(text: str, candidate: str, why: str) -> Iterator[Guess]:
    at = text.find(candidate) if candidate.strip() else -1
    if at >= 0:
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(candidate.rstrip("\n")))
        lines = text[begin : end if end >= 0 else len(text)].split("\n")
        yield Guess(text.count("\n", 0, at) + 1, lines, why)


# --- loosely equal ---------------------------------------------------------------------------------------------------


def _window(text: str, old: str) -> tuple[str, int]:
    """The part of the text that is compared, whole lines, and the number of its first line."""
    if len(text) <= SEARCHED:
        return text, 1
    key = max((line.strip() for line in old.split("\n")), key=len)
    at = max(text.find(key), 0)
    begin = text.rfind("\n", 0, max(at - SEARCHED // 2, 0)) + 1
    end = text.find("\n", begin + SEARCHED)
    return text[begin : end if end >= 0 else len(text)], text.count("\n", 0, begin) + 1


def _skeleton(line: str) -> str:
    """What is left of a line without blanks, case, width, invisible characters, and kinds of quotes and dashes."""
    if line.isascii():
        return re.sub(r"""["'`]""", "'", "".join(line.split()).lower())
    kept = []
    for char in unicodedata.normalize("NFKC", line).casefold():
        category = unicodedata.category(char)
        if category == "Pd" or char == "−":
            kept.append("-")
        elif category in ("Pi", "Pf") or char in "\"'`„‚′″‴´":
            kept.append("'")
        elif category != "Cf" and not char.isspace():
            kept.append(char)
    return "".join(kept)


def _loosely(lines: list[str], wanted: list[str]) -> tuple[int, int] | None:
    """(index, number of lines) where the skeletons agree; blank lines do not count."""
    sought = "\n".join(filter(None, map(_skeleton, wanted)))
    if not sought:
        return None
    kept = [(i, s) for i, s in enumerate(map(_skeleton, lines)) if s]
    starts, length = [], 0
    for _, skeleton in kept:
        starts.append(length)
        length += len(skeleton) + 1
    at = "\n".join(skeleton for _, skeleton in kept).find(sought)
    if at < 0:
        return None
    first = kept[bisect_right(starts, at) - 1][0]
    last = kept[bisect_right(starts, at + len(sought) - 1) - 1][0]
    return first, last - first + 1


def _by_equal_lines(lines: list[str], wanted: list[str]) -> tuple[int, int] | None:
    """Where most lines of `old` stand at the right distance from one another."""
    places: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        places.setdefault(line.strip(), []).append(i)
    votes: Counter[int] = Counter()
    for j, line in enumerate(wanted):
        if len(line.strip()) > 2:
            votes.update(i - j for i in places.get(line.strip(), ())[:100] if i >= j)
    return (votes.most_common(1)[0][0], len(wanted)) if votes else None


def _by_similar_line(lines: list[str], wanted: list[str]) -> tuple[int, int] | None:
    """Where the longest line of `old` has its most similar one."""
    j, key = max(enumerate(wanted), key=lambda pair: len(pair[1].strip()))
    candidates = {line[:SHOWN_CHARS]: i for i, line in reversed(list(enumerate(lines[:SIMILAR_LINES])))}
    close = difflib.get_close_matches(key[:SHOWN_CHARS], list(candidates), n=1, cutoff=0.6)
    return (max(candidates[close[0]] - j, 0), len(wanted)) if close else None


# --- what differs ----------------------------------------------------------------------------------------------------


def _difference(there: list[str], wanted: list[str], number: int) -> str:
    """The first difference between lines of the file and of `old`, as a clause."""
    for i, line in enumerate(wanted):
        if i >= len(there):
            more = _quoted(line) if line.strip() else "another blank line"
            return f"old_string goes on after line {number + i - 1} with {more}, the file does not"
        have = _part(there[i], line, first=i == 0, last=i == len(wanted) - 1)
        if have != line:
            if not have.strip() or not line.strip():
                return f"on line {number + i} the number of blank lines differs"
            return f"on line {number + i} {_first_difference(have, line)}"
    return "the number of blank lines differs"


def _part(have: str, line: str, *, first: bool, last: bool) -> str:
    """The part of a line of the file that a line of `old` is about: its first may begin within one, its last end."""
    if (last and have.startswith(line)) or (first and have.endswith(line)) or (first and last and line in have):
        return line
    if not first:
        return have
    skeleton, sought = _skeleton(have), _skeleton(line)
    if sought and sought in skeleton and skeleton != sought and len(have) <= 2 * SHOWN_CHARS:
        have = have[max(i for i in range(len(have)) if _skeleton(have[i:]).startswith(sought)) :]
    return have.lstrip() if line == line.lstrip() else have


def _first_difference(have: str, line: str) -> str:
    indent_have, indent_line = (s[: len(s) - len(s.lstrip(_BLANK))] for s in (have, line))
    if indent_have != indent_line and have.lstrip(_BLANK)[:1] == line.lstrip(_BLANK)[:1]:
        return (
            f"the indentation differs: the file has {_blanks(indent_have)}, old_string has {_blanks(indent_line)} "
            f"(the file's line is {_quoted(have)})"
        )
    at = next((i for i, (a, b) in enumerate(zip(have, line, strict=False)) if a != b), min(len(have), len(line)))
    a, b = have[at : at + 1], line[at : at + 1]
    if a and b and a.casefold() == b.casefold():
        return f"the case differs: the file has {_quoted(have)}"
    if a in _BLANK or b in _BLANK:
        at = len(have[:at].rstrip(_BLANK))  # the whole run of blanks, also its part that is equal
        runs = [s[at : len(s) - len(s[at:].lstrip(_BLANK))] for s in (have, line)]
        if (a or b) and have[at + len(runs[0]) :][:1] == line[at + len(runs[1]) :][:1]:
            return f"the file has {_blanks(runs[0])} where old_string has {_blanks(runs[1])}, in {_quoted(have)}"
    return f"the file has {_named(a)} where old_string has {_named(b)}, in {_quoted(have)}"


def _blanks(run: str) -> str:
    if not run:
        return "no blank"
    tabs, blanks = run.count("\t"), run.count(" ")
    words = [f"{tabs} tab{'s' * (tabs != 1)}"] * bool(tabs) + [f"{blanks} blank{'s' * (blanks != 1)}"] * bool(blanks)
    return " and ".join(words)


def _named(char: str) -> str:
    """A character so that its kind cannot be missed."""
    if not char:
        return "nothing more"
    if char == " ":
        return "a blank"
    if char == "\t":
        return "a tab"
    if "!" <= char <= "~":
        return f"`{char}`"
    if "\udc80" <= char <= "\udcff":
        return f"the byte {ord(char) - 0xDC00:02X}, which does not decode,"
    return f"U+{ord(char):04X} ({unicodedata.name(char, 'unnamed')})"


def _quoted(line: str) -> str:
    return json.dumps(shown(_short(line)), ensure_ascii=False)


def _short(line: str) -> str:
    return line if len(line) <= SHOWN_CHARS else line[:SHOWN_CHARS] + "…"
