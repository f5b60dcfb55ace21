"""What the views share: every page needs a login and holds under the CSP, and refusals are told in place."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from workbench.files import Refused
from workbench.web import models
from workbench.web.actions import AlreadyDecided
from workbench.web.views import told

OPEN = {"login", "login-link"}
PAGES = ("home", "queue", "history", "files", "models", "login")


def addresses() -> list[str]:
    """One address for each named route of the pages."""
    found = []
    for pattern in get_resolver().url_patterns:
        name = getattr(pattern, "name", None)
        if name and name not in OPEN:
            filled = re.sub(r"<int:\w+>", "1", str(pattern.pattern))
            found.append("/" + re.sub(r"<\w+:\w+>", "x", filled))
    return found


@pytest.mark.parametrize("address", addresses())
def test_a_stranger_is_sent_to_the_login(db: None, data: object, address: str) -> None:
    for answer in (Client().get(address), Client().post(address)):
        assert answer.status_code == 302 and answer["Location"].startswith("/login/?next=")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_keeps_to_the_csp(reader: Client, name: str) -> None:
    answer = reader.get(reverse(name))
    html = answer.content.decode()
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", html)
    for source in re.findall(r'(?:src|href)="([^"]*)"', html):
        assert source.startswith(("/", "#", "?")) and not source.startswith("//"), source
    for script in re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL):
        assert not script.strip()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_one_heading_and_names_its_parts(reader: Client, name: str) -> None:
    html = reader.get(reverse(name)).content.decode()
    assert html.count("<h1") == 1 and 'id="main"' in html and '<html lang="en" data-now="' in html
    names = re.findall(r'\sid="([^"]+)"', html)
    assert len(names) == len(set(names))
    for label in re.findall(r'<label[^>]* for="([^"]+)"', html):
        assert label in names


def test_a_post_without_the_mark_of_the_page_is_refused(db: None, data: object, django_user_model: type) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_user("ann"))
    answer = client.post("/sessions/start", {"task": "x"})
    assert answer.status_code == 403 and "The page was too old" in answer.content.decode()


def test_an_unknown_address_says_so(reader: Client) -> None:
    answer = reader.get("/no/such/<page>")
    assert answer.status_code == 404 and "There is nothing here" in answer.content.decode()
    assert "<page>" not in answer.content.decode()


def raising(error: Exception) -> HttpResponse:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    request = RequestFactory().get("/")
    request.htmx = True  # type: ignore[attr-defined]
    return told(view)(request)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Refused("bad_args", "The task is <empty>."), 422),
        (Refused("conflict", "It overlaps."), 409),
        (Refused("stale", "It changed."), 409),
        (AlreadyDecided("approved", "Wei", None), 409),
    ],
)
def test_a_refusal_is_told_in_place(error: Exception, status: int) -> None:
    answer = raising(error)
    html = answer.content.decode()
    assert answer.status_code == status and "<html" not in html
    assert "&lt;empty&gt;" in html or "<empty>" not in html


def test_what_is_not_there_is_a_404() -> None:
    with pytest.raises(Http404):
        raising(models.Session.DoesNotExist("gone"))


def test_anything_else_is_ours() -> None:
    with pytest.raises(ZeroDivisionError):
        raising(ZeroDivisionError())


def blocks() -> list[dict[str, str]]:
    """The colours of light, dark by system and dark by choice."""
    css = (Path(settings.ROOT) / "static" / "tokens.css").read_text()
    light, system, chosen = re.findall(r"^ *:root[^{]*\{\s*color-scheme:.*?\n *\}", css, re.DOTALL | re.MULTILINE)
    return [dict(re.findall(r"(--[\w-]+|color-scheme): ([^;]+);", block)) for block in (light, system, chosen)]


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    a, b = sorted((luminance(one), luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def test_dark_is_the_same_by_system_and_by_choice() -> None:
    _, system, chosen = blocks()
    assert system == chosen and system["color-scheme"] == "dark"


@pytest.mark.parametrize("theme", [0, 1])
def test_every_text_can_be_read_on_every_surface_that_it_stands_on(theme: int) -> None:
    """WCAG AA: 4.5 for text, 3 for marks and field edges (U5)."""
    light, dark, _ = blocks()
    tokens = light | (dark if theme else {})
    surfaces = ("bg", "surface", "sunken", "hover")
    pairs = [(ink, surface, 4.5) for ink in ("text", "muted", "faint", "accent") for surface in surfaces]
    pairs += [
        (f"c-{kind}", surface, 4.5)
        for kind in ("kw", "str", "num", "fn", "com", "dec")
        for surface in ("surface", "add-bg", "del-bg")
    ]
    for meaning in ("needs", "running", "done", "failed", "denied"):
        pairs += [(meaning, surface, 4.5) for surface in ("bg", "surface", f"{meaning}-bg")]
        pairs += [(f"{meaning}-solid", surface, 3) for surface in ("bg", "surface")] + [
            ("on-solid", f"{meaning}-solid", 4.5)
        ]
    pairs += [
        ("text", mark, 4.5)
        for mark in ("add-word", "del-word", "add-ln", "del-ln", "accent-bg", "accent-line", "mix-bg")
    ]
    pairs += [
        ("on-accent", "accent", 4.5),
        ("control-line", "surface", 3),
        ("focus", "bg", 3),
        ("quiet", "quiet-bg", 4.5),
    ]
    terminal = ("text", "dim", "green", "red", "yellow", "cyan", "blue", "magenta", "black", "white")
    pairs += [(f"term-{ink}", "term-bg", 4.5) for ink in terminal]
    weak = {
        f"{a} on {b}": round(contrast(tokens[f"--{a}"], tokens[f"--{b}"]), 2)
        for a, b, least in pairs
        if contrast(tokens[f"--{a}"], tokens[f"--{b}"]) < least
    }
    assert not weak
