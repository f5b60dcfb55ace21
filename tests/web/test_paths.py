"""Any path there is has an address, and the address leads back to it."""

import os
from urllib.parse import unquote

import pytest
from django.urls import resolve, reverse
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "a b/ü.txt",
        "[id]",
        "a#b?c%d",
        "new\nline",
        "back\\slash",
        "\\xff",
        os.fsdecode(b"bad\xff/\xfe.txt"),
        "a//b",
        ".",
    ],
)
@pytest.mark.parametrize("name", ["files", "history"])
def test_there_and_back(name: str, path: str) -> None:
    address = reverse(name, args=[7, path])
    assert address.isascii() and resolve(unquote(address)).kwargs == {"workspace": 7, "path": path}


@given(st.binary(min_size=1, max_size=30).filter(lambda b: b"\0" not in b))
def test_every_name_that_a_file_can_have(name: bytes) -> None:
    path = os.fsdecode(name)
    found = resolve(unquote(reverse("files", args=[1, path])))
    assert found.kwargs["path"] == path
