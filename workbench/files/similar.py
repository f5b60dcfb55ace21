"""Names in a folder that are meant by a slightly different one."""

import difflib
import os
import unicodedata

_LISTED = 5000


def _listed(folder: int) -> list[str]:
    """Names in the folder, by a descriptor that may only point at it; of a huge folder the first few thousand."""
    readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        with os.scandir(readable) as entries:
            return [entry.name for entry, _ in zip(entries, range(_LISTED), strict=False)]
    finally:
        os.close(readable)


def other_form(folder: int, name: str) -> str | None:
    """The one name there that is `name` in another Unicode normal form: files that came from a Mac."""
    if name.isascii():
        return None
    wanted = unicodedata.normalize("NFC", name)
    try:
        found = [n for n in _listed(folder) if n != name and unicodedata.normalize("NFC", n) == wanted]
    except OSError:
        return None
    return found[0] if len(found) == 1 else None


def similar_names(folder: int, name: str) -> list[str]:
    """Up to three names that may have been meant, the likeliest first."""
    names = {n: _folded(n) for n in sorted(_listed(folder)) if n.isprintable()}
    wanted = _folded(name)
    same = [n for n, folded in names.items() if folded == wanted]
    close = difflib.get_close_matches(wanted, names.values(), n=3, cutoff=0.75)
    return list(dict.fromkeys(same + [n for c in close for n, folded in names.items() if folded == c]))[:3]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
