"""Login links work once and expire; tokens are kept as hashes only (U4)."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connections

from workbench.web import accounts
from workbench.web.models import ApiToken, LoginLink

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_unknown_token_lets_nobody_in() -> None:
    accounts.new_login_link(accounts.owner())
    assert accounts.redeem("guess") is None
    assert accounts.redeem("") is None


def test_a_link_works_once() -> None:
    owner = accounts.owner()
    token = accounts.new_login_link(owner)
    assert accounts.redeem(token) == owner
    assert accounts.redeem(token) is None


def test_a_link_expires() -> None:
    token = accounts.new_login_link(accounts.owner(), lifetime=timedelta(seconds=-1))
    assert accounts.redeem(token) is None


def test_a_link_of_a_disabled_account_lets_nobody_in() -> None:
    owner = accounts.owner()
    token = accounts.new_login_link(owner)
    User.objects.update(is_active=False)
    assert accounts.redeem(token) is None


def test_of_twenty_who_use_one_link_at_once_one_gets_in() -> None:
    token = accounts.new_login_link(accounts.owner())
    won: list[User | None] = []

    def use() -> None:
        won.append(accounts.redeem(token))
        connections.close_all()

    threads = [threading.Thread(target=use) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(user is not None for user in won) == 1


def test_no_token_stands_in_the_database() -> None:
    owner = accounts.owner()
    link, token = accounts.new_login_link(owner), accounts.new_api_token(owner, "up")
    stored = [*LoginLink.objects.values_list("digest", flat=True), *ApiToken.objects.values_list("digest", flat=True)]
    assert link not in stored
    assert token not in stored
    assert all(len(digest) == 64 for digest in stored)


def test_a_new_token_ends_the_earlier_one_of_its_name() -> None:
    owner = accounts.owner()
    first, other = accounts.new_api_token(owner, "up"), accounts.new_api_token(owner, "ci")
    second = accounts.new_api_token(owner, "up")
    assert accounts.valid_token(first) is None
    found = accounts.valid_token(second)
    assert found is not None
    assert found.user == owner
    assert accounts.valid_token(other) is not None


def test_the_owner_is_the_first_active_account() -> None:
    owner = accounts.owner()
    assert accounts.owner() == owner
    assert accounts.password_accounts() == 0
    User.objects.create_user("zoe", password="a long password")
    assert accounts.owner() == owner
    assert accounts.password_accounts() == 1
