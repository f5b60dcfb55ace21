"""Notebooks as text: whole where they are sound, an error where they are not (R7)."""

import json
from typing import Any

import nbformat
import pytest

from workbench.files import Refused
from workbench.files.notebook import notebook_text


def text_of(*cells: dict[str, Any], **root: Any) -> str:
    return notebook_text(json.dumps({"cells": cells, "nbformat": 4, **root}).encode(), "n.ipynb")[0]


def code(*outputs: dict[str, Any], source: Any = "x") -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": 3, "outputs": list(outputs)}


def test_a_notebook_written_by_the_standard_library_of_notebooks() -> None:
    book = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Title"),
            nbformat.v4.new_code_cell("1 + 1", outputs=[nbformat.v4.new_output("execute_result", {"text/plain": "2"})]),
        ]
    )
    text, cells = notebook_text(nbformat.writes(book).encode(), "n")
    assert cells == 2
    assert text == "--- cell 1: markdown ---\n# Title\n--- cell 2: code ---\n1 + 1\n--- output of cell 2 ---\n2"


def test_outputs_of_each_kind() -> None:
    text = text_of(
        code({"output_type": "stream", "text": ["one\n", "two\n"]}),
        code({"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mred\x1b[0m", "line"]}),
        code({"output_type": "display_data", "data": {"image/png": "QUJD" * 9, "text/plain": ["<Figure>"]}}),
        code({"output_type": "display_data", "data": {"text/html": "<b>x</b>", "text/plain": "x"}}),
        code({"output_type": "display_data", "data": {"application/json": {"a": 1}}}),
    )
    assert "one\ntwo" in text
    assert "red\nline" in text
    assert "[image/png, 36 characters of base64, not shown]\n<Figure>" in text
    assert "<b>" not in text
    assert '{"a": 1}' in text
    assert "code, run 3" in text


def test_an_output_is_capped_and_says_so() -> None:
    text = text_of(code({"output_type": "stream", "text": "y" * 10_000}))
    assert "[… 6,000 characters cut …]" in text
    assert len(text) < 4200


def test_format_3() -> None:
    cell = {"cell_type": "code", "input": "1", "prompt_number": 2, "outputs": [{"output_type": "pyout", "text": "one"}]}
    old = {"worksheets": [{"cells": [cell]}], "nbformat": 3}
    text, cells = notebook_text(json.dumps(old).encode(), "n")
    assert (cells, "code, run 2" in text, text.endswith("one")) == (1, True, True)


def test_an_empty_notebook_is_one() -> None:
    assert notebook_text(b'{"cells": []}', "n") == ("", 0)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b'{"cells": [', "line 1, column"),
        (b"", "line 1"),
        (b"\xff", "byte 0"),
        (b"[]", "no list of cells"),
        (b'{"cells": {}}', "no list of cells"),
        (b'{"cells": [1]}', "no list of cells"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"metadata": {}}', "no list of cells"),
        (b'{"worksheets": [{"cells": [3]}]}', "no list of cells"),
        (b'{"cells": 1' + b"0" * 5000 + b"}", "too large"),
    ],
)
def test_a_broken_one_is_told_with_the_place_and_the_way_to_its_text(data: bytes, where: str) -> None:
    with pytest.raises(Refused) as e:
        notebook_text(data, "n.ipynb")
    assert e.value.code == "bad_notebook"
    assert where in e.value.message
    assert "encoding='utf-8'" in e.value.message


@pytest.mark.parametrize(
    "cell", [{}, {"cell_type": 7, "source": None}, {"outputs": "x"}, code({"data": 3}), code({}), code(source=[1])]
)
def test_odd_cells_are_shown_as_they_are(cell: dict[str, Any]) -> None:
    assert text_of(cell).startswith("--- cell 1: ")


def test_sheets_without_cells_hold_none() -> None:
    assert notebook_text(b'{"worksheets": [{"cells": 5}, {}, {"cells": [{}]}]}', "n")[1] == 1
