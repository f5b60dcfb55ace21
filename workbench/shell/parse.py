"""Text to tree: bash as tree-sitter reads it, with a check of everything that tree-sitter reads differently from bash.

tree-sitter-bash hides commands without an error node (a newline before a backslash, a continuation inside a word, a
comment that bash does not see, a here-document that ends elsewhere). So nothing is taken on trust: every character must
lie in a token whose text is what such a token may hold, or in a gap that may be there. What does not fit has no tree.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Parser
from tree_sitter import Node as Found

from workbench.shell.tokens import (
    GAPS,
    KEYWORDS,
    LEAVES,
    PLAIN,
    STATEMENTS,
    WORDS,
    heredoc_problem,
    heredoc_quoted,
    heredoc_text_problem,
)

MAX_CHARS = 64 * 1024
"""longer commands are not parsed; nobody could approve them with open eyes"""
MAX_DEPTH = 120
"""of the tree; what is nested deeper is opaque, so that no later walk needs to count"""

_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_WIDE = re.compile(r"[^\x00-\x7f]")
_UNPARSABLE = re.compile(r"[\x00\ud800-\udfff\ue000-\uf8ff]")
"""NUL and lone surrogates cannot reach a program; private-use characters are marks of our own (`words`)"""
_HIDDEN = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"])
_CONTROLS = {"\r": "CARRIAGE RETURN", "\x1b": "ESCAPE", "\x08": "BACKSPACE", "\f": "FORM FEED", "\v": "VERTICAL TAB"}
_SAME = (("<>", ">>"), (";;&", ";; "), (";&", ";;"))
"""signs that the grammar does not know, and what has the same effects here; the words are taken from the text itself"""
_BEFORE = frozenset(["", " ", "\t", "\n", ";", "&", "|"])
"""what may stand before a comment"""


@dataclass(slots=True)
class Node:
    """A piece of the tree: its kind in the grammar, its span in characters, its children."""

    kind: str
    start: int
    end: int
    kids: list["Node"]


@dataclass(frozen=True)
class Parsed:
    """A command as a tree, or the reasons why there is none."""

    text: str
    root: Node | None
    problems: tuple[str, ...] = ()
    """why the text is opaque (no tree) or what a reader cannot see in it; whole sentences"""


class Mismatch(Exception):
    """The tree is not surely what bash reads."""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse(command: str) -> Parsed:
    """The tree of `command`. Never raises; without a tree the command is opaque."""
    if len(command) > MAX_CHARS:
        return Parsed(command, None, (f"It has {len(command):,} characters; above {MAX_CHARS:,} it is not read.",))
    hidden = tuple(invisible(command))
    if _UNPARSABLE.search(command):
        return Parsed(command, None, hidden)
    # Pipelines of three and more cost the grammar twenty times what lists cost. So it is given ` &&` for ` | `, and the
    # tree is put together anew; what does not parse that way is parsed as it is.
    # One ASCII character for each wide one: offsets count characters, and no wide blank is taken for a blank
    plain = command if command.isascii() else _WIDE.sub(".", command)
    for written, read in _SAME:
        plain = plain.replace(written, read)
    written = plain
    root = None
    if plain.count(" | ") > 1:
        plain = plain.replace(" | ", " &&")
        root = _parser().parse(plain.encode()).root_node
    if root is None or root.has_error:
        plain = written
        root = _parser().parse(plain.encode()).root_node
    if root.has_error:
        return Parsed(command, None, (*hidden, "It could not be parsed as bash."))
    try:
        tree = _Copy(plain, written).all(root)
    except Mismatch as e:
        return Parsed(command, None, (*hidden, f"It could not be parsed with certainty: {e}."))
    return Parsed(command, tree, hidden)


def invisible(text: str) -> Iterator[str]:
    """A sentence for each kind of character that a reader cannot see, by name. Joined emoji are seen."""
    if not _ODD.search(text):
        return
    seen: dict[str, int] = {}
    for found in _ODD.finditer(text):
        char, before = found[0], text[found.start() - 1 : found.start()]
        joins = char in "\u200d\ufe0f" and before != "" and unicodedata.category(before) in ("So", "Sk", "Mn")
        if not joins and (unicodedata.category(char) in _HIDDEN or "\ufe00" <= char <= "\ufe0f"):
            seen[char] = seen.get(char, 0) + 1
    for char, count in seen.items():
        yield f"It holds a character that cannot be seen: {char_name(char)}{f', {count} times' if count > 1 else ''}."


def char_name(char: str) -> str:
    """`char` as a person can look it up."""
    return f"U+{ord(char):04X} {unicodedata.name(char, _CONTROLS.get(char, 'without a name'))}"


class _Copy:
    """Copies the tree into light nodes, checking each token and each gap on the way."""

    def __init__(self, text: str, written: str) -> None:
        self.text = text
        """what the grammar was given"""
        self.written = written
        """the same with its pipes"""

    def all(self, root: Found) -> Node:
        node = self.node(root, 0, quoted=False)
        around = self.text[: node.kids[0].start] + self.text[node.kids[-1].end :] if node.kids else self.text
        if around.strip(" \t\n"):
            raise Mismatch("something stands before its first or after its last word")
        return node

    def node(self, found: Found, depth: int, *, quoted: bool) -> Node:
        """`quoted`: inside double quotes or a here-document, where a sign may carry the blanks before it."""
        kind, start, end, children = found.type, found.start_byte, found.end_byte, found.children
        if not children:
            self.leaf(kind, start, end, named=found.is_named, quoted=quoted)
            return Node(kind, start, end, [])
        if depth > MAX_DEPTH:
            raise Mismatch("it is nested too deeply")
        rule = GAPS.get(kind)
        if rule is None:
            raise Mismatch(f"it holds {kind.replace('_', ' ')}, which is not known here")
        text = kind in ("string", "heredoc_body")
        signs = text or (quoted and kind.endswith(("expansion", "substitution")))
        kids: list[Node] = []
        at = start
        for child in children:
            kid = self.plain(child) or self.node(child, depth + 1, quoted=signs and (text or not kids))
            if kid.start != at and not rule.fullmatch(self.text, at, kid.start):
                kids.append(self.lost(kind, at, kid.start))
            kids.append(kid)
            at = kid.end
        if at != end and not rule.fullmatch(self.text, at, end):
            raise Mismatch(f"something stands between its words at character {at}")
        check = _CHECKS.get(kind)
        if check is not None:
            check(self, kids)
        return Node(kind, start, end, kids) if self.text is self.written else self.regrouped(kind, start, end, kids)

    def plain(self, found: Found) -> Node | None:
        """The most frequent leaf, a word that is itself; None for all others."""
        if found.type != "word" or found.child_count:
            return None
        start, end = found.start_byte, found.end_byte
        return Node("word", start, end, []) if PLAIN.fullmatch(self.text, start, end) else None

    def regrouped(self, kind: str, start: int, end: int, kids: list[Node]) -> Node:
        """Lists that were pipelines before the grammar was given them."""
        if kind == "list" and kids[1].kind == "&&" and self.written[kids[1].start] == "|":
            return piped(kids[0], Node("|", kids[1].start, kids[1].start + 1, []), kids[2])
        return Node(kind, start, end, self.tails(kids) if kind == "heredoc_redirect" else kids)

    def tails(self, kids: list[Node]) -> list[Node]:
        """A pipeline behind a here-document, the way the grammar hangs it there."""
        for at, kid in enumerate(kids[:-1]):
            if kid.kind == "&&" and self.written[kid.start] == "|":
                sign, (first, *more) = Node("|", kid.start, kid.start + 1, []), _linked(kids[at + 1])
                stages = first.kids if first.kind == "pipeline" else [first]
                return [*kids[:at], Node("pipeline", kid.start, first.end, [sign, *stages]), *more, *kids[at + 2 :]]
        return kids

    def bounded(self, kids: list[Node]) -> None:
        """A keyword is one only as a whole word: `{a` and `!a` are programs, and so is `[-f`."""
        self.separated(kids)
        for kid in kids:
            if kid.kind in KEYWORDS:
                before, after = (
                    self.text[kid.start - 1 : kid.start] if kid.start else "",
                    self.text[kid.end : kid.end + 1],
                )
                if (before not in _EDGES and kid.kind != "))") or (after not in _EDGES and kid.kind != "(("):
                    raise Mismatch(f"{kid.kind} at character {kid.start} is part of a longer word")

    def tested(self, kids: list[Node]) -> None:
        """In `[ … ]` a `<` or `|` is what it is anywhere."""
        self.bounded(kids)
        if kids[0].kind == "[" and any(kid.kind in _OPERATORS for kid in _beneath(kids)):
            raise Mismatch(f"an operator stands within [ ] at character {kids[0].start}")

    def calculated(self, kids: list[Node]) -> None:
        """What is no arithmetic to bash is a subshell to it."""
        text = self.text[kids[0].start : kids[-1].end]
        if kids[0].kind in ("$((", "((") and ("\n" in text or not _balanced(text)):
            raise Mismatch(f"arithmetic at character {kids[0].start} may be a command")

    def grouped(self, kids: list[Node]) -> None:
        self.bounded(kids)
        self.calculated(kids)

    def lost(self, kind: str, start: int, end: int) -> Node:
        """The word `-` before a here-document, which the grammar drops; nothing else may be missing."""
        gap = self.text[start:end]
        if kind != "redirected_statement" or gap.strip(" \t") != "-" or gap[0] == "-":
            raise Mismatch(f"something stands between its words at character {start}")
        at = start + gap.index("-")
        return Node("word", at, at + 1, [])

    def leaf(self, kind: str, start: int, end: int, *, named: bool, quoted: bool) -> None:
        text = self.text[start:end]
        rule = LEAVES.get(kind)
        if rule is not None:
            plain = rule.fullmatch(text) is not None
        elif named:
            plain = kind == "program"
        else:
            plain = text == kind or (quoted and text.strip() == kind)
        if not plain:
            raise Mismatch(f"what stands at character {start} is not a plain {kind.replace('_', ' ')}")
        if text[:1] == "#" and kind in ("comment", "word"):
            free = self.text[start - 1 : start] in _BEFORE and self.text[start - 2 : start] != "\\\n"
            if free != (kind == "comment"):
                raise Mismatch(f"the # at character {start} may or may not start a comment")

    def separated(self, kids: list[Node]) -> None:
        """Two commands in a row need a newline or a sign between them."""
        for before, after in pairwise(kids):
            both = before.kind in STATEMENTS and after.kind in STATEMENTS
            if both and "\n" not in self.text[before.end - 1 : after.start]:
                raise Mismatch(f"nothing parts two commands at character {after.start}")

    def chained(self, kids: list[Node]) -> None:
        """No newline stands before `&&`, `||` or `|`."""
        self.separated(kids)
        for before, after in pairwise(kids):
            gap = self.text[before.end : after.start]
            if after.kind in ("&&", "||", "|", "|&") and "\n" in gap.replace("\\\n", ""):
                raise Mismatch(f"a line starts with {after.kind}")

    def worded(self, kids: list[Node]) -> None:
        """Two words in a row need a blank between them."""
        for before, after in pairwise(kids):
            redirects = before.kind.endswith("_redirect") or after.kind.endswith("_redirect")
            if before.end == after.start and not redirects and before.kind != "(" and after.kind != ")":
                raise Mismatch(f"nothing parts two words at character {after.start}")

    def declared(self, kids: list[Node]) -> None:
        self.bounded(kids)
        self.worded(kids)

    def redirected(self, kids: list[Node]) -> None:
        """A number before a redirection belongs to it only if it touches it and nothing else."""
        self.worded([k for k in kids if k.kind in WORDS])
        if kids[0].kind == "file_descriptor":
            before = self.text[kids[0].start - 1 : kids[0].start] if kids[0].start else ""
            if kids[1].start != kids[0].end or before not in (*_BEFORE, "(", ")", "{", "}"):
                raise Mismatch(f"the number at character {kids[0].start} may be a word")

    def joined(self, kids: list[Node]) -> None:
        """`$"…"` is a text that a locale may replace."""
        for before, after in pairwise(kids):
            if before.kind == "$" and after.kind in ("string", "raw_string"):
                raise Mismatch(f"a text at character {before.start} depends on the locale")

    def heredoc(self, kids: list[Node]) -> None:
        """A here-document ends where bash ends it, and only its expansions expand."""
        parts = {k.kind: k for k in kids}
        spans = [
            (parts[k].start, parts[k].end) if k in parts else None
            for k in ("heredoc_start", "heredoc_body", "heredoc_end")
        ]
        if None in spans:
            raise Mismatch("a here-document has no end")
        if self.text[parts["heredoc_start"].end] not in " \t\n;&|<>":
            raise Mismatch("the delimiter of a here-document goes on")
        problem = heredoc_problem(self.text, kids[0].kind, *[s for s in spans if s])
        body = parts["heredoc_body"]
        quoted = heredoc_quoted(self.text[slice(*spans[0] or ())])
        if quoted and any(k.kind != "heredoc_content" for k in body.kids):
            problem = "a quoted here-document seems to expand"
        if not quoted:
            at = body.start
            for kid in [k for k in body.kids if k.kind != "heredoc_content"] + [parts["heredoc_end"]]:
                problem = problem or heredoc_text_problem(self.text[at : kid.start])
                at = kid.end
        if problem:
            raise Mismatch(problem)


def piped(left: Node, sign: Node, right: Node) -> Node:
    """`left | right`, where a pipe binds more tightly than `&&` and `||`."""
    if right.kind == "list":
        first, *more = right.kids
        return Node("list", left.start, right.end, [piped(left, sign, first), *more])
    if left.kind == "list":
        *head, last = left.kids
        return Node("list", left.start, right.end, [*head, piped(last, sign, right)])
    stages = left.kids if left.kind == "pipeline" else [left]
    return Node("pipeline", left.start, right.end, [*stages, sign, right])


def _linked(node: Node) -> list[Node]:
    """The first statement of a list and what follows it."""
    if node.kind != "list":
        return [node]
    first, *more = node.kids
    return [*_linked(first), *more]


def _beneath(kids: list[Node]) -> Iterator[Node]:
    """All nodes beneath, but for those in words."""
    for kid in kids:
        yield kid
        if kid.kind not in WORDS:
            yield from _beneath(kid.kids)


def _balanced(text: str) -> bool:
    """Whether every parenthesis is closed, quoted or not."""
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


_OPERATORS = frozenset(["<", ">", "|", "&", ";", "(", ")", "&&", "||", ">>", "<<"])
_EDGES = frozenset(["", " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">", "`"])
"""what may stand beside a keyword"""

_CHECKS = {
    "arithmetic_expansion": _Copy.calculated,
    "array": _Copy.worded,
    "c_style_for_statement": _Copy.grouped,
    "case_item": _Copy.separated,
    "case_statement": _Copy.bounded,
    "command": _Copy.worded,
    "command_substitution": _Copy.separated,
    "compound_statement": _Copy.grouped,
    "concatenation": _Copy.joined,
    "declaration_command": _Copy.declared,
    "do_group": _Copy.bounded,
    "elif_clause": _Copy.bounded,
    "else_clause": _Copy.bounded,
    "file_redirect": _Copy.redirected,
    "for_statement": _Copy.bounded,
    "function_definition": _Copy.bounded,
    "heredoc_redirect": _Copy.heredoc,
    "if_statement": _Copy.bounded,
    "list": _Copy.chained,
    "negated_command": _Copy.bounded,
    "pipeline": _Copy.chained,
    "process_substitution": _Copy.separated,
    "program": _Copy.separated,
    "subshell": _Copy.separated,
    "test_command": _Copy.tested,
    "unset_command": _Copy.declared,
    "variable_assignments": _Copy.worded,
    "while_statement": _Copy.bounded,
}
"""checks that need all children of a node"""
