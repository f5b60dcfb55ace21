"""Bytes to text and exactly back.

An encoding is found by its BOM, or because the bytes are valid UTF-8, or because a detector is sure; else the text is
taken as UTF-8 with undecodable bytes, and says so (`lossy`). Nothing is guessed silently.
Undecodable bytes live in `Decoded.text` as lone surrogates U+DC80 to U+DCFF, one a byte, so that `encode` gives them
back; `Decoded.view` shows them as U+FFFD. (In UTF-16 and UTF-32 they are U+FFFD at once, and `exact` is False.)
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Encoding:
    """How a file's text is written."""

    name: str
    """`utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, `gb18030`, `shift_jis`, `latin-1`, …"""
    bom: bytes = b""
    lossy: bool = False
    """some bytes do not decode"""
    how: Literal["bom", "utf-8", "detected", "named", "unsure"] = "utf-8"


UTF8 = Encoding("utf-8")


@dataclass(frozen=True)
class Decoded:
    """The text of a file, without its BOM and with its line ends as they are."""

    text: str
    encoding: Encoding

    @property
    def view(self) -> str:
        """As it is shown: undecodable bytes as U+FFFD."""
        raise NotImplementedError

    def exact(self, data: bytes) -> bool:
        """Whether encoding `text` again gives `data`."""
        raise NotImplementedError


def binary_type(data: bytes) -> str | None:
    """What kind of binary `data` (a file's bytes, or its first 64 KiB or more) is: `elf`, `png`, `zip`, … `data`.
    None when it is text."""
    raise NotImplementedError


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Whole content as text. Refused: `binary` with its type and offset, `bad_args` for an unknown encoding name."""
    raise NotImplementedError


def encode(text: str, encoding: Encoding) -> bytes:
    """`text` as bytes, without a BOM. Refused: `unencodable`, naming the first character that has no place there."""
    raise NotImplementedError


def byte_offsets(data: bytes, decoded: Decoded, positions: list[int]) -> list[int]:
    """Where in `data` (BOM included) the ascending `positions` of `decoded.text` begin.

    Refused `undecodable` when that can't be told.
    """
    raise NotImplementedError
