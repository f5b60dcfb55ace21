"""Who may come in: one-time login links, API tokens, and the owner of a workbench that one person uses.

Tokens are 256 random bits, so that a plain SHA-256 of one is all that is kept; whoever reads the database can log in
with none of them.
"""

import getpass
import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from workbench.web.models import ApiToken, LoginLink

LINK_LIFETIME = timedelta(minutes=30)
NOTED_EVERY = timedelta(minutes=1)


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def owner() -> User:
    """The person who runs the workbench: the first active account, made without a password when there is none."""
    first = User.objects.filter(is_active=True).order_by("pk").first()
    if first:
        return first
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "owner"
    return User.objects.create_user(name[:150], is_staff=True, is_superuser=True)


def password_accounts() -> int:
    """How many people can log in by name and password."""
    return sum(user.has_usable_password() for user in User.objects.filter(is_active=True))


def new_login_link(user: User, *, lifetime: timedelta = LINK_LIFETIME) -> str:
    """The token of a fresh link. Links that expired long ago are dropped."""
    LoginLink.objects.filter(expires_at__lt=timezone.now() - timedelta(days=7)).delete()
    token = secrets.token_urlsafe(32)
    LoginLink.objects.create(user=user, digest=digest(token), expires_at=timezone.now() + lifetime)
    return token


def redeem(token: str) -> User | None:
    """The person whom the link lets in, this once; None when it was used, has expired or never was."""
    now = timezone.now()
    unused = LoginLink.objects.filter(digest=digest(token), used_at=None, expires_at__gt=now, user__is_active=True)
    with transaction.atomic():
        if not unused.update(used_at=now):
            return None
        return LoginLink.objects.select_related("user").get(digest=digest(token)).user


def new_api_token(user: User, name: str) -> str:
    """A fresh token; earlier ones of the same name and person end."""
    now = timezone.now()
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        ApiToken.objects.filter(user=user, name=name, revoked_at=None).update(revoked_at=now)
        ApiToken.objects.create(user=user, name=name, digest=digest(token))
    return token


def valid_token(token: str) -> ApiToken | None:
    """The row of a token that counts. Notes its use, once a minute at most."""
    row = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest(token), revoked_at=None, user__is_active=True)
        .first()
    )
    now = timezone.now()
    if row and (row.last_used_at is None or row.last_used_at < now - NOTED_EVERY):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    return row
