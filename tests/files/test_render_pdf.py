"""What the PDF worker makes of PDFs, called directly."""

import io

import pypdfium2
import pytest
from PIL import Image

from workbench.files.render_pdf import chosen, render
from workbench.files.rendering import Failed


def pdf(*sizes: tuple[float, float]) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for size in sizes:
        document.new_page(*size)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def job(pages: str = "", **more: int) -> dict[str, object]:
    return {"pages": pages, "most": 5, "tokens": 1100, "chars": 12_000, **more}


def test_pages_are_drawn_within_the_budget() -> None:
    facts, parts = render(pdf((595, 842), (100, 50)), job())
    assert (facts["pages"], facts["shown"], facts["left"]) == (2, [1, 2], [])
    sizes = [Image.open(io.BytesIO(data)).size for _, data in parts]
    assert all(width * height <= 1100 * 750 * 1.05 for width, height in sizes)
    assert sizes[1] == (200, 100)


def test_what_is_left_is_said() -> None:
    facts, parts = render(pdf(*[(100, 100)] * 30), job())
    assert (len(parts), facts["left"][0]) == (5, 6)
    facts, parts = render(pdf(*[(100, 100)] * 30), job("3-28"))
    assert (facts["shown"][0], len(parts), facts["left"]) == (3, 20, [23, 24, 25, 26, 27, 28])


@pytest.mark.parametrize(
    ("pages", "expected"),
    [("3", [3]), ("2-4", [2, 3, 4]), ("1,3-4, 9-", [1, 3, 4, 9, 10]), ("8-99", [8, 9, 10]), ("0-1", [1])],
)
def test_page_ranges(pages: str, expected: list[int]) -> None:
    assert chosen(pages, 10) == expected


@pytest.mark.parametrize("pages", ["x", "3-", "99", "-3", "1;2", "5-2", "1" * 30])
def test_senseless_page_ranges(pages: str) -> None:
    if pages == "3-":
        assert chosen(pages, 10)[-1] == 10
        return
    with pytest.raises(Failed) as e:
        chosen(pages, 10)
    assert e.value.answer["error"] == "bad_args"


@pytest.mark.parametrize("data", [b"%PDF-1.7\nnot really", b"%PDF-1.4\n" + b"\xff" * 1000, pdf((100, 100))[:200]])
def test_broken_ones_are_told(data: bytes) -> None:
    with pytest.raises(Failed) as e:
        render(data, job())
    assert e.value.answer["error"] == "bad_pdf"


def test_a_page_of_absurd_size_is_not_drawn() -> None:
    with pytest.raises(Failed) as e:
        render(pdf((100_000, 100_000)), job())
    assert e.value.answer["error"] == "bad_pdf"
