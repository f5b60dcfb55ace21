"""The one walk over the tree: control flow as bash runs it, every simple command judged where it stands.

States only widen: where two ways meet the scopes are joined, a loop over known words is walked once for each word, and
what a loop may change before it is read is unknown from its start.
"""

import re
from collections.abc import Callable, Iterator

from workbench.policy.call import Effect, Verb
from workbench.shell.gate import programs, variables
from workbench.shell.gate.command import Command
from workbench.shell.gate.ledger import Key, Ledger
from workbench.shell.gate.redirect import KINDS, Redirected, redirect
from workbench.shell.gate.scope import Function, Scope
from workbench.shell.gate.stream import NOTHING, UNKNOWN, Stream, alternatives, merge
from workbench.shell.gate.targets import Places
from workbench.shell.gate.values import ANY, BENEATH, MANY, SOME, static, unknown
from workbench.shell.gate.words import expand, piece, value
from workbench.shell.parse import Node, parse
from workbench.shell.tokens import STATEMENTS, WORDS

MAX_TURNS = 12
"""words of a `for` that are walked one by one"""
MAX_DEPTH = 24
"""scripts within scripts and functions within functions"""

DECLARING = frozenset(["declare", "export", "local", "readonly", "typeset", "unset", "unsetenv"])
"""builtins whose names are signs in the grammar"""

_HIDDEN = re.compile(r"\[[^\]\n]*(?:\$\(|`)")
"""a subscript with a command in it: arithmetic runs it even out of a variable"""
_SIGNS = frozenset([";", ";;", "&", "\n", "(", ")", "{", "}", "do", "done", "then", "fi", "comment", "if", "while", "until"])
_JUMPS = re.compile(r"\b(?:break|continue|return)\b")
_ASSIGNING = re.compile(r"[^=!<>]=(?!=)|\+\+|--")


