"""A notebook as text: its cells with their outputs, capped. Tolerant of what other programs write; never guesses."""

import json
import re
from typing import Any

from workbench.files import Refused

_OUTPUT = 4000
"""characters shown of one output"""
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_RAW = "Read it with encoding='utf-8' to see its raw text."


def notebook_text(data: bytes, name: str) -> tuple[str, int]:
    """(text, number of cells) of formats 3 and 4. Refused: `bad_notebook`, which says where it breaks."""
    try:
        root = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise Refused("bad_notebook", f"{name} is no notebook: byte {e.start} is not UTF-8. {_RAW}") from None
    except json.JSONDecodeError as e:
        raise Refused(
            "bad_notebook", f"{name} is not valid JSON: {e.msg} in line {e.lineno}, column {e.colno}. {_RAW}"
        ) from None
    except ValueError as e:  # a whole number of thousands of digits
        raise Refused("bad_notebook", f"{name} holds a number that is too large ({e}). {_RAW}") from None
    except RecursionError:
        raise Refused("bad_notebook", f"{name} is nested too deeply to be a notebook. {_RAW}") from None
    cells = _cells(root, name)
    return "\n".join(_cell(n, cell) for n, cell in enumerate(cells, 1)), len(cells)


def _cells(root: Any, name: str) -> list[dict[str, Any]]:
    found = root.get("cells") if isinstance(root, dict) else None
    if found is None and isinstance(root, dict) and isinstance(root.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in root["worksheets"] if isinstance(sheet, dict)]
        found = [cell for cells in sheets if isinstance(cells, list) for cell in cells]
    if not isinstance(found, list) or not all(isinstance(cell, dict) for cell in found):
        raise Refused("bad_notebook", f"{name} is JSON, but has no list of cells. {_RAW}")
    return found


def _cell(number: int, cell: dict[str, Any]) -> str:
    kind = str(cell.get("cell_type", "unknown"))
    run = cell.get("execution_count", cell.get("prompt_number"))
    title = f"--- cell {number}: {kind}" + (f", run {run}" if run is not None else "") + " ---"
    source = _text(cell.get("source", cell.get("input", "")))
    shown = [title, source]
    outputs = cell.get("outputs")
    if isinstance(outputs, list) and outputs:
        shown.append(f"--- output of cell {number} ---")
        shown += [_output(output) for output in outputs if isinstance(output, dict)]
    return "\n".join(shown)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        trace = "\n".join(_text(line) for line in output.get("traceback") or [])
        return _capped(trace or f"{output.get('ename')}: {output.get('evalue')}")
    if "text" in output and "data" not in output:
        return _capped(_text(output["text"]))
    data = output.get("data", output)
    if not isinstance(data, dict):
        return ""
    shown = [
        f"[{kind}, {len(_text(value)):,} characters of base64, not shown]"
        for kind, value in data.items()
        if kind.startswith(("image/", "video/", "audio/", "application/pdf")) or kind in ("png", "jpeg", "svg")
    ]
    for kind in ("text/plain", "text/markdown", "text/latex", "application/json", "text/html", "text"):
        if kind in data:
            shown.append(_capped(_text(data[kind])))
            break
    return "\n".join(shown)


def _text(value: Any) -> str:
    """Notebooks hold texts whole or as lists of lines, and JSON outputs as JSON."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _capped(text: str) -> str:
    text = _ANSI.sub("", text).rstrip("\n")
    return text if len(text) <= _OUTPUT else f"{text[:_OUTPUT]}\n[… {len(text) - _OUTPUT:,} characters cut …]"
