"""The one walk over the tree: control flow as bash runs it, every simple command judged where it stands.

States only widen: where two ways meet the scopes are joined, a loop over known words is walked once for each word, and
what a loop may change before it is read is unknown from its start.
"""

from collections.abc import Callable

from workbench.shell.gate.command import Command
from workbench.shell.gate.redirect import KINDS, Redirected, redirect
from workbench.shell.gate.scope import Function, Scope
from workbench.shell.gate.simple import JUMPS, Commands
from workbench.shell.gate.stream import NOTHING, UNKNOWN, Stream, alternatives, merge
from workbench.shell.gate.values import ANY, BENEATH, MANY, SOME, static, unknown
from workbench.shell.gate.words import expand, value
from workbench.shell.parse import Node
from workbench.shell.tokens import STATEMENTS, WORDS

MAX_TURNS = 12
"""words of a `for` that are walked one by one"""

_SIGNS = frozenset(
    [";", ";;", "&", "\n", "(", ")", "{", "}", "do", "done", "then", "fi", "comment", "if", "while", "until"]
)
"""what may stand between statements"""
_COMMANDS = frozenset(["command", "declaration_command", "unset_command"])


class Walk(Commands):
    """Walks one command: sequences, lists, pipelines, branches, loops, functions."""

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
        skipped: list[Scope] = []
        for sign, following in reversed(links):
            out = alternatives(out, merge(out, self.linked(sign, following, scope, stdin, skipped)))
        for way in skipped:
            scope.join(way)
        return out

    def linked(self, sign: str, node: Node, scope: Scope, stdin: Stream, skipped: list[Scope]) -> Stream:
        """What comes after `&&`, where all before it succeeded, or after `||`, where something failed.

        `skipped` holds the states in which something before was left out.
        """
        if sign == "&&":
            skipped.append(scope.fork())
            return self.statement(node, scope, stdin)
        failed = scope.fork()
        for way in skipped:
            failed.join(way)
        failed.fail()
        out = self.statement(node, failed, stdin)
        skipped.clear()
        if failed.ended:
            scope.sure()
        else:
            scope.join(failed)
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
        behind = [k for k in (*rest, *tails) if k.kind in KINDS or k.kind in WORDS]
        if body is None or body.kind in _COMMANDS:
            first = body or Node("command", node.start, node.start, [])
            out = self.simple(Node(first.kind, first.start, first.end, [*first.kids, *behind]), scope, stdin)
        else:
            out = self.compound(body, [k for k in behind if k.kind in KINDS], scope, stdin)
        sign = ""
        for kid in tails:
            if kid.kind in ("&&", "||"):
                sign = kid.kind
            elif kid.kind == "pipeline" and not sign:
                out = self.pipeline(kid, scope.fork(), out)
            elif kid.kind in STATEMENTS:
                after = scope.fork()
                out = alternatives(out, merge(out, self.linked(sign, kid, after, stdin, [])))
                scope.join(after)
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
            self.enter(
                self.draft((*self.key, start, end), [self.text[start:end]], self.where(start, end)), command.effects
            )
        command.finish()
        out = self.statement(body, scope, stdin if found.stdin is None else found.stdin.shared)
        return NOTHING if found.taken else out

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
        again = JUMPS.search(self.text, node.start, node.end) is not None or not all(map(static, words))
        for word in words:
            if again:
                self.forget(body, scope)
            turn = scope.fork()
            self.assign(name, word, turn)
            out = alternatives(out, self.sequence(body.kids, turn, stdin))
            if again:
                self.forget(body, turn)
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
        """A function: walked when it is called. Redirections behind it are done at each call; they are judged here."""
        name = next(k for k in node.kids if k.kind == "word")
        body = next(k for k in reversed(node.kids) if k.kind in STATEMENTS)
        redirects = [k for k in node.kids if k.kind in KINDS]
        if redirects:
            nothing = Node("compound_statement", body.start, body.start, [Node("{", body.start, body.start, [])])
            self.compound(nothing, redirects, scope, stdin)
        scope.functions[self.text[name.start : name.end]] = Function(body, self.text)
        return NOTHING

    def bare(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """Assignments without a command."""
        kids = node.kids if node.kind == "variable_assignments" else [node]
        return self.simple(Node("command", node.start, node.end, kids), scope, stdin)


def _lowered(node: Node, redirects: list[Node]) -> Node:
    """The grammar hangs redirections on a whole list or pipeline; they belong to its last command."""
    last = node.kids[-1]
    if last.kind in ("list", "pipeline", "negated_command"):
        lowered = _lowered(last, redirects)
    else:
        lowered = Node("redirected_statement", last.start, redirects[-1].end, [last, *redirects])
    return Node(node.kind, node.start, redirects[-1].end, [*node.kids[:-1], lowered])


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
