"""Coming in: links, passwords, throttling, and where one lands (U4; threats 7, 8)."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from workbench.web import accounts

pytestmark = pytest.mark.django_db(transaction=True)
HOST = {"host": "127.0.0.1:8765"}


@pytest.fixture(autouse=True)
def no_tries_yet(settings: Any) -> None:
    cache.clear()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a real one takes its time


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", password="a long password")


def test_without_a_login_every_page_leads_to_the_form() -> None:
    for path in ("/", "/queue/", "/history/", "/files/", "/settings/models/", "/sessions/x/"):
        answer = Client(headers=HOST).get(path)
        assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={path}")


def test_a_link_lets_in_once_with_a_new_session_and_safe_cookies() -> None:
    token = accounts.new_login_link(accounts.owner())
    client = Client(headers=HOST)
    client.get("/login/")
    before = dict(client.cookies)
    answer = client.get(f"/login/{token}/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    cookie = next(c for name, c in answer.cookies.items() if name.startswith("workbench_session"))
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie.value not in {c.value for c in before.values()}
    assert client.get("/").status_code == 200
    again = Client(headers=HOST).get(f"/login/{token}/")
    assert again.status_code == 403
    assert "login_link" in again.content.decode()


def test_looking_at_a_link_without_following_it_does_not_use_it_up() -> None:
    token = accounts.new_login_link(accounts.owner())
    assert Client(headers=HOST).head(f"/login/{token}/").status_code == 405
    assert Client(headers=HOST).get(f"/login/{token}/").status_code == 302


def test_a_password_lets_in_and_a_wrong_one_does_not_say_which_half_was_wrong(ann: User) -> None:
    client = Client(headers=HOST)
    wrong = client.post("/login/", {"username": "ann", "password": "x"})
    nobody = client.post("/login/", {"username": "nobody", "password": "x"})
    assert wrong.status_code == nobody.status_code == 403
    assert wrong.context["problem"] == nobody.context["problem"]
    right = client.post("/login/", {"username": "ann", "password": "a long password", "next": "/queue/"})
    assert (right.status_code, right["Location"]) == (302, "/queue/")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"])
def test_it_never_leads_to_another_site(ann: User, elsewhere: str) -> None:
    answer = Client(headers=HOST).post("/login/", {"username": "ann", "password": "a long password", "next": elsewhere})
    assert answer["Location"] == "/"


def test_guessing_is_throttled_by_account_and_by_address(ann: User) -> None:
    for n in range(10):
        client = Client(headers=HOST, REMOTE_ADDR=f"10.0.0.{n}")
        assert client.post("/login/", {"username": "ann", "password": str(n)}).status_code == 403
    last = Client(headers=HOST, REMOTE_ADDR="10.0.1.1")
    assert last.post("/login/", {"username": "ann", "password": "a long password"}).status_code == 429
    for n in range(10):
        Client(headers=HOST, REMOTE_ADDR="10.9.9.9").post("/login/", {"username": f"u{n}", "password": "x"})
    same = Client(headers=HOST, REMOTE_ADDR="10.9.9.9")
    assert same.post("/login/", {"username": "other", "password": "x"}).status_code == 429


def test_a_form_from_another_site_is_refused(ann: User) -> None:
    client = Client(headers=HOST, enforce_csrf_checks=True)
    answer = client.post("/login/", {"username": "ann", "password": "a long password"})
    assert answer.status_code == 403


def test_out_is_out_and_needs_a_post(ann: User) -> None:
    client = Client(headers=HOST)
    client.force_login(ann)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302
