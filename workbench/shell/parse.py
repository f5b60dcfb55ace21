"""Text to tree: bash as tree-sitter reads it, after a look for everything that tree-sitter reads differently from bash."""

from dataclasses import dataclass


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


def parse(command: str) -> Parsed:
    """The tree of `command`. Never raises; without a tree the command is opaque."""
    raise NotImplementedError
