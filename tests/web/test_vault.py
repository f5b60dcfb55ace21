"""Keys at rest are sealed with a key file that nobody else can read."""

from pathlib import Path

import pytest

from workbench.web import vault


def test_nothing_stays_nothing(data: Path) -> None:
    assert vault.seal("") == ""
    assert vault.unseal("") == ""


def test_a_secret_comes_back_and_is_not_in_what_is_kept(data: Path) -> None:
    sealed = vault.seal("sk-very-secret")
    assert "secret" not in sealed
    assert vault.unseal(sealed) == "sk-very-secret"
    assert vault.seal("sk-very-secret") != sealed


def test_the_key_files_are_private(data: Path) -> None:
    vault.seal("x")
    vault.digest_key(data)
    assert [(data / name).stat().st_mode & 0o777 for name in ("vault_key", "digest_key")] == [0o600, 0o600]


def test_another_key_file_reads_nothing_and_says_what_to_do(data: Path) -> None:
    sealed = vault.seal("x")
    (data / "vault_key").unlink()
    with pytest.raises(vault.Unreadable, match="Enter it again"):
        vault.unseal(sealed)


def test_the_digest_key_stays_the_same(data: Path) -> None:
    first = vault.digest_key(data)
    assert vault.digest_key(data) == first
    assert len(first) == 32
