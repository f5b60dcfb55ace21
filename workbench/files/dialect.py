r"""A regular expression of RE2 as one for ripgrep, for finding the files in which it may match.

The two differ in what costs files. For ripgrep `\w`, `\b`, `\d`, `\s` are those of Unicode and `.` needs valid UTF-8;
for RE2 they are of ASCII, files are searched after they were decoded, and CRLF is LF. So each part that can stand for a
character beyond ASCII also takes bytes that are no UTF-8, classes are written out, and a line may end in CR. What
matches more than it should costs a look into a file; what matches less would lose one silently.
"""

import re

_CLASSES = {"w": "0-9A-Za-z_", "d": "0-9", "s": r"\t\n\f\r "}
_LEGACY = ("gb18030", "shift_jis", "euc_jp", "big5", "euc_kr", "latin-1")
_FOREIGN = r"(?-u:[\x80-\xFF][\x30-\xFF]{0,3})"
"""one character of a legacy encoding: two bytes of most, one or four of some"""
_PART = re.compile(
    r"\\[pP]\{[^}]*\}|\\[pP].|\\x\{[^}]*\}|\\x..|\\.|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]|\(\?[a-zA-Z-]*[:)]|.",
    re.DOTALL,
)


def for_ripgrep(pattern: str) -> tuple[str, ...]:
    """Expressions that find, taken together, all files the pattern may match in; () when they are not to be told."""
    if "\0" in pattern or "\\Q" in pattern or "\\C" in pattern:
        return ()
    parts: list[str] = _PART.findall(pattern)
    folding = any(part.startswith("(?") and "i" in part.partition("-")[0] for part in parts)
    if folding and not pattern.isascii():
        return ()
    found = ["".join(_part(part) for part in parts)]
    if not pattern.isascii():
        found += [made for encoding in _LEGACY if (made := _in_bytes(parts, encoding))]
    return tuple(found)


def _in_bytes(parts: list[str], encoding: str) -> str:
    """The expression with its characters beyond ASCII as the bytes they have in `encoding`; "" when they have none."""
    try:
        return "".join(_part(p) if p.isascii() or p[0] == "[" else _as_bytes(p.encode(encoding)) for p in parts)
    except UnicodeEncodeError:
        return ""


def _as_bytes(data: bytes) -> str:
    return "(?-u:" + "".join(f"\\x{byte:02X}" for byte in data) + ")"


def _part(part: str) -> str:
    if part == "$":
        return r"\r?$"
    if part == ".":
        return rf"(?:[^\n]|{_FOREIGN})"
    if part[0] == "[" and len(part) > 1:
        return _class(part)
    if part[0] == "\\" and len(part) > 1:
        return _escape(part)
    return part


def _escape(part: str) -> str:
    letter = part[1]
    if letter in "bB":
        return rf"(?-u:\{letter})"
    if letter in "dsw":
        return f"[{_CLASSES[letter]}]"
    if letter in "DSW":
        return f"(?:[^{_CLASSES[letter.lower()]}]|{_FOREIGN})"
    if letter in "pP":
        return f"(?:{part}|{_FOREIGN})"
    if part.startswith(r"\x") and not re.fullmatch(r"\\x(\{0*[0-7]?[0-9a-fA-F]\}|[0-7][0-9a-fA-F])", part):
        return f"(?:{part}|{_FOREIGN})"
    return part


def _class(part: str) -> str:
    """A class with its shorthands written out, and what only ripgrep takes for operators (`[`, `&&`) escaped."""
    negated = part.startswith("[^")
    inside = part[2 if negated else 1 : -1]
    made, foreign = "", negated or not inside.isascii()
    for piece in re.findall(r"\\[pP]\{[^}]*\}|\\[pP].|\\x\{[^}]*\}|\\x..|\\.|\[:[^\]]*:\]|.", inside, re.DOTALL):
        if piece[0] == "\\" and piece[1:] in _CLASSES:
            made += _CLASSES[piece[1:]]
        elif piece[0] == "\\" and piece[1:] in ("D", "S", "W"):
            made += f"[^{_CLASSES[piece[1].lower()]}]"
        else:
            made += piece if len(piece) > 1 or piece not in "[]&~" else f"\\{piece}"
        foreign = foreign or (piece[0] == "\\" and piece[1] in "pPxDSW") or piece.startswith("[:^")
    own = f"[{'^' * negated}{made}]"
    return f"(?:{own}|{_FOREIGN})" if foreign else own
