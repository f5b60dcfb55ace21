"""Names meant by slightly different ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.files.similar import other_form, similar_names


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    for name in ("File.TXT", "readme.md", "re\u0301s.txt", "settings.py", "other"):
        (tmp_path / name).touch()
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("file.txt", ["File.TXT"]),
        ("README.md", ["readme.md"]),
        ("setings.py", ["settings.py"]),
        ("quite different", []),
    ],
)
def test_near_names(folder: int, name: str, expected: list[str]) -> None:
    assert similar_names(folder, name) == expected


def test_the_other_normal_form_when_there_is_one(folder: int, tmp_path: Path) -> None:
    assert other_form(folder, "r\u00e9s.txt") == "re\u0301s.txt"
    assert other_form(folder, "readme.txt") is None
    assert other_form(folder, "日本") is None


def test_two_candidates_are_no_answer(folder: int, tmp_path: Path) -> None:
    for name in ("\u1e9b\u0323", "\u017f\u0323\u0307"):
        (tmp_path / name).touch()
    assert other_form(folder, "\u017f\u0307\u0323") is None
