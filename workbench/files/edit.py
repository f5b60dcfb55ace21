"""An edit of one text, worked out without touching the disk: bytes in, bytes and changed lines out, or a refusal.

`tolerate` says where `old` stands and what of it changes; this module brings that back to bytes. Bytes outside the
changed middle are copied, never encoded again: encoding, BOM, line ends and undecodable bytes stay (SPEC E3).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbench.files import Refused
from workbench.files.decode import Decoded, Encoding, byte_offsets, decode, encode
from workbench.files.lines import LfView, count
from workbench.files.nearest import nearest
from workbench.files.seen import Change
from workbench.files.tolerate import TOKENS, TOLERANCES, Finder, Hit, Tolerance, exact, tokens

LISTED = 20
"""line numbers that a refusal names"""
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORK = 200_000_000
"""characters compared while places are counted for `ambiguous`; beyond it the count says `at least`"""


@dataclass(frozen=True)
class Edited:
    """What an edit gives."""

    data: bytes
    decoded: Decoded
    """of `data`"""
    changes: tuple[Change, ...]
    """whole lines, in line numbers of before, ascending"""
    tolerance: Tolerance | None = None
    """the tolerance that found the place; None on an exact match"""
    places: int = 1


def edit(
    data: bytes,
    decoded: Decoded,
    old: str,
    new: str,
    *,
    replace_all: bool = False,
    path: str = "the file",
    names: Mapping[str, str] = TOKENS,
) -> Edited:
    """`data`, whose text is `decoded`, with `old` replaced by `new`.

    Refused: noop, not_found (with the nearest place), ambiguous (with count and lines), unencodable, undecodable.
    """
    assert old, "an empty old_string fills an empty file; there is nothing to search for"
    if not decoded.exact(data):
        raise _unsplittable(path, decoded)
    view = LfView(decoded.text)
    if "\r" not in view.text or "\r\n" not in view.text or old not in view.text:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if old == new:
        raise Refused("noop", "old_string and new_string are the same, so nothing would change.")
    hits, tolerance = _find(view.text, old, new, replace_all=replace_all, path=path, names=names, decoded=decoded)
    made, text = _spliced(data, decoded, view, hits)
    if made == data:
        raise Refused("noop", f"The place in {path} already reads like new_string, so nothing would change.")
    if decoded.encoding.name != "utf-8" and decode(made, decoded.encoding.name).text != text:
        raise _unsplittable(path, decoded)  # a stray lead byte would swallow what now follows it
    return Edited(made, replace(decoded, text=text), tuple(_changes(view.text, hits)), tolerance, len(hits))


def composed(first: Sequence[Change], second: Sequence[Change]) -> list[Change]:
    """The changes of two edits, one after the other, as one list in line numbers of before both."""
    done = list(first)
    for change in reversed(second):  # from the end, so that the numbers of earlier ones still hold
        low, high = change.first, change.first + change.old
        before: list[tuple[Change, int, int]] = []
        touched: list[tuple[Change, int, int]] = []
        behind: list[tuple[Change, int, int]] = []
        shift = 0
        for c in done:
            begin, end = c.first + shift, c.first + shift + c.new
            shift += c.new - c.old
            (before if end <= low else behind if begin >= high else touched).append((c, begin, end))
        from_ = min([low, *(begin for _, begin, _ in touched)])
        until = max([high, *(end for _, _, end in touched)])
        merged = Change(
            from_ - sum(c.new - c.old for c, _, _ in before),
            until - from_ - sum(c.new - c.old for c, _, _ in touched),
            until - from_ - change.old + change.new,
        )
        done = [*(c for c, _, _ in before), merged, *(c for c, _, _ in behind)]
    return done


# --- finding ---------------------------------------------------------------------------------------------------------


def _find(
    text: str, old: str, new: str, *, replace_all: bool, path: str, names: Mapping[str, str], decoded: Decoded
) -> tuple[list[Hit], Tolerance | None]:
    """Where `old` stands, and by which tolerance. Refused: not_found, ambiguous."""
    finders: list[tuple[Tolerance | None, Finder]] = [(None, exact)]
    if decoded.encoding.bom:
        finders.append((None, _at_bom))
    finders += [(t, partial(tokens, names=names) if t == "tokens" else f) for t, f in TOLERANCES.items()]
    for tolerance, finder in finders:
        found = finder(text, old, new, overlapping=not replace_all)
        if replace_all:
            if hits := list(found):
                return hits, tolerance
        elif (first := next(found, None)) is not None:
            if (second := next(found, None)) is not None:
                raise _ambiguous(text, first, second, found, path=path, tolerance=tolerance)
            return [first], tolerance
    refusal = nearest(text, old, path)
    if decoded.encoding.lossy:
        refusal.message += (
            f" Some bytes of it are not {decoded.encoding.name}; if it is in another encoding, name that."
        )
    raise refusal


def _at_bom(text: str, old: str, new: str, *, overlapping: bool) -> Iterator[Hit]:
    """`old` begins with the BOM, which is no part of the text: then it means the start of the file."""
    del overlapping
    plain = old.removeprefix("\ufeff")
    if plain != old and plain and text.startswith(plain):
        yield from exact(plain, plain, new.removeprefix("\ufeff"), overlapping=True)


def _ambiguous(
    text: str, first: Hit, second: Hit, more: Iterator[Hit], *, path: str, tolerance: Tolerance | None
) -> Refused:
    starts, work = [first.start, second.start], 0
    for hit in more:
        starts.append(hit.start)
        work += hit.end - hit.start
        if work > _WORK:
            break
    facts = {"count_is_at_least": True} if work > _WORK else {}
    lines = [line + 1 for line in _line_numbers(text, starts[:LISTED])]
    named = ", ".join(map(str, lines)) + (" …" if len(starts) > len(lines) else "")
    how = f" (with the tolerance {tolerance})" if tolerance else ""
    return Refused(
        "ambiguous",
        f"old_string stands at {'at least ' if facts else ''}{len(starts)} places in {path}{how}, on lines {named}. "
        "Add lines around it until it is unique, or set replace_all to change every one.",
        count=len(starts),
        lines=lines,
        **facts,
        **({"tolerance": tolerance} if tolerance else {}),
    )


# --- writing ---------------------------------------------------------------------------------------------------------


def _spliced(data: bytes, decoded: Decoded, view: LfView, hits: list[Hit]) -> tuple[bytes, str]:
    """The file's bytes, and its text, with the middles replaced."""
    encoding = decoded.encoding
    positions = [view.original(at) for hit in hits for at in (hit.cut, hit.cut_end)]
    offsets = byte_offsets(data, decoded, positions)
    whole = memoryview(data)  # its slices are no copies
    out: list[bytes | memoryview] = []
    inserts, offset = [], 0
    for i, hit in enumerate(_with_breaks(view, hits)):
        inserts.append(hit.insert)
        out += [whole[offset : offsets[2 * i]], strict(hit.insert, encoding)]
        offset = offsets[2 * i + 1]
    made = b"".join([*out, whole[offset:]])
    if encoding.name == "utf-8" and not encoding.lossy:
        return made, str(memoryview(made)[len(encoding.bom) :], "utf-8")
    text, at = [], 0
    for i, insert in enumerate(inserts):
        text += [decoded.text[at : positions[2 * i]], insert]
        at = positions[2 * i + 1]
    return made, "".join([*text, decoded.text[at:]])


