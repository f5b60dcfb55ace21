"""Bytes to text and exactly back.

An encoding is found by its BOM, or because the bytes are valid UTF-8, or because `charsets` is sure; else the text is
taken as UTF-8 with undecodable bytes, and says so (`lossy`). Nothing is guessed silently.
Undecodable bytes live in `Decoded.text` as lone surrogates U+DC80 to U+DCFF, one a byte, so that `encode` gives them
back; `Decoded.view` shows them as U+FFFD. (In UTF-16 and UTF-32 they are U+FFFD at once, and `exact` is False.)
"""

import codecs
import re
from dataclasses import dataclass
from typing import Literal

from workbench.files import Refused
from workbench.files.binary import binary_type, refuse_binary
from workbench.files.charsets import charset

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32le"),
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
"""longest first: the BOM of UTF-32LE begins with that of UTF-16LE"""
_WIDE = {"utf-16le": 2, "utf-16be": 2, "utf-32le": 4, "utf-32be": 4}
_SHORT_NAMES = {
    "utf-16": "utf-16le", "utf-32": "utf-32le", "utf-8-sig": "utf-8", "iso8859-1": "latin-1", "ascii": "utf-8",
    "utf-16-le": "utf-16le", "utf-16-be": "utf-16be", "utf-32-le": "utf-32le", "utf-32-be": "utf-32be",
}  # fmt: skip
_UNFIT = ("iso2022", "hz", "utf-7", "idna")
"""encodings whose bytes mean one thing here and another there, or of names rather than texts"""
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Encoding:
    """How a file's text is written."""

    name: str
    """`utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, `gb18030`, `shift_jis`, `latin-1`, …"""
    bom: bytes = b""
    lossy: bool = False
    """some bytes do not decode"""
    how: Literal["bom", "utf-8", "detected", "named", "unsure"] = "utf-8"

    @property
    def unit(self) -> int:
        """Bytes of the smallest step: 1, or 2 and 4 for UTF-16 and UTF-32."""
        return _WIDE.get(self.name, 1)

    @property
    def errors(self) -> str:
        """The error handler under which decoding never fails."""
        return "replace" if self.name in _WIDE else "surrogateescape"


UTF8 = Encoding("utf-8")


@dataclass(frozen=True)
class Decoded:
    """The text of a file, without its BOM and with its line ends as they are."""

    text: str
    encoding: Encoding

    @property
    def view(self) -> str:
        """As it is shown: undecodable bytes as U+FFFD."""
        return shown(self.text) if self.encoding.lossy else self.text

    def exact(self, data: bytes) -> bool:
        """Whether encoding `text` again gives `data`, as UTF-8 does by definition."""
        if self.encoding.name == "utf-8":
            return True
        try:
            return self.encoding.bom + encode(self.text, self.encoding) == data
        except Refused:
            return False


def shown(text: str) -> str:
    """Undecodable bytes as U+FFFD."""
    return _ESCAPED.sub("\ufffd", text)


def named(name: str) -> str:
    """The one name under which an encoding is known here. Refused: `bad_args`, `unsupported`."""
    try:
        found = codecs.lookup(name).name
        short = found.replace("_", "-") if found.startswith(("utf", "iso8859")) else found
        short = _SHORT_NAMES.get(short, short)
        plain = "\n".encode(short)
    except (LookupError, UnicodeError, ValueError, TypeError):
        raise Refused(
            "bad_args", f"There is no text encoding {name!r}. Examples: utf-8, gb18030, shift_jis, latin-1, utf-16le."
        ) from None
    if short not in _WIDE and (plain != b"\n" or short.startswith(_UNFIT)):
        raise Refused("unsupported", f"The encoding {name!r} can't be read page by page. Convert the file first.")
    return short


def detect(data: bytes, encoding: str | None = None, *, size: int | None = None) -> Encoding:
    """How `data` is written. `data` is a whole file, or the head of one of `size` bytes.

    Refused: `binary` with its type, `bad_args` or `unsupported` for a name.
    """
    whole = size is None or size == len(data)
    wanted = named(encoding) if encoding is not None else None
    bom, name = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", ""))
    if wanted is not None:
        bom = bom if name == wanted else b""
        if wanted not in _WIDE:
            refuse_binary(data, size=size, named=True)
        return Encoding(wanted, bom, not _decodes(data[len(bom) :], wanted, whole=whole), "named")
    if bom:
        if name == "utf-8":
            refuse_binary(data, size=size)
        return Encoding(name, bom, not _decodes(data[len(bom) :], name, whole=whole), "bom")
    refuse_binary(data, size=size)
    if data.isascii() or _decodes(data, "utf-8", whole=whole):
        return UTF8
    if found := charset(data if whole else data[: data.rfind(b"\n") + 1]):
        return Encoding(found, b"", not _decodes(data, found, whole=whole), "detected")
    return Encoding("utf-8", b"", lossy=True, how="unsure")


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Whole content as text. Refused: `binary` with its type and offset, `bad_args` for an unknown encoding name."""
    found = detect(data, encoding)
    body = data[len(found.bom) :] if found.bom else data
    return Decoded(body.decode(found.name, found.errors if found.lossy else "strict"), found)


def encode(text: str, encoding: Encoding) -> bytes:
    """`text` as bytes, without a BOM. Refused: `unencodable`, naming the first character that has no place there."""
    try:
        return text.encode(encoding.name, "strict" if encoding.unit > 1 else "surrogateescape")
    except UnicodeEncodeError as e:
        character = text[e.start]
        raise Refused(
            "unencodable",
            f"The file is written in {encoding.name}, which has no {character!r} (U+{ord(character):04X}, line "
            f"{text.count(chr(10), 0, e.start) + 1} of the new text). Write it with characters of {encoding.name}.",
            encoding=encoding.name,
        ) from None


def byte_offsets(data: bytes, decoded: Decoded, positions: list[int]) -> list[int]:
    """Where in `data` (BOM included) the ascending `positions` of `decoded.text` begin.

    Refused `undecodable` when that can't be told.
    """
    encoding = decoded.encoding
    if encoding.name == "utf-8" and decoded.text.isascii():
        return [len(encoding.bom) + position for position in positions]
    found, at, before = [], len(encoding.bom), 0
    for position in positions:
        piece = decoded.text[before:position]
        end = at
        try:
            end = at + len(encode(piece, encoding))
            # UTF-8 comes back byte for byte by definition, so only others are looked at again
            same = encoding.name == "utf-8" or data[at:end].decode(encoding.name, encoding.errors) == piece
            same = same and not (encoding.lossy and encoding.unit > 1)
        except (Refused, UnicodeError):
            same = False
        if not same:
            raise Refused(
                "undecodable",
                f"Some bytes of this file are not valid {encoding.name}, and an edit could damage them. "
                "Name the right encoding, or repair the file with a program first.",
                encoding=encoding.name,
            )
        found.append(end)
        at, before = end, position
    return found


def _decodes(data: bytes, name: str, *, whole: bool) -> bool:
    """Without an error; a character that the end of a head cuts is none."""
    try:
        if whole:
            data.decode(name)
        else:
            codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return False
    return True


__all__ = [
    "UTF8", "Decoded", "Encoding", "binary_type", "byte_offsets", "decode", "detect", "encode", "named", "shown",
]  # fmt: skip
