"""Secrets at rest: sealed with a key file of the data folder, opened only by who uses them."""

import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from workbench.web.datadir import made_once


class Unreadable(Exception):
    """A secret was sealed with another key file; it must be entered again."""


def _key(data: Path) -> bytes:
    return made_once(data / "vault_key", lambda: Fernet.generate_key().decode()).encode()


def seal(secret: str) -> str:
    """`secret`, encrypted; the empty string stays empty."""
    return Fernet(_key(settings.DATA)).encrypt(secret.encode()).decode() if secret else ""


def unseal(sealed: str) -> str:
    if not sealed:
        return ""
    try:
        return Fernet(_key(settings.DATA)).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unreadable("This key was saved with another vault_key file. Enter it again in the settings.") from None


def digest_key(data: Path) -> bytes:
    """The key of the digests that approvals are bound to; made once, never shown."""
    return bytes.fromhex(made_once(data / "digest_key", lambda: os.urandom(32).hex()))