def strict(text: str, encoding: Encoding) -> bytes:
    """New text as bytes. Refused `unencodable`, also for a lone surrogate, which stands for a byte only in a file's own
    text."""
    if found := _SURROGATE.search(text):
        raise Refused(
            "unencodable",
            f"The new text holds half of a character (U+{ord(found[0]):04X}), which no file can hold. Nothing was "
            "changed; write the whole character.",
            encoding=encoding.name,
        )
    return encode(text, encoding)


def _with_breaks(view: LfView, hits: list[Hit]) -> Iterator[Hit]:
    """The hits with the line breaks of their new text in the kind that fits the place: that of the first break in the
    match, else of the next one behind it, else of the one before it, else LF."""
    following = -1
    for hit in hits:
        if "\n" not in hit.insert:
            yield hit
            continue
        if following < hit.start:
            following = view.text.find("\n", hit.start)
            following = len(view.text) if following < 0 else following
        near = following if following < len(view.text) else view.text.rfind("\n", 0, hit.start)
        crlf = near >= 0 and view.original(near + 1) - view.original(near) == 2
        yield replace(hit, insert=hit.insert.replace("\n", "\r\n")) if crlf else hit


def _changes(text: str, hits: list[Hit]) -> Iterator[Change]:
    """The lines that the hits touch; hits on one line come as one change."""
    pending: Change | None = None
    for hit, line in zip(hits, _line_numbers(text, [h.start for h in hits]), strict=True):
        before = text[hit.start : hit.end]
        after = text[hit.start : hit.cut] + hit.insert.replace("\r\n", "\n") + text[hit.cut_end : hit.end]
        if hit.end == len(text):  # the end of the file needs no line break
            begun = "" if hit.start == 0 or text[hit.start - 1] == "\n" else "…"
            change = Change(line, count(begun + before), count(begun + after))
        else:
            old = before.count("\n") + (not before.endswith("\n"))
            change = Change(line, old, old + after.count("\n") - before.count("\n"))
        if pending and change.first < pending.first + pending.old:
            shared = pending.first + pending.old - change.first
            change = Change(pending.first, pending.old + change.old - shared, pending.new + change.new - shared)
        elif pending:
            yield pending
        pending = change
    if pending:
        yield pending


def _line_numbers(text: str, positions: Sequence[int]) -> Iterator[int]:
    """The lines, from 0, of ascending positions."""
    line, last = 0, 0
    for at in positions:
        line += text.count("\n", last, at)
        last = at
        yield line


def _unsplittable(path: str, decoded: Decoded) -> Refused:
    return Refused(
        "undecodable",
        f"{path} holds bytes that do not map one to one between {decoded.encoding.name} and text, so an edit could "
        "damage what is around it. Nothing was changed; name the right encoding, or change it with a program for it.",
        encoding=decoded.encoding.name,
    )
