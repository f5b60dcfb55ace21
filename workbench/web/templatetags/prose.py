"""Markdown by a model or a person, as safe HTML: no raw HTML, no remote images, and a link says where it goes."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from workbench.web.templatetags.code import highlight_block
from workbench.web.templatetags.shown import shown_html, shown_prose, shown_text

register = template.Library()

LINKS = ("http", "https", "mailto")


class Renderer(RendererHTML):  # the parameters are the library's
    """Every text passes the marks of `shown`; a link opens elsewhere and shows its address unless its text is that."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return shown_prose(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<code>{shown_html(tokens[idx].content)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<pre tabindex="0"><code>{shown_html(tokens[idx].content)}</code></pre>\n'

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        language = tokens[idx].info.strip().split(maxsplit=1)
        code = highlight_block(tokens[idx].content, language[0] if language else "")
        return f'<pre tabindex="0"><code>{code}</code></pre>\n'

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        what = f"{tokens[idx].content} {tokens[idx].attrs.get('src', '')}"
        return format_html('<span class="to">[image not loaded: {}]</span>', shown_text(what))

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Two levels down: the page and its cards have the headings above."""
        return f"<h{min(6, int(tokens[idx].tag[1]) + 2)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</h{min(6, int(tokens[idx].tag[1]) + 2)}>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        address = str(tokens[idx].attrs.get("href", ""))
        if urlsplit(address).scheme.lower() not in LINKS:
            return "<span>"
        return format_html('<a href="{}" rel="noopener noreferrer nofollow" target="_blank">', address)

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        opened = next(i for i in range(idx - 1, -1, -1) if tokens[i].type == "link_open")
        address = str(tokens[opened].attrs.get("href", ""))
        text = "".join(token.content for token in tokens[opened + 1 : idx])
        close = "</a>" if urlsplit(address).scheme.lower() in LINKS else "</span>"
        if address in (text, f"mailto:{text}"):
            return close
        return f'{close} <span class="to">({escape(shown_text(address))})</span>'


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}, renderer_cls=Renderer).enable(
    ["table", "strikethrough"]
)


def prose_html(text: str) -> SafeString:
    return mark_safe(str(_markdown.render(text)))  # noqa: S308 - the renderer escapes every text


@register.filter
def prose(text: object) -> SafeString:
    return prose_html(str(text or ""))
