"""Every address: behind a login unless it is listed here, and no change by a GET (threats 5, 11)."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

OPEN = {"login", "login-link"}
"""names of the pages that need no login"""
VALUES = {"session": "x", "what": "stop", "sha256": "0" * 64, "token": "x", "path": "a", "rest": "x"}


def every(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, str]]:
    """(name, address) of all there is."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from every(entry, prefix + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            values = {name: VALUES.get(name, 1) for name in entry.pattern.converters}
            route = prefix + str(entry.pattern)
            for name, value in values.items():
                for kind in ("str:", "int:", "path:", "file:", ""):
                    route = route.replace(f"<{kind}{name}>", str(value))
            yield entry.name or "", f"/{route}"


ALL = sorted(set(every(get_resolver())))


def test_the_list_is_not_empty() -> None:
    assert len(ALL) > 40
    assert not [address for _, address in ALL if "<" in address]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_login_nothing_opens(method: str) -> None:
    for name, address in ALL:
        if name in OPEN:
            continue
        answer = getattr(Client(headers={"host": "127.0.0.1"}), method)(address)
        assert answer.status_code in (302, 401, 404, 405), (address, answer.status_code)
        if answer.status_code == 302:
            assert answer["Location"].startswith("/login/?next="), address
        if answer.status_code == 404:
            assert address.startswith("/api/"), address


@pytest.mark.django_db
def test_an_address_that_is_none_is_a_page_for_people(admin_client: Client) -> None:
    answer = admin_client.get("/no/such/page", headers={"host": "127.0.0.1"})
    assert answer.status_code == 404
    assert "Traceback" not in answer.content.decode()
