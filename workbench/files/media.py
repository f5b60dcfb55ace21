"""Images and PDFs as parts that a model can look at.

They come from anyone, so nothing here decodes them: a worker process does (`render_image`, `render_pdf`), with limits
on memory, processor time and wall time, and only after the header was found to be of bearable size. What a worker
can't do, crashes on or does not finish is an error of its own kind; it never takes the server along.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.files import ErrorCode, Refused

Media = Literal["image", "pdf", "notebook"]
_IMAGE_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
_IMAGE_NAMES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"})
_MAX_FILE = 128 << 20
_SECONDS = 20.0
_HOME = Path(__file__).parents[2]
"""the folder that holds the package, for the worker's imports"""


@dataclass(frozen=True)
class Part:
    """An image for the model."""

    mime: str
    data: bytes


@dataclass(frozen=True)
class Rendered:
    """What a worker made of a file."""

    facts: dict[str, Any]
    parts: tuple[Part, ...]


def media_of(head: bytes, name: str) -> Media | None:
    """Whether a file is looked at rather than read as text: by its first bytes, and images and notebooks by name too.

    SVG is text. A text that is merely called `.pdf` is text, one called `.png` is a broken image.
    """
    suffix = Path(name).suffix.lower()
    if head.startswith(_IMAGE_MAGIC) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP") or _is_bmp(head):
        return "image"
    if head.startswith(b"%PDF-"):
        return "pdf"
    if suffix in _IMAGE_NAMES:
        return "image"
    return "notebook" if suffix == ".ipynb" else None


def image(fd: int, name: str, *, tokens: int = 1600, stop: Callable[[], bool] = lambda: False) -> Rendered:
    """One image part within the token budget. Facts: mime, width, height, resized, original_width, …

    Refused: `bad_image`, `image_too_large`.
    """
    _check_size(fd, "image_too_large", name)
    return _work("render_image", fd, {"tokens": tokens}, "bad_image", name, stop)


def pdf(
    fd: int, name: str, *, pages: str = "", most: int = 5, tokens: int = 1100, chars: int = 12_000,
    stop: Callable[[], bool] = lambda: False,
) -> Rendered:  # fmt: skip
    """Images and text of some pages: `pages` like "3", "2-5" or "1,4-6", by default the first few.

    Facts: pages (of the document), shown, texts, left (page numbers not shown that were asked for).
    Refused: `bad_pdf`, `pdf_encrypted`, `too_large`, `bad_args`.
    """
    _check_size(fd, "too_large", name)
    job = {"pages": pages, "most": most, "tokens": tokens, "chars": chars}
    return _work("render_pdf", fd, job, "bad_pdf", name, stop)


def _is_bmp(head: bytes) -> bool:
    return head[:2] == b"BM" and len(head) > 18 and head[6:10] == b"\0\0\0\0"


def _check_size(fd: int, code: ErrorCode, name: str) -> None:
    size = os.fstat(fd).st_size
    if size > _MAX_FILE:
        raise Refused(code, f"{name} has {size:,} bytes; up to {_MAX_FILE:,} can be shown.", size_bytes=size)


def _work(
    worker: str, fd: int, job: dict[str, Any], broken: ErrorCode, name: str, stop: Callable[[], bool]
) -> Rendered:
    os.lseek(fd, 0, os.SEEK_SET)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", f"workbench.files.{worker}", json.dumps(job)],
        stdin=fd,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PYTHONPATH": str(_HOME), "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
    try:
        output = _output(process, stop)
    finally:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()
    if process.returncode != 0 or b"\n" not in output:
        raise Refused(broken, f"{name} could not be decoded: the decoder gave up on it. It may be damaged or hostile.")
    header, _, blobs = output.partition(b"\n")
    answer = json.loads(header)
    if "error" in answer:
        raise Refused(answer["error"], f"{name}: {answer['message']}", **answer.get("facts", {}))
    parts = []
    for mime, length in answer["parts"]:
        parts.append(Part(mime, blobs[:length]))
        blobs = blobs[length:]
    return Rendered(answer["facts"], tuple(parts))


def _output(process: "subprocess.Popen[bytes]", stop: Callable[[], bool]) -> bytes:
    end = time.monotonic() + _SECONDS
    while True:
        try:
            return process.communicate(timeout=0.25)[0]
        except subprocess.TimeoutExpired:
            if stop():
                raise Refused("interrupted", "Stopped by a person.") from None
            if time.monotonic() > end:
                process.kill()
                return b""