class Walk(Ledger):
    """Walks one command. Keeps the promises of `words.Host` and `command.Runner`."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.text = ""
        self.key: Key = ()
        self.span: tuple[int, int] | None = None
        """where in the whole text the script being walked stands, when it is an inner one"""
        self.depth = 0
        self.calls: list[str] = []
        self.quiet = False
        """variables are only tested, not shown"""

    # -- scripts -----------------------------------------------------------------------------------------------------

    def script(self, text: str, scope: Scope, stdin: Stream) -> Stream:
        """Walk a whole script."""
        parsed = parse(text)
        for sentence in parsed.problems:
            self.problem(sentence)
        if parsed.root is None:
            return UNKNOWN
        outer, self.text = self.text, text
        try:
            return self.sequence(parsed.root.kids, scope, stdin)
        finally:
            self.text = outer

    def run_text(self, text: str, scope: Scope, stdin: Stream) -> Stream:
        """Judge a script that the command being judged runs."""
        if not static(text):
            self.opaque("a script that is put together when it runs")
            return UNKNOWN
        if self.depth >= MAX_DEPTH:
            self.problem("It is nested too deeply.")
            return UNKNOWN
        key, self.key = self.key, (*self.key, text)
        self.depth += 1
        try:
            return self.script(text, scope, stdin)
        finally:
            self.key, self.depth = key, self.depth - 1

    # -- statements --------------------------------------------------------------------------------------------------

    def sequence(self, nodes: list[Node], scope: Scope, stdin: Stream) -> Stream:
        """Statements one after the other, with the signs between them."""
        out = NOTHING
        for node, following in zip(nodes, [*nodes[1:], None], strict=False):
            if node.kind in STATEMENTS:
                background = following is not None and following.kind == "&"
                out = merge(out, self.statement(node, scope.fork() if background else scope, stdin))
                scope.settle()
            elif node.kind not in _SIGNS:
                self.problem(f"It holds {node.kind.replace('_', ' ')} where a command could be.")
        return out

    def statement(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """One statement."""
        walk = _STATEMENTS.get(node.kind)
        if walk is not None:
            return walk(self, node, scope, stdin)
        self.problem(f"It holds {node.kind.replace('_', ' ')}, which is not known here.")
        return UNKNOWN

    def negated(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        return self.statement(node.kids[-1], scope, stdin)

    def chain(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`a && b || c`, which the grammar nests to the left."""
        links: list[tuple[str, Node]] = []
        while node.kind == "list":
            kids = [k for k in node.kids if k.kind != "comment"]
            links.append((kids[1].kind, kids[2]))
            node = kids[0]
        out = self.statement(node, scope, stdin)
        for sign, following in reversed(links):
            out = alternatives(out, merge(out, self.either(sign, following, scope, stdin)))
        return out

    def either(self, sign: str, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """What comes after `&&` or `||` and may not run."""
        after = scope.fork()
        if sign == "||":
            after.fail()
        out = self.statement(node, after, stdin)
        if sign == "||" and after.ended:
            scope.sure()
        else:
            scope.join(after)
        return out

    def pipeline(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        for stage in node.kids:
            if stage.kind in STATEMENTS:
                alone = stage.kind in _COMMANDS or stage.kind == "redirected_statement"
                stdin = self.statement(stage, scope.fork(), stdin if alone else stdin.shared)
        return stdin

    def redirected(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """A statement with redirections behind it, and what the grammar puts behind a here-document."""
        body = node.kids[0] if node.kids[0].kind not in KINDS else None
        rest = node.kids[1:] if body else node.kids
        if body is not None and body.kind in ("list", "pipeline", "negated_command"):
            return self.statement(_lowered(body, rest), scope, stdin)
        tails = [k for r in rest if r.kind == "heredoc_redirect" for k in r.kids[2:]]
        redirects = [k for k in (*rest, *tails) if k.kind in KINDS]
        if body is None or body.kind in _COMMANDS:
            words = [k for k in (*rest, *tails) if k.kind in WORDS]
            out = self.simple(body or Node("command", node.start, node.start, []), scope, stdin, redirects, words)
        else:
            out = self.compound(body, redirects, scope, stdin)
        sign = ""
        for kid in tails:
            if kid.kind in ("&&", "||"):
                sign = kid.kind
            elif kid.kind == "pipeline" and not sign:
                out = self.pipeline(kid, scope.fork(), out)
            elif kid.kind in STATEMENTS:
                out = alternatives(out, merge(out, self.either(sign, kid, scope, stdin)))
        return out

    def compound(self, body: Node, redirects: list[Node], scope: Scope, stdin: Stream) -> Stream:
        """A loop, a group, a list … with redirections: they count as a command of their own."""
        start, end = redirects[0].start, redirects[-1].end
        command = Command([], scope, stdin, self)
        found = Redirected()
        with_words = self.judged(command, lambda: [w for r in redirects for w in redirect(self, r, command, found)])
        if with_words:
            self.problem("It holds words after a redirection where none can be.")
        if command.effects:
            self.enter(self.draft((*self.key, start, end), [self.text[start:end]], self.where(start, end)), command.effects)
        command.finish()
        out = self.statement(body, scope, stdin if found.stdin is None else found.stdin.shared)
        return NOTHING if found.taken else out

    # -- simple commands ---------------------------------------------------------------------------------------------

    def judged[T](self, command: Command, look: Callable[[], T]) -> T:
        """Look at words so that what is noted about them belongs to `command`."""
        outer, self.sink = self.sink, command.effects
        try:
            return look()
        finally:
            self.sink = outer

    def where(self, start: int, end: int) -> tuple[int, int]:
        return self.span or (start, end)

    def simple(
        self, node: Node, scope: Scope, stdin: Stream, redirects: list[Node] | None = None, more: list[Node] | None = None
    ) -> Stream:
        """A simple command: assignments, words, redirections, in any order."""
        command = Command([], scope, stdin, self)
        found = Redirected()
        assigned: list[tuple[str, str]] = []

        def look() -> None:
            for kid in (*node.kids, *(more or ()), *(redirects or ())):
                if kid.kind in DECLARING:
                    command.words.append(kid.kind)
                elif kid.kind in KINDS:
                    command.words += redirect(self, kid, command, found)
                elif kid.kind == "variable_assignment" and command.words and command.words[0] in DECLARING:
                    command.words += [f"{name}={given}" for name, given in self.assignment(kid, scope)]
                elif kid.kind == "variable_assignment":
                    assigned.extend(self.assignment(kid, scope))
                elif kid.kind == "variable_name":
                    command.words.append(self.text[kid.start : kid.end])
                elif kid.kind == "command_name":
                    command.words += expand(self, kid.kids[0], scope)
                elif kid.kind in WORDS:
                    command.words += expand(self, kid, scope)
                else:
                    self.opaque(f"what a {kid.kind.replace('_', ' ')} does")
            for name, given in assigned:
                self.assign(name, given, scope.fork() if command.words else scope, exported=bool(command.words))

        self.judged(command, look)
        if found.stdin is not None:
            command.stdin = found.stdin
            if command.words == ["exec"]:
                self.judged(command, lambda: self.opaque("what later commands read"))
        out = self.judge(command, (*self.key, node.start, node.end), self.where(node.start, node.end), functions=True)
        return NOTHING if found.taken else out

    def judge(self, command: Command, key: Key, span: tuple[int, int], *, functions: bool) -> Stream:
        """Judge a command whose words are known, and enter it."""
        if not self.step():
            return UNKNOWN
        words = command.words
        function = command.scope.functions.get(words[0]) if words and functions else None
        if not words and not command.effects:
            return NOTHING
        if function is not None and function.certain and not command.effects:
            return self.call(words, function, command)
        draft = self.draft(key, words, span)
        key, self.key = self.key, (*key, "in")
        span, self.span = self.span, span  # type: ignore[assignment]
        try:
            out = NOTHING
            if function is not None:
                out = self.call(words, function, command)
            if words and (function is None or not function.certain):
                self.judged(command, lambda: programs.judge(command))
            elif words == []:
                command.out = NOTHING
        finally:
            self.key, self.span = key, span
        out = merge(out, command.finish())
        self.enter(draft, command.effects)
        return out

    def run_words(self, words: list[str], scope: Scope, stdin: Stream, *, shell: bool = False) -> Stream:
        """Judge a command that the command being judged runs. `shell`: it is a builtin's, so it may change the scope."""
        if self.depth >= MAX_DEPTH:
            self.problem("It is nested too deeply.")
            return UNKNOWN
        command = Command(words, scope if shell else scope.fork(), stdin, self)
        self.depth += 1
        try:
            return self.judge(command, (*self.key, *words), self.span or (0, len(self.text)), functions=False)
        finally:
            self.depth -= 1

    def call(self, words: list[str], function: Function, command: Command) -> Stream:
        """A function of the script runs in the scope of its caller."""
        scope = command.scope
        if words[0] in self.calls or len(self.calls) >= MAX_DEPTH:
            return UNKNOWN
        before, arguments = scope.fork(), scope.arguments
        scope.arguments = tuple(words[1:]) if not any(MANY in w for w in words[1:]) else None
        outer, self.text = self.text, function.text
        key, self.key = self.key, (*self.key, "function", words[0])
        self.calls.append(words[0])
        try:
            if _JUMPS.search(function.text):
                self.forget(function.body, scope)
            out = self.statement(function.body, scope, command.stdin)
        finally:
            self.calls.pop()
            self.text, self.key = outer, key
        scope.arguments = arguments
        scope.ended = False
        for name in scope.local:
            if scope.variables.get(name) != before.variables.get(name):
                scope.variables[name] = ANY
        return out

    # -- control flow ------------------------------------------------------------------------------------------------

    def branches(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`if`: the condition runs, then one of the branches or none."""
        kids = node.kids
        cut = next(i for i, k in enumerate(kids) if k.kind == "then")
        out = self.sequence(kids[1:cut], scope, stdin)
        then = scope.fork()
        ends = [k for k in kids if k.kind in ("elif_clause", "else_clause")]
        out = alternatives(out, self.sequence([k for k in kids[cut:] if k not in ends], then, stdin))
        for clause in ends:
            if clause.kind == "elif_clause":
                out = alternatives(out, self.branches(clause, scope, stdin))
            else:
                other = scope.fork()
                out = alternatives(out, self.sequence(clause.kids[1:], other, stdin))
                scope.join(other)
        scope.join(then)
        return out

    def loop(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`while` and `until`: what the body assigns is unknown from the start."""
        self.forget(node, scope)
        turn = scope.fork()
        body = node.kids[-1]
        out = self.sequence(node.kids[1:-1], turn, stdin)
        scope.join(turn)
        out = alternatives(out, self.sequence(body.kids, turn, stdin))
        if turn.folders != scope.folders:
            turn.folders = None
            self.sequence(body.kids, turn, stdin)
        scope.join(turn)
        return out

    def each(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`for` and `select`: once for each known word, or once for what they have in common."""
        name = self.text[node.kids[1].start : node.kids[1].end]
        body = node.kids[-1]
        if any(k.kind == "in" for k in node.kids):
            words = [w for k in node.kids[3:-1] if k.kind in WORDS for w in expand(self, k, scope)]
        else:
            words = list(scope.arguments) if scope.arguments is not None else [MANY]
        if len(words) > MAX_TURNS or any(MANY in w for w in words):
            words = [common(words)]
        out = NOTHING
        again = _JUMPS.search(self.text, node.start, node.end) is not None or not all(map(static, words))
        for word in words:
            if again:
                self.forget(body, scope)
            turn = scope.fork()
            self.assign(name, word, turn)
            out = alternatives(out, self.sequence(body.kids, turn, stdin))
            scope.join(turn)
        return out

    def count(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`for ((…))`."""
        for kid in node.kids[1:-1]:
            if kid.kind == "variable_assignment":
                for name, _ in self.assignment(kid, scope):
                    self.assign(name, SOME, scope)
            elif kid.kids:
                self.arithmetic(kid, scope)
        self.forget(node, scope)
        turn = scope.fork()
        out = self.sequence(node.kids[-1].kids, turn, stdin.shared)
        scope.join(turn)
        return alternatives(NOTHING, out)

    def case(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        value(self, node.kids[1], scope)
        out, falls = NOTHING, False
        before = way = scope.fork()
        for item in (k for k in node.kids if k.kind == "case_item"):
            cut = next((i for i, k in enumerate(item.kids) if k.kind == ")"), 0)
            for pattern in item.kids[:cut]:
                if pattern.kind in WORDS:
                    value(self, pattern, before)
            last, way = way, before.fork()
            if falls:
                way.join(last)
            out = alternatives(out, self.sequence(item.kids[cut + 1 :], way, stdin.shared))
            scope.join(way)
            # `;&` and `;;&` go on with the next branch; the grammar was given `;;`
            end = self.text[item.kids[-1].start : item.kids[-1].start + 3]
            falls = end.startswith(";&") or end == ";;&"
        return out

    def group(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`{ … }`, and `((…))`, which the grammar gives the same kind."""
        if node.kids[0].kind == "((":
            for kid in node.kids:
                if kid.kids:
                    self.arithmetic(kid, scope)
            return NOTHING
        return self.sequence(node.kids, scope, stdin)

    def subshell(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        return self.sequence(node.kids, scope.fork(), stdin)

    def define(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """A function: walked when it is called; here too, in case it is called in a way that is not seen."""
        names = [k for k in node.kids if k.kind == "word"]
        name = self.text[names[0].start : names[0].end]
        body = next(k for k in reversed(node.kids) if k.kind in STATEMENTS)
        redirects = [k for k in node.kids if k.kind in KINDS]
        if redirects:
            self.compound(Node("compound_statement", body.start, body.start, [Node("{", body.start, body.start, [])]), redirects, scope, stdin)
        scope.functions[name] = Function(body, self.text)
        return NOTHING

    # -- assignments and tests ---------------------------------------------------------------------------------------

    def bare(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """Assignments without a command."""
        kids = node.kids if node.kind == "variable_assignments" else [node]
        return self.simple(Node("command", node.start, node.end, kids), scope, stdin)

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
        else:
            found = value(self, given, scope)
            scope.arrays.pop(name, None)
            yield name, (scope.value(name) + found if sign == "+=" else found)

    def assign(self, name: str, value: str, scope: Scope, *, exported: bool = False) -> None:
        """A variable gets a value, which may be one that programs act on."""
        why = variables.assigning(name, value, exported=exported)
        if why:
            self.opaque(why)
        scope.variables[name] = value

    def variable(self, name: str, scope: Scope) -> str:
        """The value of a variable that is used; one that looks like a secret is one."""
        found = scope.value(name)
        if found == ANY and not self.quiet and not scope.assigned(name) and variables.secret(name):
            self.note(Effect(Verb.SECRET, f"${name}", "a variable that looks like a credential"))
        return found

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

    def test(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`[ … ]` and `[[ … ]]`: their words as a command, which the judge of `test` looks at."""
        leaves = list(_leaves(node))
        command = Command([], scope, stdin, self)
        outer, self.quiet = self.quiet, True

        def look() -> None:
            for leaf in leaves:
                if leaf.kind in WORDS:
                    command.words.append(value(self, leaf, scope))
                elif leaf.kind.startswith("variable") or leaf.kind == "subscript":
                    self.arithmetic(leaf, scope)
                    command.words.append(self.text[leaf.start : leaf.end])
                else:
                    command.words.append(self.text[leaf.start : leaf.end].strip())

        try:
            self.judged(command, look)
        finally:
            self.quiet = outer
        return self.judge(command, (*self.key, node.start, node.end), self.where(node.start, node.end), functions=False)

    # -- what words need ---------------------------------------------------------------------------------------------

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
        text = self.text[node.start : node.end]
        changes = _ASSIGNING.search(text) is not None
        for leaf in [leaf for kid in node.kids or [node] for leaf in _leaves(kid)]:
            if leaf.kind in ("variable_name", "word", "simple_expansion"):
                name = self.text[leaf.start : leaf.end].lstrip("$ ")
                known = scope.value(name) if name.isidentifier() else ""
                if re.search(r"[\[`$]", known) or (unknown(known) and _HIDDEN.search(self.text)):
                    self.opaque("what arithmetic runs")
                if changes and name.isidentifier():
                    scope.variables[name] = SOME
            elif leaf.kind in WORDS and leaf.kind != "number":
                found = piece(self, leaf, scope, quoted=True)
                if leaf.kind in ("string", "raw_string", "ansi_c_string") and re.search(r"[\[`$]", found):
                    self.opaque("what arithmetic runs")


_COMMANDS = frozenset(["command", "declaration_command", "unset_command"])


def _lowered(node: Node, redirects: list[Node]) -> Node:
    """The grammar hangs redirections on a whole list or pipeline; they belong to its last command."""
    last = node.kids[-1]
    if last.kind in ("list", "pipeline", "negated_command"):
        lowered = _lowered(last, redirects)
    else:
        lowered = Node("redirected_statement", last.start, redirects[-1].end, [last, *redirects])
    return Node(node.kind, node.start, redirects[-1].end, [*node.kids[:-1], lowered])


def _leaves(node: Node) -> Iterator[Node]:
    """The words and signs beneath `node`, in order."""
    if not node.kids or node.kind in WORDS or node.kind == "subscript":
        if node.kind != "subscript":
            yield node
            return
    for kid in node.kids:
        yield from _leaves(kid)


def common(words: list[str]) -> str:
    """What any of these words may be."""
    if any(unknown(w) or w[:1] in ("-", "/", "~") or ".." in w for w in words):
        return ANY
    return BENEATH if any("/" in w or BENEATH in w for w in words) else SOME


_STATEMENTS: dict[str, Callable[[Walk, Node, Scope, Stream], Stream]] = {
    "c_style_for_statement": Walk.count,
    "case_statement": Walk.case,
    "command": Walk.simple,
    "compound_statement": Walk.group,
    "declaration_command": Walk.simple,
    "for_statement": Walk.each,
    "list": Walk.chain,
    "negated_command": Walk.negated,
    "pipeline": Walk.pipeline,
    "redirected_statement": Walk.redirected,
    "function_definition": Walk.define,
    "if_statement": Walk.branches,
    "subshell": Walk.subshell,
    "test_command": Walk.test,
    "unset_command": Walk.simple,
    "variable_assignment": Walk.bare,
    "variable_assignments": Walk.bare,
    "while_statement": Walk.loop,
}
