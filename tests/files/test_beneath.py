"""Opening beneath a folder, by both ways."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.files.beneath import O_PATH, kernel_has_openat2, make_folders, open_beneath


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "ws/a/b").mkdir(parents=True)
    (tmp_path / "ws/a/b/f").write_text("in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/f").write_text("out")
    (tmp_path / "ws/leaving").symlink_to("../out")
    (tmp_path / "ws/staying").symlink_to("a")
    fd = os.open(tmp_path / "ws", os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def opened(request: pytest.FixtureRequest, root: int) -> Callable[..., int]:
    if request.param and not kernel_has_openat2():
        pytest.skip("this kernel has no openat2")
    return lambda path, flags=os.O_RDONLY: open_beneath(root, path, flags, openat2=request.param)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_file_is_opened(opened: Callable[..., int]) -> None:
    fd = opened("a/b/f")
    assert os.read(fd, 10) == b"in"
    os.close(fd)


def test_the_folder_itself(opened: Callable[..., int], root: int) -> None:
    fd = opened("", O_PATH)
    assert os.path.samestat(os.fstat(fd), os.fstat(root))
    os.close(fd)


@pytest.mark.parametrize("path", ["leaving/f", "staying/b/f", "leaving", "a/b/f/x", "missing/f"])
def test_no_link_is_followed_and_nothing_stays_open(opened: Callable[..., int], path: str) -> None:
    before = descriptors()
    with pytest.raises(OSError):
        opened(path)
    assert descriptors() == before


def test_folders_are_made_through_no_link(root: int, tmp_path: Path) -> None:
    os.close(make_folders(root, ["a", "new", "newer"]))
    assert (tmp_path / "ws/a/new/newer").is_dir()
    with pytest.raises(OSError):
        make_folders(root, ["leaving", "x"])
    assert not (tmp_path / "out/x").exists()
