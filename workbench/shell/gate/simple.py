"""Simple commands: their words and redirections, functions of the script, and commands that other commands run.

Keeps the promises of `command.Runner`.
"""

import re

from workbench.policy.call import Verb
from workbench.policy.rules import path_effects
from workbench.shell.gate import programs
from workbench.shell.gate.command import Command
from workbench.shell.gate.ledger import Key
from workbench.shell.gate.meaning import Meaning, leaves
from workbench.shell.gate.redirect import KINDS, Redirected, redirect
from workbench.shell.gate.scope import Function, Scope
from workbench.shell.gate.stream import NOTHING, UNKNOWN, Stream, merge
from workbench.shell.gate.targets import Places
from workbench.shell.gate.values import ANY, MANY, static
from workbench.shell.gate.words import expand, value
from workbench.shell.parse import Node, parse
from workbench.shell.tokens import WORDS

MAX_DEPTH = 24
"""scripts within scripts and functions within functions"""

DECLARING = frozenset(["declare", "export", "local", "readonly", "typeset", "unset", "unsetenv"])
"""builtins whose names are signs in the grammar"""

JUMPS = re.compile(r"\b(?:break|continue|return)\b")
"""after these the rest of a body may be left out"""


class Commands(Meaning):
    """Judges simple commands and enters them in the ledger."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.key: Key = ()
        """where in the scripts within scripts the walk is"""
        self.span: tuple[int, int] | None = None
        """where in the whole text the script being walked stands, when it is an inner one"""
        self.depth = 0
        self.calls: list[str] = []
        """functions that are being called"""

    def statement(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """Walk one statement; `walk` does."""
        raise NotImplementedError  # pragma: no cover

    def where(self, start: int, end: int) -> tuple[int, int]:
        """The span of a piece of the current script in the whole text."""
        return self.span or (start, end)

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

    def mentions_secret(self) -> bool:
        """Whether any word of the script looks like the path of a credential."""
        return any(
            effect.verb == Verb.SECRET
            for word in re.split(r"[\s'\"=:;|&(){}<>,$`]+", self.text)
            for effect in path_effects(word.rstrip("*?"), "read")
        )

    # -- simple commands ---------------------------------------------------------------------------------------------

    def simple(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """A simple command: assignments, words, redirections, in any order."""
        command = Command([], scope, stdin, self)
        found = Redirected()
        quiet = self.quiet
        self.judged(command, lambda: self.look(node, command, found))
        self.quiet = quiet
        if found.stdin is not None:
            command.stdin = found.stdin
            if command.words == ["exec"]:
                self.judged(command, lambda: self.opaque("what later commands read"))
        out = self.judge(command, (*self.key, node.start, node.end), self.where(node.start, node.end), functions=True)
        return NOTHING if found.taken else out

    def look(self, node: Node, command: Command, found: Redirected) -> None:
        """Take the words of a simple command, and judge its assignments and redirections."""
        assigned: list[tuple[str, str]] = []
        words, scope = command.words, command.scope
        for kid in node.kids:
            if kid.kind in WORDS:
                words += expand(self, kid, scope)
            elif kid.kind == "command_name":
                words += expand(self, kid.kids[0], scope)
                self.quiet = self.quiet or words == ["test"]
            elif kid.kind in KINDS:
                words += redirect(self, kid, command, found)
            elif kid.kind in DECLARING:
                words.append(kid.kind)
            elif kid.kind == "variable_assignment":
                pairs = self.assignment(kid, scope)
                if words and words[0] in DECLARING:
                    words += [f"{name}={given}" for name, given in pairs]
                else:
                    assigned.extend(pairs)
            elif kid.kind == "variable_name":
                words.append(self.text[kid.start : kid.end])
            else:
                self.opaque(f"what a {kid.kind.replace('_', ' ')} does")
        for name, given in assigned:
            self.assign(name, given, scope.fork() if words else scope, exported=bool(words))

    def test(self, node: Node, scope: Scope, stdin: Stream) -> Stream:
        """`[ … ]` and `[[ … ]]`: their words as a command, which the judge of `test` looks at."""
        command = Command([], scope, stdin, self)
        outer, self.quiet = self.quiet, True

        def look() -> None:
            for leaf in list(leaves(node)):
                if leaf.kind in WORDS:
                    command.words.append(value(self, leaf, scope))
                    continue
                if leaf.kind == "variable_name":
                    self.arithmetic(leaf, scope)
                command.words.append(self.text[leaf.start : leaf.end].strip())

        try:
            self.judged(command, look)
        finally:
            self.quiet = outer
        return self.judge(command, (*self.key, node.start, node.end), self.where(node.start, node.end), functions=False)

    # -- judging -----------------------------------------------------------------------------------------------------

    def judge(self, command: Command, key: Key, span: tuple[int, int], *, functions: bool) -> Stream:
        """Judge a command whose words are known, and enter it."""
        words = command.words
        if not self.step():
            return UNKNOWN
        function = command.scope.functions.get(words[0]) if words and functions else None
        if not words and not command.effects:
            return NOTHING
        if function is not None and function.certain and not command.effects:
            return self.call(words, function, command)
        draft = self.draft(key, words, span)
        out = NOTHING
        outer = self.key, self.span
        self.key, self.span = (*key, "in"), span
        try:
            if function is not None:
                out = self.call(words, function, command)
            if words and (function is None or not function.certain):
                self.judged(command, lambda: programs.judge(command))
            elif not words:
                command.out = NOTHING
        finally:
            self.key, self.span = outer
        out = merge(out, command.finish())
        self.enter(draft, command.effects)
        return out

    def run_words(
        self, words: list[str], scope: Scope, stdin: Stream, *, here: bool = False, functions: bool = False
    ) -> Stream:
        """Judge a command that the command being judged runs."""
        if self.depth >= MAX_DEPTH:
            self.problem("It is nested too deeply.")
            return UNKNOWN
        command = Command(words, scope if here else scope.fork(), stdin, self)
        self.depth += 1
        try:
            return self.judge(command, (*self.key, *words), self.span or (0, len(self.text)), functions=functions)
        finally:
            self.depth -= 1

    def call(self, words: list[str], function: Function, command: Command) -> Stream:
        """A function of the script runs in the scope of its caller; what it declares for itself is gone afterwards."""
        scope = command.scope
        if words[0] in self.calls or len(self.calls) >= MAX_DEPTH:
            self.problem("It holds a function that calls itself.")
            return UNKNOWN
        before, arguments = scope.fork(), scope.arguments
        scope.arguments = tuple(words[1:]) if not any(MANY in w for w in words[1:]) else None
        outer = self.text, self.key
        self.text, self.key = function.text, (*self.key, "function", words[0])
        self.calls.append(words[0])
        try:
            leaves_early = JUMPS.search(function.text) is not None
            if leaves_early:
                self.forget(function.body, scope)
            out = self.statement(function.body, scope, command.stdin)
            if leaves_early:
                self.forget(function.body, scope)
        finally:
            self.calls.pop()
            self.text, self.key = outer
        scope.arguments = arguments
        for name in scope.local:
            if scope.variables.get(name) != before.variables.get(name):
                scope.variables[name] = ANY
        return out
