"""What flows between commands: the abstract text of a standard input or output."""

from dataclasses import dataclass

from workbench.shell.gate.values import ANY, static, taint


@dataclass(frozen=True, slots=True)
class Stream:
    """What is known of a flow of text. Marks of origin (`values.FETCHED`, `values.SECRET`) ride in both fields."""

    text: str | None = None
    """all of it, where it is known in whole or in part"""
    lines: str = ANY
    """what any one line of it may be"""

    @property
    def shared(self) -> "Stream":
        """The same for several commands that read from it in turn: each gets some of its lines."""
        return Stream(None, self.lines + taint(self.text or ""))

    @property
    def origin(self) -> str:
        """The marks of where it came from."""
        return taint(self.text or "", self.lines)

    @property
    def known(self) -> str | None:
        """All of it when every character is known."""
        return self.text if self.text is not None and static(self.text) else None


NOTHING = Stream("", "")
UNKNOWN = Stream()


def of_text(text: str) -> Stream:
    """A flow of this abstract text."""
    lines = text.rstrip("\n")
    return Stream(text, lines if "\n" not in lines else ANY + taint(text))


def alternatives(one: Stream, other: Stream) -> Stream:
    """Either `one` or `other`, or part of them: what the whole is cannot be told unless they are equal."""
    return one if one == other else Stream(None, merge(one, other).lines)


def merge(one: Stream, other: Stream) -> Stream:
    """`one` and then `other`, each perhaps left out."""
    if other == NOTHING or one == other:
        return one
    if one == NOTHING:
        return other
    text = one.text + other.text if one.text is not None and other.text is not None else None
    lines = one.lines if one.lines == other.lines else ANY + taint(one.lines, other.lines)
    return Stream(text, lines + taint(one.text or "", other.text or ""))
