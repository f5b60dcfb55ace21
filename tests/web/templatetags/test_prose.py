"""Markdown as safe HTML (security G1, G3)."""

import pytest

from tests.web.hostile import PAYLOADS, acts
from workbench.web.templatetags.prose import prose


def test_markdown_is_drawn() -> None:
    html = prose("# Title\n\n1. a **b**\n2. `c`\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n~~gone~~")
    for piece in ("<h3>Title</h3>", "<ol>", "<strong>b</strong>", "<code>c</code>", "<td>1</td>", "<s>gone</s>"):
        assert piece in html


def test_a_line_break_of_the_writer_stays() -> None:
    assert "<br" in prose("one\ntwo")


def test_raw_html_is_text() -> None:
    assert "&lt;b&gt;" in prose("<b>x</b>") and "<b>" not in prose("<b>x</b>")


def test_a_link_says_where_it_goes_unless_its_text_does() -> None:
    html = prose("[docs](https://evil.example/?q=1)")
    assert 'rel="noopener noreferrer nofollow"' in html and "(https://evil.example/?q=1)</span>" in html
    assert prose("<https://a.example>").count("https://a.example") == 2


def test_no_image_is_loaded_from_anywhere() -> None:
    html = prose("![alt](https://evil.example/?q=secret)")
    assert "<img" not in html and "image not loaded: alt https://evil.example/?q=secret" in html


def test_a_link_into_the_workbench_or_elsewhere_is_no_link() -> None:
    for address in ("/sessions/x/act/stop", "//evil.example", "file:///etc/passwd", "ftp://x", "queue/"):
        assert "<a " not in prose(f"[x]({address})")


def test_fenced_code_is_highlighted_by_its_name_only() -> None:
    assert '<span class="k">import</span>' in prose("```python\nimport os\n```")
    assert "<span" not in prose("```\nimport os\n```")
    assert "<span" not in prose("```no-such-language\nimport os\n```")


def test_hidden_characters_are_marked_in_text_and_in_code() -> None:
    assert (
        "\\u{202E}" in prose("a\u202eb") and "\\u{200B}" in prose("`a\u200bb`") and "\\u{1B}" in prose("```\n\x1b\n```")
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_markdown_acts(payload: str) -> None:
    assert not acts(prose(payload))
