"""The language of sed: which files a script reads and writes, and whether it runs something."""

import re

from workbench.shell.gate.command import Command

_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)\s*")
_FLAGS = re.compile(r"[gpiImM0-9]*")
_LABEL = re.compile(r"[^\n;}]*")
_LINE = re.compile(r"[^\n]*")
_TEXT = re.compile(r"(?:[^\n\\]|\\.|\\\n)*", re.DOTALL)
_SIMPLE = frozenset("dDgGhHnNpPxzF=")
_NUMBERED = frozenset("qQlL")


class _Unclear(Exception):
    """The script is not one that can be followed here."""


def script_of(command: Command, text: str) -> None:
    """Judge a script that is wholly known."""
    try:
        _Script(command, text).walk()
    except _Unclear as e:
        command.opaque(f"what the sed script does ({e})")


class _Script:
    def __init__(self, command: Command, text: str) -> None:
        self.command = command
        self.text = text
        self.at = 0

    def take(self, rule: re.Pattern[str]) -> str:
        found = rule.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def walk(self) -> None:
        while self.at < len(self.text):
            if self.peek() in " \t\n;}":
                self.at += 1
            elif self.peek() == "#":
                self.take(_LINE)
            else:
                self.addresses()
                self.one()

    def addresses(self) -> None:
        while True:
            before = self.at
            self.take(_ADDRESS)
            if self.peek() in ("/", "\\"):
                if self.peek() == "\\":
                    self.at += 1
                self.delimited()
                while self.peek() in ("I", "M"):
                    self.at += 1
            if self.peek() in (",", "!", " ", "\t") and self.peek():
                self.at += 1
            elif self.at == before:
                return

    def delimited(self) -> None:
        """A pattern between two equal signs; the first is the next character."""
        mark = self.peek()
        if not mark or mark in "\\\n":
            raise _Unclear("a pattern without a delimiter")
        self.at += 1
        self.until(mark)

    def until(self, mark: str) -> str:
        start = self.at
        while self.peek() != mark:
            if not self.peek():
                raise _Unclear("a pattern without an end")
            if self.peek() == "[" and mark in self.text[self.at : self.text.find("]", self.at + 2) + 1]:
                raise _Unclear("a delimiter inside brackets")
            self.at += 2 if self.peek() == "\\" else 1
        self.at += 1
        return self.text[start : self.at - 1]

    def one(self) -> None:
        """One command."""
        letter = self.peek()
        self.at += 1
        if letter in _SIMPLE or letter == "{" or letter == "":
            return
        if letter in _NUMBERED:
            self.take(re.compile(r"\s*\d*"))
        elif letter in "btT:":
            self.take(_LABEL)
        elif letter in "aic":
            self.take(_TEXT)
        elif letter in "rRwW":
            self.file(letter)
        elif letter == "s":
            self.substitution()
        elif letter == "y":
            self.delimited()
            self.at -= 1
            self.delimited()
        elif letter == "e":
            self.take(_LINE)
            raise _Unclear("it runs a program")
        else:
            raise _Unclear(f"it holds {letter!r}")

    def file(self, letter: str) -> None:
        name = self.take(_LINE).strip(" \t")
        if not name:
            raise _Unclear("a file without a name")
        if letter in "rR":
            self.command.read(name)
        else:
            self.command.write(name)

    def substitution(self) -> None:
        mark = self.peek()
        self.delimited()
        self.until(mark)
        while True:
            self.take(_FLAGS)
            if self.peek() == "w":
                self.at += 1
                self.file("w")
                return
            if self.peek() == "e":
                raise _Unclear("it runs a program")
            if self.peek() in ("", "\n", ";", "}", " ", "\t", "#"):
                return
            raise _Unclear(f"the flag {self.peek()!r}")
