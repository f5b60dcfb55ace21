"""Words of the script to values: quotes, variables, substitutions, patterns, braces.

A word is built as a text in which marks stand for what is unknown (`values`). Substitutions are commands, so they are
handed back to the walk, which judges them and says what they print.
"""

import re
from typing import Protocol

from workbench.shell.gate.params import change_case, replace, strip
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.values import (
    ANY,
    BLANK,
    BRACKET,
    CLOSE,
    COMMA,
    MANY,
    MARKS,
    NONE,
    OPEN,
    SOME,
    words,
)  # fmt: skip
from workbench.shell.parse import Node
from workbench.shell.tokens import PLAIN, WORDS

_UNQUOTED = re.compile(r"\\(.)|([*?{},\[])", re.DOTALL)
_SPECIAL = {"*": SOME, "?": SOME, "{": OPEN, "}": CLOSE, ",": COMMA, "[": BRACKET}
_QUOTED = re.compile(r"\\([$`\"\\])|\\\n")
_ANSI = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.)|(.))", re.DOTALL
)
_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_SPACE = re.compile(r"[ \t\n]+")
_RESERVED = re.compile("[\ud800-\udfff\ue000-\uf8ff]")


class Host(Protocol):
    """What the words need of the walk."""

    text: str
    """the script that the nodes have their offsets in"""

    def substitute(self, node: Node, scope: Scope) -> str:
        """Judge the commands of a `$(…)` or a backtick and give what they print, as an abstract text."""
        raise NotImplementedError

    def process(self, node: Node, scope: Scope) -> str:
        """Judge the commands of a `<(…)` or `>(…)` and give the path it stands for."""
        raise NotImplementedError

    def variable(self, name: str, scope: Scope) -> str:
        """The value of a variable that is used, noting when it looks like a secret."""
        raise NotImplementedError

    def assign(self, name: str, value: str, scope: Scope) -> None:
        """A variable gets a value."""
        raise NotImplementedError

    def arithmetic(self, node: Node, scope: Scope) -> None:
        """Judge what an arithmetic expression may run."""
        raise NotImplementedError

    def opaque(self, why: str) -> None:
        """Something cannot be known; `why` completes the sentence `… cannot be known: `."""
        raise NotImplementedError


def expand(host: Host, node: Node, scope: Scope) -> list[str]:
    """The words that a word of a command becomes."""
    if node.kind == "word":
        text = host.text[node.start : node.end]
        if PLAIN.fullmatch(text):
            return [text]
    return words(piece(host, node, scope, quoted=False))


def value(host: Host, node: Node | None, scope: Scope) -> str:
    """The value of a word where bash neither splits nor matches patterns: assignments, `case`, redirections' kin."""
    if node is None:
        return ""
    text = piece(host, node, scope, quoted=False, single=True)
    return text.replace(BLANK, " ").translate(_BACK)


_BACK = str.maketrans({NONE: None, OPEN: "{", CLOSE: "}", COMMA: ",", BRACKET: "[", MANY: ANY})


def piece(host: Host, node: Node, scope: Scope, *, quoted: bool, single: bool = False) -> str:
    """One piece of a word with marks. `single`: nothing is split or matched, so `*` is a literal."""
    kind = node.kind
    text = host.text[node.start : node.end]
    if kind in ("word", "number", "variable_name", "extglob_pattern", "regex"):
        return _tilde(_unquoted(text, single=single), text, scope)
    if kind == "concatenation":
        return _joined(host, node, scope, quoted=quoted, single=single)
    if kind == "raw_string":
        return text[1:-1]
    if kind == "string":
        return between(host, node, node.start + 1, node.end - 1, scope)
    if kind == "ansi_c_string":
        return ansi(text[2:-1])
    if kind == "$":
        return "$"
    found = _expansion(host, node, scope)
    return found if quoted or single else split(found, scope)


def _joined(host: Host, node: Node, scope: Scope, *, quoted: bool, single: bool) -> str:
    """Pieces side by side. A `~` counts at the start only, and only when a bare `/` ends it."""
    out = []
    for at, kid in enumerate(node.kids):
        text = host.text[kid.start : kid.end]
        if kid.kind == "word" and "~" in text:
            bare = _unquoted(text, single=single)
            starts = at == 0 and text[0] == "~"
            out.append(_tilde(bare, text, scope) if starts and "/" in text else ANY if starts else _after(bare, scope))
        else:
            out.append(piece(host, kid, scope, quoted=quoted, single=single))
    return "".join(out)


def _expansion(host: Host, node: Node, scope: Scope) -> str:
    """The value of what `$`, a backtick or `<(` starts. Lists (`$@`, `${a[@]}`) come with their splits."""
    match node.kind:
        case "simple_expansion":
            name = host.text[node.start : node.end].strip()[1:]
            if name in ("@", "*"):
                return listed(scope.arguments)
            return host.variable(name, scope)
        case "expansion":
            return _parameter(host, node, scope)
        case "command_substitution":
            return host.substitute(node, scope).rstrip("\n")
        case "process_substitution":
            return host.process(node, scope)
        case "arithmetic_expansion":
            host.arithmetic(node, scope)
            return SOME
        case "brace_expression":
            return SOME
    host.opaque(f"what a {node.kind.replace('_', ' ')} becomes")
    return ANY


