"""Images and PDFs through their worker processes, hostile ones too (R7)."""

import io
import os
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from workbench.files import Refused, media


def picture(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB", **more: object) -> bytes:
    out = io.BytesIO()
    Image.radial_gradient("L").resize(size).convert(mode).save(out, kind, **more)
    return out.getvalue()


def png_claiming(width: int, height: int) -> bytes:
    """A tiny file whose header announces a huge image: a decompression bomb."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def shown(tmp_path: Path) -> Callable[[bytes], media.Rendered]:
    def show(data: bytes, **more: int) -> media.Rendered:
        path = tmp_path / "f"
        path.write_bytes(data)
        fd = os.open(path, os.O_RDONLY)
        try:
            return media.image(fd, "f", **more)  # type: ignore[arg-type]
        finally:
            os.close(fd)

    return show


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "x", "image"),
        (b"GIF89a", "a.png", "image"),
        (b"RIFF\0\0\0\0WEBP", "x", "image"),
        (b"text", "a.PNG", "image"),
        (b"%PDF-1.7", "x", "pdf"),
        (b"just text", "a.pdf", None),
        (b"<svg", "a.svg", None),
        (b"{", "a.ipynb", "notebook"),
        (b"BM is a word of a text", "x", None),
        (b"", "x", None),
    ],
)
def test_what_is_looked_at_rather_than_read(head: bytes, name: str, kind: str | None) -> None:
    assert media.media_of(head, name) == kind


@pytest.mark.parametrize(
    ("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")]
)
def test_a_small_image_is_sent_as_it_is(shown: Callable[..., media.Rendered], kind: str, mime: str) -> None:
    data = picture(kind)
    made = shown(data)
    assert made.parts == (media.Part(mime, data),)
    assert made.facts == {"mime": mime, "width": 60, "height": 40, "resized": False}


@pytest.mark.parametrize(
    "data",
    [b"", b"text\n", b"\x89PNG\r\n\x1a\n", picture("PNG")[:-30], picture("JPEG")[:200], b"GIF89a" + b"\xff" * 20],
    ids=["empty", "text", "magic only", "cut png", "cut jpeg", "garbage"],
)
def test_damaged_images_are_never_handed_on(shown: Callable[..., media.Rendered], data: bytes) -> None:
    """One would poison every later request of the session."""
    with pytest.raises(Refused) as e:
        shown(data)
    assert e.value.code == "bad_image"


@pytest.mark.parametrize("size", [(30_000, 30_000), (1, 2_000_000_000), (12_000, 12_000)])
def test_a_bomb_is_seen_by_its_header(shown: Callable[..., media.Rendered], size: tuple[int, int]) -> None:
    began = time.monotonic()
    with pytest.raises(Refused) as e:
        shown(png_claiming(*size))
    assert e.value.code == "image_too_large"
    assert e.value.facts["width"] == size[0]
    assert time.monotonic() - began < 5


def test_it_fits_the_budget(shown: Callable[..., media.Rendered]) -> None:
    made = shown(picture("JPEG", (4000, 500)), tokens=300)
    width, height = Image.open(io.BytesIO(made.parts[0].data)).size
    assert width * height <= 300 * 750
    assert (made.facts["original_width"], made.facts["original_height"], made.facts["width"]) == (4000, 500, width)


def test_a_file_too_large_to_look_at(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.touch()
    os.truncate(path, 1 << 30)
    fd = os.open(path, os.O_RDONLY)
    with pytest.raises(Refused) as e:
        media.image(fd, "f")
    assert e.value.code == "image_too_large"
    with pytest.raises(Refused) as e:
        media.pdf(fd, "f")
    assert e.value.code == "too_large"
    os.close(fd)


def test_a_worker_that_hangs_is_ended(
    shown: Callable[..., media.Rendered], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "workbench/files").mkdir(parents=True)
    (tmp_path / "workbench/files/render_image.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(media, "_HOME", tmp_path)
    monkeypatch.setattr(media, "_SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(Refused) as e:
        shown(picture("PNG"))
    assert (e.value.code, time.monotonic() - began < 3) == ("bad_image", True)


def test_a_person_can_stop_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "workbench/files").mkdir(parents=True)
    (tmp_path / "workbench/files/render_image.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(media, "_HOME", tmp_path)
    (tmp_path / "f").write_bytes(picture("PNG"))
    fd = os.open(tmp_path / "f", os.O_RDONLY)
    began = time.monotonic()
    with pytest.raises(Refused) as e:
        media.image(fd, "f", stop=lambda: True)
    os.close(fd)
    assert (e.value.code, time.monotonic() - began < 1) == ("interrupted", True)
