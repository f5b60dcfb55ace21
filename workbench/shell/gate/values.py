"""Texts that are known in part: a plain `str` in which private-use characters stand for what is known only at run time.

`parse` refuses a command that holds such characters itself, so a mark is always ours.
"""

import re
from itertools import pairwise

ANY = "\ue000"
"""any text, perhaps none"""
MANY = "\ue001"
"""any text that may become several words or none (unquoted)"""
SOME = "\ue002"
"""text without `/` that is not `..`: what a pattern matches, a number, a date, a name"""
BENEATH = "\ue003"
"""a relative path of any depth without `..`: what `find` or `git ls-files` print"""

FETCHED = "\ue004"
"""no text of its own: what stands beside it came from the network"""
SECRET = "\ue005"  # noqa: S105 - a mark
"""no text of its own: what stands beside it came from a credential"""

BLANK = "\ue010"
"""where an unquoted expansion is split into words"""
NONE = "\ue015"
"""an empty list (`"$@"` without arguments): alone it is no word, beside other text it is nothing"""
OPEN, CLOSE, COMMA, BRACKET = "\ue011", "\ue012", "\ue013", "\ue014"
"""an unquoted `{`, `}`, `,` and `[`"""

MARKS = re.compile("[\ue000-\ue005]")
_UNSPLIT = re.compile("[\ue010-\ue015]")
_PATTERN = re.compile("\ue014[^\ue010/]*?\\]")
_SHOWN = str.maketrans({ANY: "…", MANY: "…", SOME: "*", BENEATH: "…", FETCHED: None, SECRET: None})
_RANGE = re.compile("\ue011[^\ue010-\ue014/]+\\.\\.[^\ue010-\ue014/]+\ue012")
MAX_WORDS = 64
"""that one word may become by braces; more are unknown"""


def word_set(text: str) -> frozenset[str]:
    """The words of a block of text, for lists that are read better so."""
    return frozenset(text.split())


def static(text: str) -> bool:
    """Whether every character is known."""
    return not MARKS.search(text)


def unknown(text: str) -> bool:
    """Whether it may be anything, a path with `..` or an option among them."""
    return ANY in text or MANY in text


def may_be_option(text: str) -> bool:
    """Whether a word may turn out to start with `-`, or to bring words that do."""
    return MANY in text or text.startswith(ANY)


def taint(*texts: str) -> str:
    """The marks of origin that any of these carries."""
    text = "".join(texts)
    if text.isascii():
        return ""
    return (FETCHED if FETCHED in text else "") + (SECRET if SECRET in text else "")


def shown(text: str) -> str:
    """For a person: `*` where a pattern or token stands, `…` where something unknown does."""
    return text.translate(_SHOWN)


def words(text: str) -> list[str]:
    """The words that one word of the script becomes: braces, then splitting, then patterns."""
    if not _UNSPLIT.search(text):
        return [text]
    result = []
    for piece in braces(text) if OPEN in text else [text]:
        split = piece.split(BLANK)
        kept = [w for w in split if w] if len(split) > 1 else split
        result += [_plain(w.replace(NONE, "")) for w in kept if w.strip(NONE) or not w]
    return result


def braces(text: str) -> list[str]:
    """Brace expansion of the unquoted braces in `text`, innermost lists included; too many words become one unknown."""
    done: list[str] = []
    todo = [text]
    while todo:
        item = todo.pop(0)
        cut = _first_list(item)
        if cut is None:
            done.append(item)
        else:
            start, commas, end = cut
            edges = [start, *commas, end]
            todo[:0] = [item[:start] + item[a + 1 : b] + item[end + 1 :] for a, b in pairwise(edges)]
        if len(done) + len(todo) > MAX_WORDS:
            return [MANY]
    return done


def _first_list(text: str) -> tuple[int, list[int], int] | None:
    """Start, commas and end of the first brace list that has a comma or a range."""
    for start in (i for i, c in enumerate(text) if c == OPEN):
        depth, commas = 0, []
        for at in range(start, len(text)):
            if text[at] == OPEN:
                depth += 1
            elif text[at] == COMMA and depth == 1:
                commas.append(at)
            elif text[at] == CLOSE:
                depth -= 1
                if depth == 0:
                    if commas:
                        return start, commas, at
                    break
    return None


def _plain(word: str) -> str:
    """A word without splitting marks: ranges and closed brackets are patterns, others are literal."""
    if OPEN in word:
        word = _RANGE.sub(SOME, word)
    if BRACKET in word:
        word = _PATTERN.sub(SOME, word)
    for mark, literal in ((OPEN, "{"), (CLOSE, "}"), (COMMA, ","), (BRACKET, "[")):
        word = word.replace(mark, literal)
    return word
