"""The language of awk: which files a program reads and writes, what it runs, whether it looks at the environment."""

import re

from workbench.policy.call import Verb
from workbench.shell.gate.command import Command
from workbench.shell.gate.stream import UNKNOWN
from workbench.shell.gate.values import ANY

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\r]+|\\\n) | (?P<end>[\n;{}]) | (?P<comment>\#[^\n]*) | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+) | (?P<name>[A-Za-z_]\w*)
    | (?P<sign>\|\||&&|\|&|>>|[<>=!+\-*/%^~]=|\+\+|--|!~|\*\*|[-+*/%^!<>|?:,()\[\]$~=@])
    """,
    re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.|\[:\w+:\])*\])*/")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "/": "/"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_RARE = re.compile(r"\\[^nt\\\"/]", re.DOTALL)
_OPERANDS = frozenset([")", "]", "++", "--"])
_STREAMS = frozenset(["/dev/stdout", "/dev/stderr", "/dev/null", "/dev/stdin", "-"])
Token = tuple[str, str]


class Awk:
    """One program text that is wholly known."""

    def __init__(self, command: Command, text: str) -> None:
        self.command = command
        self.text = text

    def judge(self) -> None:
        tokens = self.tokens()
        if tokens is None:
            self.command.opaque("what the awk program does")
            return
        depth, printing = 0, -1
        for at, (kind, text) in enumerate(tokens):
            if text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
            elif kind == "end":
                depth, printing = 0, -1
            elif kind == "name":
                if text in ("print", "printf"):
                    printing = depth
                self.name(text, tokens, at)
            elif kind == "sign":
                self.sign(text, tokens, at, printing=printing == depth)

    def tokens(self) -> list[Token] | None:
        """The program as tokens, or None where a character fits nothing."""
        found: list[Token] = []
        at = 0
        while at < len(self.text):
            before = found[-1] if found else ("end", "")
            value = before[0] in ("number", "string", "regex") or before[1] in _OPERANDS
            value = value or (before[0] == "name" and before[1] not in ("print", "printf", "return", "in", "getline"))
            if self.text[at] == "/" and not value:
                match, kind = _REGEX.match(self.text, at), "regex"
            else:
                match = _TOKEN.match(self.text, at)
                kind = (match.lastgroup or "") if match else ""
            if match is None:
                return None
            if kind not in ("blank", "comment"):
                found.append((kind, match[0]))
            at = match.end()
        return found

    def name(self, text: str, tokens: list[Token], at: int) -> None:
        if text == "ENVIRON":
            self.command.effect(Verb.SECRET, "", "the environment")
        elif text == "system":
            given = tokens[at + 1 : at + 4]
            if len(given) == 3 and given[1][0] == "string" and given[2][1] == ")":
                self.command.run(_text(given[1][1]), UNKNOWN)
            else:
                self.command.opaque("what awk runs")
        elif text == "getline":
            self.getline(tokens, at)

    def getline(self, tokens: list[Token], at: int) -> None:
        """`getline [name] < file` reads a file."""
        rest = tokens[at + 1 : at + 4]
        while rest and rest[0][1] != "<" and rest[0][0] == "name":
            rest = rest[1:]
        if rest and rest[0][1] == "<" and len(rest) > 1:
            if rest[1][0] == "string":
                self.command.read(_text(rest[1][1]))
            else:
                self.command.opaque("which file awk reads")

    def sign(self, text: str, tokens: list[Token], at: int, *, printing: bool) -> None:
        if text == "@" or text == "|&":
            self.command.opaque("what awk runs or connects to")
        elif text == "|":
            before, after = tokens[at - 1], tokens[at + 1] if at + 1 < len(tokens) else ("end", "")
            if after[1] == "getline" and before[0] == "string" and (at < 2 or tokens[at - 2][0] in ("end", "sign")):
                self.command.run(_text(before[1]), UNKNOWN)
            elif printing and after[0] == "string" and self.ends(tokens, at + 2):
                self.command.run(_text(after[1]), UNKNOWN)
            else:
                self.command.opaque("what awk runs")
        elif text in (">", ">>") and printing:
            after = tokens[at + 1] if at + 1 < len(tokens) else ("end", "")
            if after[0] == "string" and self.ends(tokens, at + 2):
                if _text(after[1]) not in _STREAMS:
                    self.command.write(_text(after[1]))
            else:
                self.command.opaque("where awk writes")

    def ends(self, tokens: list[Token], at: int) -> bool:
        return at >= len(tokens) or tokens[at][0] == "end"


def _text(literal: str) -> str:
    """The value of a string; one with escapes that differ between the awks is unknown."""
    if _RARE.search(literal):
        return ANY
    return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], literal[1:-1])
