"""Secrets at rest: sealed with a key file of the data folder, opened only by who uses them."""

import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from workbench.web.datadir import write_private


class Unreadable(Exception):
    """A secret was sealed with another key file; it must be entered again."""


def _key(data: Path) -> bytes:
    file = data / "vault_key"
    if not file.is_file():
        write_private(file, Fernet.generate_key().decode())
    return file.read_bytes().strip()


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
    file = data / "digest_key"
    if not file.is_file():
        write_private(file, os.urandom(32).hex())
    return bytes.fromhex(file.read_text().strip())
