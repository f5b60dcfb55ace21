"""What kind of binary some bytes are, and the refusal that says what to do instead."""

import re

from workbench.files import Refused

_MAGIC = (
    (b"\x7fELF", "elf"), (b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF87a", "gif"),
    (b"GIF89a", "gif"), (b"%PDF-", "pdf"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"), (b"SQLite format 3\x00", "sqlite"), (b"\x00asm", "wasm"), (b"\xca\xfe\xba\xbe", "class"),
    (b"\xcf\xfa\xed\xfe", "mach-o"), (b"\xce\xfa\xed\xfe", "mach-o"), (b"MZ", "exe"), (b"BM", "bmp"),
    (b"II*\x00", "tiff"), (b"MM\x00*", "tiff"), (b"OggS", "ogg"), (b"ID3", "mp3"), (b"fLaC", "flac"),
    (b"wOFF", "font"), (b"wOF2", "font"), (b"\x00\x01\x00\x00\x00", "font"), (b"OTTO\x00", "font"),
    (b"\x00\x00\x01\x00", "ico"), (b"PAR1", "parquet"), (b"\x93NUMPY", "numpy"), (b"\xd0\xcf\x11\xe0", "ole"),
    (b"!<arch>\n", "ar"), (b"\x80\x04\x95", "pickle"), (b"\x80\x05\x95", "pickle"),
)  # fmt: skip
_ANY = tuple(magic for magic, _ in _MAGIC)
_ALONE = frozenset(
    {"elf", "png", "jpeg", "gif", "pdf", "zip", "gzip", "xz", "zstd", "7z", "rar", "class", "mach-o", "numpy", "ole"}
)
"""types whose magic alone is enough; text may well begin like the others, so they need a NUL too"""
_INSTEAD = {
    "zip": "List it with `unzip -l` in bash.",
    "gzip": "Look into it with `zcat … | head` or `tar tzf` in bash.",
    "tar": "List it with `tar tf` in bash.",
    "sqlite": "Ask it with `sqlite3 FILE .schema` in bash.",
    "elf": "Look into it with `file`, `strings` or `objdump` in bash.",
    "parquet": "Read it with a program in bash.",
}
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\b\x1b")
_HEAD = 64 << 10


def binary_type(data: bytes) -> str | None:
    """What `data` (a file's bytes, or a head of them) is: `elf`, `png`, `zip`, … or just `data`. None when it is text.

    Judged by content alone: by magic bytes, by a NUL, or by many control characters in what is not UTF-8.
    A text in UTF-16 or UTF-32 has NULs: whoever knows its BOM does not ask here.
    """
    magic = _by_magic(data)
    if magic in _ALONE:
        return magic
    if b"\0" in data:
        return magic or "data"
    head = data[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROL))
    if controls * 10 > len(head) and not _nearly_utf8(head):
        return magic or "data"
    return None


def refuse_binary(data: bytes, *, size: int | None = None, named: bool = False) -> None:
    """Refused `binary` when `data` is. `named`: the caller named an encoding, so only a NUL speaks against it."""
    kind = binary_type(data)
    at = data.find(b"\0")
    if kind is None or (named and at < 0):
        return
    where = f"; its first NUL byte is at offset {at}" if at >= 0 else ""
    hint = _INSTEAD.get(kind, "Look at it with `file` or `xxd | head` in bash.")
    if wide := _wide_without_bom(data):
        hint = f"It may be {wide} without a BOM: if so, read it with encoding={wide!r}."
    size = len(data) if size is None else size
    raise Refused(
        "binary",
        f"This is a binary file ({kind}, {size:,} bytes{where}), not text. {hint}",
        type=kind,
        size_bytes=size,
        **({"nul_offset": at} if at >= 0 else {}),
    )


def _by_magic(data: bytes) -> str | None:
    if data.startswith(_ANY):
        return next(kind for magic, kind in _MAGIC if data.startswith(magic))
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return data[8:12].decode().strip().lower()
    if data[4:8] == b"ftyp":
        return "avif" if data[8:12] in (b"avif", b"avis") else "heic" if data[8:11] == b"hei" else "mp4"
    if data[257:262] == b"ustar":
        return "tar"
    return None


def _nearly_utf8(head: bytes) -> bool:
    """Valid but for a character that the end of the head cuts."""
    try:
        head.decode()
    except UnicodeDecodeError as e:
        return e.start >= len(head) - 3 and e.reason == "unexpected end of data"
    return True


def _wide_without_bom(data: bytes) -> str | None:
    head = data[:1024]
    if len(head) < 4 or len(head) % 2:
        return None
    even, odd = head[::2], head[1::2]
    if b"\0" not in even and odd.count(0) * 2 > len(odd) and not re.search(rb"[\x00-\x08]", even):
        return "utf-16le"
    if b"\0" not in odd and even.count(0) * 2 > len(even) and not re.search(rb"[\x00-\x08]", odd):
        return "utf-16be"
    return None
