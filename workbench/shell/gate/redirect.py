"""Redirections: files read and written, sockets, here-documents, and what they make of the streams of a command."""

import re
from dataclasses import dataclass

from workbench.policy.call import Verb
from workbench.shell.gate.command import Command
from workbench.shell.gate.stream import Stream, of_text
from workbench.shell.gate.values import ANY, FETCHED, MARKS
from workbench.shell.gate.words import Host, between, expand, value
from workbench.shell.parse import Node
from workbench.shell.tokens import heredoc_quoted

KINDS = frozenset(["file_redirect", "heredoc_redirect", "herestring_redirect"])
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]*)")
_WRITES = frozenset([">", ">>", ">|", "&>", "&>>", ">&"])
_READS = frozenset(["<", "<&"])


@dataclass(slots=True)
class Redirected:
    """What the redirections of one command come to."""

    stdin: Stream | None = None
    taken: bool = False
    """its standard output goes to a file"""


def redirect(host: Host, node: Node, command: Command, found: Redirected) -> list[str]:
    """Judge one redirection into `found`. Gives further words of the command, which the grammar puts in its node."""
    if node.kind == "herestring_redirect":
        found.stdin = of_text(value(host, node.kids[-1], command.scope) + "\n")
        return []
    if node.kind == "heredoc_redirect":
        found.stdin = of_text(_heredoc(host, node, command))
        return []
    operator, descriptor, destinations = "", "", []
    for kid in node.kids:
        if kid.kind == "file_descriptor":
            descriptor = host.text[kid.start : kid.end]
        elif not operator:
            operator = kid.kind
        else:
            destinations.append(kid)
    if operator in (">&-", "<&-"):
        return [w for d in destinations for w in expand(host, d, command.scope)]
    if operator not in _WRITES | _READS or not destinations:
        host.opaque("what a redirection does")
        return []
    words = expand(host, destinations[0], command.scope)
    if len(words) != 1:
        host.opaque("where a redirection leads")
    for word in words:
        _file(command, operator, descriptor, word, found)
    return [w for d in destinations[1:] for w in expand(host, d, command.scope)]


def _file(command: Command, operator: str, descriptor: str, word: str, found: Redirected) -> None:
    socket = _SOCKET.match(word)
    if socket:
        command.effect(Verb.EXTERNAL, socket[1], "a connection opened by the shell", "raw_socket")
        found.stdin = Stream(None, ANY + FETCHED)
        return
    if operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", word):
        return
    if operator in _READS:
        if descriptor in ("", "0"):
            before = command.origin
            command.origin = ""
            command.read(word)
            piped = command.runner.pipes.get(word)
            found.stdin = piped or Stream(None, ANY + command.origin)
            command.origin = before
        else:
            command.read(word)
        return
    command.write(word)
    if operator not in (">>", "&>>") and MARKS.search(word) and word in command.scope.variables.values():
        command.effect(Verb.DELETE, word, "empties every file that it stands for")
    if descriptor in ("", "1"):
        found.taken = True


def _heredoc(host: Host, node: Node, command: Command) -> str:
    parts = {kid.kind: kid for kid in node.kids}
    start, body, end = parts["heredoc_start"], parts["heredoc_body"], parts["heredoc_end"]
    first = host.text.index("\n", start.end) + 1
    if heredoc_quoted(host.text[start.start : start.end]):
        text = host.text[first : end.start]
    else:
        text = between(host, body, first, end.start, command.scope)
    return re.sub(r"(?m)^\t+", "", text) if node.kids[0].kind == "<<-" else text
