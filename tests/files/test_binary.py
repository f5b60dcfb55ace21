"""Binary or text, by content alone (R6)."""

import gzip
import io
import os
import sqlite3
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from workbench.files import Refused
from workbench.files.binary import binary_type, refuse_binary


def test_real_files_are_known(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "db") as db:
        db.execute("create table t (x)")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a", "b")
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a"))
    assert binary_type((tmp_path / "db").read_bytes()) == "sqlite"
    assert binary_type(packed.getvalue()) == "zip"
    assert binary_type(tarred.getvalue()) == "tar"
    assert binary_type(gzip.compress(b"text")) == "gzip"
    assert binary_type(Path(os.path.realpath(sys.executable)).read_bytes()[:4096]) == "elf"
    db.close()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"BM is a word",
        b"MZ too",
        b"ID3 tags",
        b"OggS",
        "名称".encode(),
        "名称".encode("gb18030"),
        b"a\x1b[31mred\x1b[0m",
        b"10%\r20%\r",
        b"caf\xe9",
        b"\x0c\x0b",
        b"PAR1",
        bytes(range(9, 14)) * 100,
    ],
)
def test_text_is_text(text: bytes) -> None:
    assert binary_type(text) is None


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"text\0more", "data"),
        (b"PK\x03\x04rest", "zip"),
        (b"%PDF-1.4\n1 0", "pdf"),
        (b"\x01\x02\x03\xff\xfe" * 9, "data"),
        (b"BM\0\0", "bmp"),
    ],
)
def test_binary_is_binary(data: bytes, kind: str) -> None:
    assert binary_type(data) == kind


def test_control_characters_in_valid_utf8_are_text() -> None:
    assert binary_type(b"\x01\x02\x03 a protocol dump") is None
    assert binary_type("\x01字".encode()[:-1]) is None


def test_the_refusal_says_type_size_place_and_what_to_do() -> None:
    with pytest.raises(Refused) as e:
        refuse_binary(b"text\0")
    assert e.value.facts == {"type": "data", "size_bytes": 5, "nul_offset": 4}
    assert "xxd" in e.value.message
    with pytest.raises(Refused) as e:
        refuse_binary("key=1".encode("utf-16-be"))
    assert "encoding='utf-16be'" in e.value.message
    refuse_binary(b"%PDF-1.4", named=True)
