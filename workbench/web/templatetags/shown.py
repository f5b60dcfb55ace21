r"""Characters that show nothing or move others about are drawn as their numbers: `\u{202E}`.

The one function for it. Whatever a machine or a model wrote passes here before a person reads or approves it: commands,
arguments, paths, code, output, prose. Ordinary blanks, tabs and line ends stay as they are.
"""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# Control, format, surrogate and private-use characters, every blank but U+0020, and the rest of
# Default_Ignorable_Code_Point (fillers, variation selectors, tags). The test computes the same set from the tables.
HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_HIDDEN = re.compile(f"[{HIDDEN}]")
_HIDDEN_OR_BREAK = re.compile(f"[{HIDDEN}\t\n]")
# In running text a no-break blank, a full-width blank and the joints inside an emoji are ordinary writing.
_TYPESET = re.compile(
    "[\u00a0\u202f\u3000]|(?<=[\u2190-\u2bff\U0001f000-\U0001faff#*0-9])\ufe0f|(?<=[\ufe0f\U0001f3fb-\U0001faff])\u200d"
)


def number(character: str) -> str:
    r"""`\u{1B}` for ESC."""
    return f"\\u{{{ord(character):X}}}"


def _mark(match: re.Match[str]) -> str:
    return f'<span class="cc">{number(match[0])}</span>'


def shown_html(text: str, *, one_line: bool = False) -> SafeString:
    """`text` escaped, with hidden characters as marks; `one_line` also marks tabs and line ends (names, paths)."""
    pattern = _HIDDEN_OR_BREAK if one_line else _HIDDEN
    return mark_safe(pattern.sub(_mark, str(escape(text))))  # noqa: S308 - escaped, then marked


def shown_text(text: str) -> str:
    """The same without markup, for attributes and for places that are escaped later."""
    return _HIDDEN_OR_BREAK.sub(lambda m: number(m[0]), text)


def shown_prose(text: str) -> SafeString:
    """For running text: as `shown_html`, but the blanks of typesetting and the joints of an emoji stay."""
    escaped, marked, at = str(escape(text)), [], 0
    for match in _HIDDEN.finditer(escaped):
        keep = _TYPESET.match(escaped, match.start())
        marked += [escaped[at : match.start()], match[0] if keep else _mark(match)]
        at = match.end()
    return mark_safe("".join([*marked, escaped[at:]]))  # noqa: S308 - escaped, then marked


@register.filter
def shown(value: object) -> SafeString:
    """Text of several lines: a command, an argument, a file's content."""
    return shown_html("" if value is None else str(value))


@register.filter
def coded(value: object) -> SafeString:
    """A sentence of ours in which backticks hold code."""
    pieces = str(value or "").split("`")
    if len(pieces) % 2 == 0:
        return shown_html("`".join(pieces))
    html = [f"<code>{shown_html(text)}</code>" if n % 2 else shown_html(text) for n, text in enumerate(pieces)]
    return mark_safe("".join(html))  # noqa: S308 - every piece is escaped


@register.filter
def shown_name(value: object) -> SafeString:
    """Text of one line: a path, a name, a title."""
    return shown_html("" if value is None else str(value), one_line=True)


@register.filter
def plain_name(value: object) -> str:
    """`shown_name` for an attribute: `aria-label`, `title`."""
    return shown_text("" if value is None else str(value))
