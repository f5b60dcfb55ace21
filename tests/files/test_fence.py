"""The fence against every row of tests/data/paths, and against someone who swaps links while it works."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from workbench.files import Refused
from workbench.files.fence import Access, Fence

ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "data/paths/paths.jsonl").read_text().splitlines()]
VERDICTS = {"outside": "outside", "device": "device", "bad_path": "invalid", "bad_args": "invalid", "loop": "invalid"}


@pytest.fixture(params=[True, False], ids=["openat2", "walk"])
def openat2(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def verdict(fence: Fence, path: Any) -> str:
    """Where the fence says the path leads; content that was read is checked on the way."""
    try:
        place = fence.resolve(path)
        if place.exists and place.kind != "folder":
            fd = fence.open(place)
            try:
                assert b"SECRET" not in os.read(fd, 100)
            finally:
                os.close(fd)
    except Refused as e:
        return VERDICTS[e.code]
    return "inside"


@pytest.mark.parametrize(
    "row", [r for r in ROWS if isinstance(r["input"], str) and "bind" not in str(r["setup"])], ids=lambda r: r["id"]
)
def test_every_row_leads_where_it_says(row: dict[str, Any], ground: Any, openat2: bool) -> None:
    """P1, P2"""
    ground.lay(row["setup"])
    fence = Fence(ground.ws, home=ground.home, openat2=openat2)
    found = verdict(fence, ground.fill(row["input"]))
    assert found in [row["verdict"], *row.get("also_ok", [])]
    if found == "inside" and "exists" in row:
        assert fence.resolve(ground.fill(row["input"])).exists is row["exists"]


def open_text(fence: Fence, path: str) -> str:
    with os.fdopen(fence.open(fence.resolve(path))) as file:
        return file.read()


@pytest.fixture
def fence(ground: Any, openat2: bool) -> Fence:
    ground.lay(
        [
            {"op": "file", "path": "ws/d/f.txt", "content": "IN"},
            {"op": "symlink", "path": "ws/absolute", "target": "@WS@/d/f.txt"},
            {"op": "symlink", "path": "ws/folder", "target": "d"},
            {"op": "symlink", "path": "ws/dangling", "target": "gone"},
            {"op": "file", "path": "out/secret.txt", "content": "SECRET"},
        ]
    )
    return Fence(ground.ws, home=ground.home, openat2=openat2)


def test_links_that_stay_inside_work(fence: Fence) -> None:
    for path in ("absolute", "folder/f.txt", "folder/../d/./f.txt", str(fence.root / "folder/f.txt")):
        place = fence.resolve(path)
        assert (place.rel, place.via_link, open_text(fence, path)) == ("d/f.txt", True, "IN")


def test_a_link_can_be_named_itself(fence: Fence) -> None:
    place = fence.resolve("absolute", follow=False)
    assert (place.rel, place.kind, place.via_link) == ("absolute", "link", False)
    assert fence.resolve("folder/f.txt", follow=False).rel == "d/f.txt"


def test_home_and_further_roots(ground: Any, openat2: bool) -> None:
    inner = ground.ws / "home"
    inner.mkdir()
    (inner / "x").write_text("H")
    (ground.out / "y").write_text("Y")
    fence = Fence(ground.ws, home=inner, more=(ground.out,), openat2=openat2)
    assert open_text(fence, "~/x") == "H"
    place = fence.resolve(str(ground.out / "y"))
    assert place.rel == f"{ground.out}/y"
    assert open_text(fence, place.rel) == "Y"
    with pytest.raises(Refused) as e:
        fence.resolve("../out/y")
    assert e.value.code == "outside"


def test_a_root_that_is_reached_through_a_link(ground: Any, openat2: bool) -> None:
    (ground.base / "alias").symlink_to("ws")
    (ground.ws / "f").write_text("IN")
    fence = Fence(ground.base / "alias", openat2=openat2)
    assert fence.resolve(str(ground.ws / "f")).rel == fence.resolve(str(ground.base / "alias/f")).rel == "f"
    assert open_text(fence, "f") == "IN"


def test_the_check_sees_the_resolved_path_and_decides(ground: Any, fence: Fence) -> None:
    """B4, B7: rules hold for where a link leads, not for its name."""
    asked = []

    def check(rel: str, access: Access) -> None:
        asked.append((rel, access))
        raise Refused("denied", "no")

    fence.check = check
    with pytest.raises(Refused):
        fence.open(fence.resolve("absolute"))
    with pytest.raises(Refused):
        fence.open_parent(fence.resolve("folder/new"))
    assert asked == [("d/f.txt", Access.READ), ("d/new", Access.WRITE)]


def test_a_place_that_now_leads_elsewhere_is_not_opened(ground: Any, fence: Fence) -> None:
    """What was checked is what is opened, though the other file is inside too."""
    (ground.ws / "other.txt").write_text("OTHER")
    place = fence.resolve("d/f.txt")
    (ground.ws / "d/f.txt").unlink()
    (ground.ws / "d/f.txt").symlink_to("../other.txt")
    with pytest.raises(Refused) as e:
        fence.open(place)
    assert e.value.code == "conflict"


def test_a_file_that_appeared_meanwhile_is_opened(fence: Fence) -> None:
    place = fence.resolve("new.txt")
    (fence.root / "new.txt").write_text("NEW")
    fd = fence.open(place)
    assert os.read(fd, 9) == b"NEW"
    os.close(fd)


def test_missing_files_are_told_with_near_names(fence: Fence) -> None:
    for path, near in (("d/F.TXT", ["d/f.txt"]), ("Folder", ["folder"]), ("nothing/like/it", [])):
        with pytest.raises(Refused) as e:
            fence.open(fence.resolve(path))
        assert (e.value.code, e.value.facts.get("suggest", [])) == ("no_file", near)
    with pytest.raises(Refused) as e:
        fence.open(fence.resolve("dangling"))
    assert "symbolic link to gone" in e.value.message


def test_special_files_are_named_and_never_opened(ground: Any, fence: Fence) -> None:
    """R6; opening the FIFO would block for ever."""
    ground.lay([{"op": "fifo", "path": "ws/fifo"}, {"op": "socket", "path": "ws/sock"}])
    for path, kind in (("fifo", "fifo"), ("sock", "socket")):
        with pytest.raises(Refused) as e:
            fence.open(fence.resolve(path))
        assert (e.value.code, e.value.facts["type"]) == ("device", kind)
    with pytest.raises(Refused) as e:
        fence.open(fence.resolve("d"))
    assert e.value.code == "is_directory"


def test_without_proc_the_file_is_opened_again_and_compared(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def no_proc(path: Any, *args: Any, **more: Any) -> int:
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(2, "no /proc")
        return real(path, *args, **more)

    monkeypatch.setattr(os, "open", no_proc)
    assert open_text(fence, "d/f.txt") == "IN"


def test_folders_for_writing_are_made_and_kept_open(fence: Fence) -> None:
    fd, name = fence.open_parent(fence.resolve("new/sub/file.txt"), create=True)
    assert (name, (fence.root / "new/sub").is_dir()) == ("file.txt", True)
    os.fsync(fd)
    os.close(fd)
    with pytest.raises(Refused) as e:
        fence.open_parent(fence.resolve("other/sub/file.txt"))
    assert e.value.code == "no_file"
    with pytest.raises(Refused) as e:
        fence.open_parent(fence.resolve("."))
    assert e.value.code == "is_directory"


def test_a_parent_swapped_for_a_link_is_not_written_into(ground: Any, fence: Fence) -> None:
    place = fence.resolve("d/new.txt")
    (ground.ws / "d").rename(ground.ws / "d_old")
    (ground.ws / "d").symlink_to("../out")
    with pytest.raises(Refused) as e:
        fence.open_parent(place)
    assert e.value.code == "conflict"


def test_what_lies_there_can_be_asked(fence: Fence) -> None:
    found = fence.stat(fence.resolve("d/f.txt"))
    assert found is not None
    assert found.st_size == 2
    assert fence.stat(fence.resolve("missing")) is None
    fd = fence.open_folder(fence.resolve("d"))
    assert os.listdir(fd) == ["f.txt"]
    os.close(fd)


def test_a_new_file_is_not_named_like_a_folder(fence: Fence) -> None:
    """A path that ends with `/` can only mean a folder, so nothing is written there."""
    for path in ("new/", "d/new/.", "./new/"):
        with pytest.raises(Refused) as e:
            fence.open(fence.resolve(path), Access.WRITE)
        assert e.value.code == "bad_path"
        with pytest.raises(Refused) as e:
            fence.open(fence.resolve(path))
        assert e.value.code == "no_file"


def test_a_link_whose_target_is_too_long(ground: Any, fence: Fence) -> None:
    (ground.ws / "long").symlink_to("x" * 300)
    with pytest.raises(Refused) as e:
        fence.resolve("long")
    assert e.value.code == "bad_path"


def test_a_link_that_becomes_a_folder_while_it_is_read(ground: Any, fence: Fence, monkeypatch: Any) -> None:
    """It is looked at once more; an error of the system (EINVAL) is not what happened."""
    (ground.ws / "l").symlink_to("d")
    readlink = os.readlink

    def swapped(path: str, *, dir_fd: int) -> str:
        (ground.ws / "l").unlink(missing_ok=True)
        (ground.ws / "l").mkdir()
        (ground.ws / "l/f.txt").write_text("IN")
        return readlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "readlink", swapped)
    assert fence.resolve("l/f.txt").rel == "l/f.txt"


def test_nothing_stays_open(fence: Fence) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for path in ("d/f.txt", "absolute", "folder/f.txt", "missing/x", "dangling", "../x", "d/f.txt/x", "d"):
        try:
            os.close(fence.open(fence.resolve(path)))
        except Refused:
            continue
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.timeout(600)
def test_a_link_swapped_in_is_never_followed(ground: Any, openat2: bool, rounds: Any) -> None:
    """P1, finding 5: 30,000 rounds against an attacker who swaps a folder for a link; no byte from outside."""
    ground.lay(
        [
            {"op": "file", "path": "ws/d/e/f.txt", "content": "IN"},
            {"op": "file", "path": "out/e/f.txt", "content": "SECRET"},
            {"op": "symlink", "path": "ws/x", "target": "../out"},
        ]
    )
    fence = Fence(ground.ws, openat2=openat2)
    read = 0
    with ground.swapping(ground.ws / "d", ground.ws / "x"):
        for _ in range(rounds(30_000)):
            try:
                text = open_text(fence, "d/e/f.txt")
            except Refused as e:
                assert e.code in ("outside", "conflict", "no_file"), e.message
            else:
                assert text == "IN"
                read += 1
    assert read