def _parameter(host: Host, node: Node, scope: Scope) -> str:
    """`${…}`. Every part is looked at, for parts may hold commands; then the value is worked out where that is safe."""
    kids = node.kids[1:-1]
    signs = [k.kind for k in kids if k.kind not in _OPERANDS]
    names = [k for k in kids if k.kind in ("variable_name", "special_variable_name", "subscript")]
    operands = [k for k in kids if k.kind in _OPERANDS and k not in names[:1]]
    given = [value(host, k, scope) for k in operands]
    if not names or ("P" in signs and "@" in signs):
        host.opaque("what a parameter expansion runs or becomes")
        return ANY
    if signs[:1] == ["#"] and kids[0].kind == "#":
        _subscripted(host, names[0], scope)
        return SOME
    if signs[:1] == ["!"] and kids[0].kind == "!":
        return _indirect(host, names[0], signs, scope)
    found = _subscripted(host, names[0], scope)
    operator = signs[0] if signs else ""
    name = host.text[names[0].start : names[0].end]
    match operator:
        case "":
            return found
        case ":=" | "=":
            host.assign(name, given[0] if given else "", scope)
            return ANY
        case ":?" | "?":
            return found
        case ":-" | "-":
            return (found or (given[0] if given else "")) if scope.assigned(name) else ANY
        case "%" | "%%" | "#" | "##":
            return strip(found, operator, given[0]) if len(given) == 1 else ANY
        case "/" | "//":
            return replace(found, operator, given[0], given[1] if len(given) > 1 else "") if given else ANY
        case "^" | "^^" | "," | ",,":
            return change_case(found, operator) if not given else ANY
        case ":" if any(k.kind not in ("number", "simple_expansion") for k in operands):
            host.arithmetic(node, scope)
    return ANY


_OPERANDS = WORDS | {"variable_name", "special_variable_name", "subscript", "binary_expression", "unary_expression"}


def listed(known: tuple[str, ...] | None) -> str:
    """`$@` and `${a[@]}`: each a word of its own, and no word at all when there is none."""
    if known is None:
        return MANY
    return BLANK.join(known) if known else NONE


def _subscripted(host: Host, node: Node, scope: Scope) -> str:
    """The value of `name` or `name[…]`; a subscript is arithmetic, which may run commands."""
    if node.kind != "subscript":
        return host.variable(host.text[node.start : node.end], scope)
    name, index = host.text[node.kids[0].start : node.kids[0].end], host.text[node.kids[2].start : node.kids[2].end]
    known = scope.arrays.get(name)
    if index in ("@", "*"):
        return listed(known)
    if index.isdigit():
        return known[int(index)] if known is not None and int(index) < len(known) else ANY
    host.arithmetic(node, scope)
    return ANY


def _indirect(host: Host, node: Node, signs: list[str], scope: Scope) -> str:
    """`${!name}` is the variable that `name` names; `${!name*}` and `${!a[@]}` are names and indexes only."""
    if node.kind == "subscript" or signs[-1] in ("*", "@"):
        return SOME
    name = host.variable(host.text[node.start : node.end], scope)
    if name.isidentifier():
        return host.variable(name, scope)
    host.opaque("which variable an indirect expansion reads")
    return ANY


def between(host: Host, node: Node, start: int, end: int, scope: Scope) -> str:
    """Text between double quotes or of a here-document: its literal stretches and its expansions."""
    out = []
    at = start
    for kid in node.kids:
        if kid.kind.endswith(("expansion", "substitution")):
            sign = kid.start + len(host.text[kid.start : kid.end]) - len(host.text[kid.start : kid.end].lstrip())
            out.append(_QUOTED.sub(lambda m: m[1] or "", host.text[at:sign]))
            out.append(piece(host, kid, scope, quoted=True))
            at = kid.end
    out.append(_QUOTED.sub(lambda m: m[1] or "", host.text[at:end]))
    return "".join(out).replace(MANY, ANY) if BLANK not in "".join(out) else "".join(out)


def split(text: str, scope: Scope) -> str:
    """An unquoted value: blanks part words, pattern characters match, what is unknown may be many words."""
    if "IFS" in scope.variables:
        return MANY
    text = text.replace(ANY, MANY)
    if text == "":
        return BLANK
    if not MARKS.search(text) and text.isalnum():
        return text
    for char in "*?":
        text = text.replace(char, SOME)
    return _SPACE.sub(BLANK, text.replace("[", BRACKET))


def _unquoted(text: str, *, single: bool) -> str:
    """A bare word: backslashes gone, pattern and brace characters marked."""

    def one(found: re.Match[str]) -> str:
        if found[1] is not None:
            return "" if found[1] == "\n" else found[1]
        return found[2] if single else _SPECIAL[found[2]]

    return _UNQUOTED.sub(one, text)


def _tilde(text: str, written: str, scope: Scope) -> str:
    """`~` at the start of a bare word, or after `=` and `:` as in assignments, is a home folder."""
    if "~" not in written:
        return text
    if written[0] == "~":
        user, slash, rest = text.partition("/")
        text = ((scope.home or ANY) if user == "~" else ANY) + slash + rest
    return _after(text, scope)


def _after(text: str, scope: Scope) -> str:
    """`~` after `=` or `:` is a home folder in assignments and in words that look like one."""
    if not _ASSIGNED.match(text):
        return text
    return re.sub(r"(?<=[=:])~(?=/|:|$)", lambda _: scope.home or ANY, text)


def ansi(text: str) -> str:
    """The text of `$'…'`; what bash would cut at a NUL is cut."""

    def one(found: re.Match[str]) -> str:
        octal, hexa, short, long, control, other = found.groups()
        if octal:
            return chr(int(octal, 8) & 0xFF)
        if code := hexa or short or long:
            return chr(min(int(code, 16), 0x10FFFF))
        if control:
            return chr(ord(control) & 0x1F)
        return _LETTERS.get(other, other if other in "\\'\"?" else "\\" + other)

    text = _ANSI.sub(one, text).split("\0", 1)[0]
    return ANY if _RESERVED.search(text) else text
