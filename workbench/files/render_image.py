"""Worker: one image, verified by decoding it whole, scaled to a token budget. Run by `media`."""

import io
import math
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

from workbench.files.rendering import Answer, Failed, serve

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
"""decoders that are pure data; those that start programs or follow references are left out"""
_SENT_AS_IS = frozenset({"PNG", "JPEG", "GIF", "WEBP"})
_MAX_PIXELS = 178_000_000
_MAX_DECODED = 60_000_000
"""a JPEG may have more: it is decoded at a fraction of its size"""
_MAX_SIDE, _PIXELS_A_TOKEN = 1568, 750
"""how the vision models of several providers count; larger sides are scaled down by them anyway"""
_MAX_BYTES = 3_500_000
_PNG_BYTES = 1_500_000


def render(data: bytes, job: dict[str, Any]) -> Answer:
    picture = opened(data)
    width, height = picture.size
    wanted = fitting(width, height, job["tokens"])
    mime = Image.MIME[picture.format or ""]
    if picture.format == "JPEG":
        picture.draft("RGB", wanted)
    if math.prod(picture.size) > _MAX_DECODED:
        raise too_large(width, height)
    loaded(picture)
    turned = picture.getexif().get(0x0112, 1) != 1
    as_is = picture.format in _SENT_AS_IS and wanted == (width, height) and not turned and len(data) <= _MAX_BYTES
    sent, mime = (data, mime) if as_is else encoded(picture, wanted)
    shown = wanted if not turned else Image.open(io.BytesIO(sent)).size
    facts = {"mime": mime, "width": shown[0], "height": shown[1], "resized": wanted != (width, height)}
    facts |= {"original_width": width, "original_height": height} if facts["resized"] else {}
    return facts, [(mime, sent)]


def opened(data: bytes) -> Image.Image:
    """By its header only."""
    if not data:
        raise Failed("bad_image", "it is empty.")
    Image.MAX_IMAGE_PIXELS = None  # judged here, by pixels before anything is decoded
    try:
        picture = Image.open(io.BytesIO(data), formats=_FORMATS)
    except UnidentifiedImageError:
        what = " It is really text: read it with encoding='utf-8'." if _is_text(data) else ""
        raise Failed("bad_image", f"its bytes are no image that can be decoded.{what}") from None
    except Exception as e:
        raise Failed("bad_image", f"its header is damaged ({e}).") from e
    if math.prod(picture.size) > _MAX_PIXELS:
        raise too_large(*picture.size)
    return picture


def too_large(width: int, height: int) -> Failed:
    return Failed(
        "image_too_large",
        f"it has {width:,} x {height:,} pixels, more than can be decoded here. Scale it down with a program first.",
        width=width,
        height=height,
    )


def loaded(picture: Image.Image) -> None:
    """Every byte of the first frame decoded, so that a damaged image is never handed on."""
    try:
        picture.load()
    except Exception as e:
        raise Failed("bad_image", f"it is damaged ({e}).") from e


def fitting(width: int, height: int, tokens: int) -> tuple[int, int]:
    scale = min(1.0, _MAX_SIDE / max(width, height), math.sqrt(tokens * _PIXELS_A_TOKEN / (width * height)))
    return (width, height) if scale >= 1 else (max(1, int(width * scale)), max(1, int(height * scale)))


def encoded(picture: Image.Image, wanted: tuple[int, int]) -> tuple[bytes, str]:
    """Scaled, upright, without metadata: PNG where that is small enough or needed, else JPEG."""
    clear = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    plain = picture.convert("RGBA" if clear else "RGB")
    plain = ImageOps.exif_transpose(plain.resize(wanted, Image.Resampling.LANCZOS, reducing_gap=3.0))
    out = io.BytesIO()
    if clear or picture.format != "JPEG":
        plain.save(out, "PNG")
        if out.tell() <= (_MAX_BYTES if clear else _PNG_BYTES):
            return out.getvalue(), "image/png"
        out = io.BytesIO()
    plain.convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue(), "image/jpeg"


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data[:65536].decode()
    except UnicodeDecodeError:
        return False


if __name__ == "__main__":
    serve(render)
