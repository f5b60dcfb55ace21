"""What a model sends is anything at all; what enters the journal is clean JSON.

Accepted is strict JSON: no NaN or infinity, at most `DEPTH` levels and `SIZE` characters, no lone surrogates.
"""

import json
import math
from typing import Any, NoReturn

from workbench.tools import ToolError

DEPTH = 64
SIZE = 4 * 1024 * 1024
KEPT = 64 * 1024
"""characters kept of arguments that are not accepted"""
CUT = " … [cut here, {} characters in all]"


class _NotAccepted(ValueError):
    pass


def clean(value: Any) -> Any:
    """The JSON value with every lone surrogate replaced, so that it can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _torn(value) else value
    if isinstance(value, dict):
        return {clean(str(k)): clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [clean(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def accept(raw: Any) -> Any:
    """The arguments for the journal: the value they spell, or a text when they are not accepted JSON."""
    try:
        return clean(_strict(raw))
    except (_NotAccepted, ValueError, RecursionError, TypeError):
        text = clean(raw if isinstance(raw, str) else repr(raw)[: KEPT + 1])
        return text if len(text) <= KEPT else text[:KEPT] + CUT.format(len(text))


def obj(raw: Any) -> dict[str, Any]:
    """Arguments as an object. ToolError `bad_args` says why they are none."""
    if isinstance(raw, str) and raw.endswith(" characters in all]"):
        why = f"they are not valid JSON, or longer than the {SIZE:,} characters that are accepted"
        raise ToolError("bad_args", f"The arguments can't be used: {why}. Send less at once.")
    try:
        value = _strict(raw)
    except RecursionError:
        why = f"nested deeper than {DEPTH} levels"
    except (ValueError, TypeError) as e:
        why = str(e)
    else:
        if isinstance(value, dict):
            return value
        why = f"a JSON {_NAMES.get(type(value), 'value')}, not an object"
    raise ToolError("bad_args", f"The arguments are not one valid JSON object: {why}. Send the call again, corrected.")


_NAMES = {list: "array", str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def _strict(raw: Any) -> Any:
    """The value of strict JSON text, or `raw` itself when it is a value already."""
    if isinstance(raw, str):
        if len(raw) > SIZE:
            raise _NotAccepted(f"{len(raw):,} characters are more than the {SIZE:,} that are accepted")
        value = json.loads(raw.strip() or "{}", parse_constant=_constant)
    else:
        value = raw
    _check(value, DEPTH)
    return value


def _constant(name: str) -> NoReturn:
    raise _NotAccepted(f"{name} is not JSON")


def _check(value: Any, levels: int) -> None:
    if levels == 0:
        raise _NotAccepted(f"nested deeper than {DEPTH} levels")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise _NotAccepted("a key is not a string")
            _check(item, levels - 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, levels - 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise _NotAccepted("a number is too large")
    elif value is not None and not isinstance(value, str | int | float):
        raise _NotAccepted(f"holds a {type(value).__name__}")


def _torn(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
