"""What the image worker makes of images, called directly."""

import io

import pytest
from PIL import Image

from workbench.files import render_image
from workbench.files.render_image import fitting, render
from workbench.files.rendering import Failed

JOB = {"tokens": 1600}


def saved(image: Image.Image, kind: str, **more: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **more)
    return out.getvalue()


@pytest.fixture(autouse=True)
def bomb_check_of_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker switches it off for its own process."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)


def made(data: bytes) -> tuple[dict[str, object], Image.Image]:
    facts, ((mime, sent),) = render(data, JOB)
    image = Image.open(io.BytesIO(sent))
    assert Image.MIME[image.format or ""] == mime == facts["mime"]
    assert image.size == (facts["width"], facts["height"])
    return facts, image


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_formats_that_models_do_not_read_are_converted(kind: str) -> None:
    facts, _ = made(saved(Image.new("RGB", (30, 20), "red"), kind))
    assert (facts["mime"], facts["resized"]) == ("image/png", False)


def test_transparency_survives() -> None:
    _, image = made(saved(Image.new("RGBA", (3000, 3000), (255, 0, 0, 0)), "PNG"))
    assert image.getpixel((5, 5))[3] == 0  # type: ignore[index]


def test_a_photo_is_turned_upright() -> None:
    turned = Image.Exif()
    turned[0x0112] = 6
    _, image = made(saved(Image.new("RGB", (40, 20)), "JPEG", exif=turned))
    assert image.size == (20, 40)
    assert not image.getexif()


def test_a_large_jpeg_is_decoded_at_a_fraction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_image, "_MAX_DECODED", 5_000_000)
    facts, _ = made(saved(Image.new("RGB", (4000, 4000)), "JPEG"))
    assert facts["resized"]
    with pytest.raises(Failed) as e:
        render(saved(Image.new("RGB", (4000, 4000)), "PNG"), JOB)
    assert e.value.answer["error"] == "image_too_large"


def test_the_first_frame_of_an_animation() -> None:
    frames = [Image.new("RGB", (3000, 10), c) for c in ("red", "blue")]
    _, image = made(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    red, green, blue = image.convert("RGB").getpixel((0, 0))  # type: ignore[misc]
    assert (red > 250, green < 5, blue < 5) == (True, True, True)


@pytest.mark.parametrize(
    ("size", "tokens"), [((100, 100), 1600), ((9600, 7734), 1600), ((1, 100_000), 1600), ((3000, 3000), 100)]
)
def test_it_fits(size: tuple[int, int], tokens: int) -> None:
    width, height = fitting(*size, tokens)
    assert 1 <= width <= 1568
    assert 1 <= height <= 1568
    assert width * height <= tokens * 750
    assert size != (100, 100) or (width, height) == size


def test_programs_are_never_started_for_an_image() -> None:
    """EPS would run Ghostscript."""
    with pytest.raises(Failed) as e:
        render(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", JOB)
    assert e.value.answer["error"] == "bad_image"
    assert "really text" in e.value.answer["message"]
