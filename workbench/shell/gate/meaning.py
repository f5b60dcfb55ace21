"""What the words of a script mean where they stand: variables, arithmetic, substitutions. Between ledger and commands.

Keeps the promises of `words.Host`.
"""

import re
from collections.abc import Callable, Iterator

from workbench.policy.call import Effect, Verb
from workbench.shell.gate import variables
from workbench.shell.gate.command import Command
from workbench.shell.gate.ledger import Ledger
from workbench.shell.gate.redirect import Redirected, redirect
from workbench.shell.gate.scope import Scope
from workbench.shell.gate.stream import UNKNOWN, Stream
from workbench.shell.gate.targets import Places
from workbench.shell.gate.values import ANY, SOME, static, unknown
from workbench.shell.gate.words import expand, piece, value
from workbench.shell.parse import Node
from workbench.shell.tokens import WORDS

_HIDDEN = re.compile(r"\[[^\]\n]*(?:\$\(|`)")
"""a subscript with a command in it: arithmetic runs it even out of a variable"""
_ASSIGNING = re.compile(r"[^=!<>]=(?!=)|\+\+|--")
_CALCULATED = re.compile(r"[\[`$]")


class Meaning(Ledger):
    """A ledger that knows the script it is about."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.text = ""
        """the script that nodes have their offsets in"""
        self.quiet = False
        """variables are only tested, not shown"""

    def sequence(self, nodes: list[Node], scope: Scope, stdin: Stream) -> Stream:
        """Walk statements; `walk` does."""
        raise NotImplementedError  # pragma: no cover

    def mentions_secret(self) -> bool:
        """Whether any word of the script looks like the path of a credential."""
        raise NotImplementedError  # pragma: no cover

    def run_text(self, text: str, scope: Scope, stdin: Stream) -> Stream:
        """Judge a script that the command being judged runs."""
        raise NotImplementedError  # pragma: no cover

    def run_words(
        self, words: list[str], scope: Scope, stdin: Stream, *, here: bool = False, functions: bool = False
    ) -> Stream:
        """Judge a command that the command being judged runs."""
        raise NotImplementedError  # pragma: no cover

    def judged[T](self, command: Command, look: Callable[[], T]) -> T:
        """Look at words so that what is noted about them belongs to `command`."""
        outer, self.sink = self.sink, command.effects
        try:
            return look()
        finally:
            self.sink = outer

    # -- variables ---------------------------------------------------------------------------------------------------

    def variable(self, name: str, scope: Scope) -> str:
        """The value of a variable that is used; one that looks like a secret is one."""
        found = scope.value(name)
        if found == ANY and not self.quiet and not scope.assigned(name) and variables.secret(name):
            self.note(Effect(Verb.SECRET, f"${name}", "a variable that looks like a credential"))
        return found

    def assign(self, name: str, value: str, scope: Scope, *, exported: bool = False) -> None:
        """A variable gets a value, which may be one that programs act on."""
        why = variables.assigning(name, value, exported=exported)
        if why:
            self.opaque(why)
        scope.variables[name] = value

    def assignment(self, node: Node, scope: Scope) -> Iterator[tuple[str, str]]:
        """Name and value; arrays are kept in the scope and give none."""
        target, sign = node.kids[0], node.kids[1].kind
        given = node.kids[2] if len(node.kids) > 2 else None
        name = self.text[target.start : target.end]
        if target.kind == "subscript":
            self.arithmetic(target, scope)
            name = self.text[target.kids[0].start : target.kids[0].end]
            found = value(self, given, scope)
            scope.arrays.pop(name, None)
            yield name, ANY + found if not static(found) else ANY
        elif given is not None and given.kind == "array":
            words = [w for k in given.kids if k.kind in WORDS for w in expand(self, k, scope)]
            known = scope.arrays.get(name, ()) if sign == "+=" else ()
            scope.arrays[name] = (*known, *words)
            scope.variables.pop(name, None)
            self.assign_array(name)
        else:
            found = value(self, given, scope)
            scope.arrays.pop(name, None)
            yield name, (scope.value(name) + found if sign == "+=" else found)

    def assign_array(self, name: str) -> None:
        """An array of this name may be one that programs act on."""
        why = variables.assigning(name, ANY, exported=False)
        if why:
            self.opaque(why)

    def forget(self, node: Node, scope: Scope) -> None:
        """What is assigned anywhere beneath `node` is unknown from here on."""
        for name in self.assigned(node):
            scope.variables[name] = ANY
            scope.arrays.pop(name, None)

    def assigned(self, node: Node) -> Iterator[str]:
        """Names that anything beneath `node` may give a value, `read` and arithmetic included."""
        if node.kind == "variable_name":
            yield self.text[node.start : node.end]
        elif node.kind == "word" and (text := self.text[node.start : node.end]).isidentifier():
            yield text
        for kid in node.kids:
            yield from self.assigned(kid)

    # -- what expansions need ------------------------------------------------------------------------------------------

    def substitute(self, node: Node, scope: Scope) -> str:
        """What the commands of a substitution print."""
        inner = node.kids[1:-1]
        sink, quiet, self.sink, self.quiet = self.sink, self.quiet, self.loose, False
        try:
            if self.text[node.start] == "`" and "\\" in self.text[node.start : node.end]:
                text = re.sub(r"\\([$`\\])", r"\1", self.text[node.start + 1 : node.end - 1])
                out = self.run_text(text, scope.fork(), UNKNOWN)
            elif len(inner) == 1 and inner[0].kind == "file_redirect":
                command = Command([], scope.fork(), UNKNOWN, self)
                found = Redirected()
                self.judged(command, lambda: redirect(self, inner[0], command, found))
                sink += command.effects
                out = found.stdin or UNKNOWN
            else:
                out = self.sequence(inner, scope.fork(), UNKNOWN)
        finally:
            self.sink, self.quiet = sink, quiet
        return out.text if out.text is not None else out.lines

    def process(self, node: Node, scope: Scope) -> str:
        """The path of a process substitution; what flows out of `<(…)` is remembered by it."""
        sink, self.sink = self.sink, self.loose
        try:
            out = self.sequence(node.kids[1:-1], scope.fork(), UNKNOWN)
        finally:
            self.sink = sink
        path = f"/dev/fd/{63 - len(self.pipes)}"
        self.pipes[path] = out
        return path

    def arithmetic(self, node: Node, scope: Scope) -> None:
        """Arithmetic runs the substitutions in it, and those in the text of the variables it names."""
        changes = _ASSIGNING.search(self.text, node.start, node.end) is not None
        roots = node.kids if node.kind in ("arithmetic_expansion", "expansion") else [node]
        for leaf in [leaf for root in roots for leaf in leaves(root)]:
            if leaf.kind in ("variable_name", "word", "simple_expansion"):
                name = self.text[leaf.start : leaf.end].lstrip("$ ")
                known = scope.value(name) if name.isidentifier() else ""
                if _CALCULATED.search(known) or (unknown(known) and _HIDDEN.search(self.text)):
                    self.opaque("what arithmetic runs")
                if changes and name.isidentifier():
                    self.assign(name, SOME, scope)
            elif leaf.kind in WORDS and leaf.kind != "number":
                found = piece(self, leaf, scope, quoted=True)
                if leaf.kind in ("string", "raw_string", "ansi_c_string") and _CALCULATED.search(found):
                    self.opaque("what arithmetic runs")


def leaves(node: Node) -> Iterator[Node]:
    """The words and signs beneath `node`, in order."""
    if node.kind != "subscript" and (not node.kids or node.kind in WORDS):
        yield node
        return
    for kid in node.kids:
        yield from leaves(kid)
