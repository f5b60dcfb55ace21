"""What a model sends is anything at all; what enters the journal is clean JSON (A10)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agent.arguments import DEPTH, KEPT, SIZE, accept, clean, obj
from workbench.policy.call import canonical
from workbench.tools import ToolError


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("", {}),
        ("  {} ", {}),
        ('{"a": [1, 2.5, null, true, "é"]}', {"a": [1, 2.5, None, True, "é"]}),
        ({"a": 1}, {"a": 1}),
        ("[1]", [1]),
        ('{"a": "\\ud800x"}', {"a": "\ufffdx"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        (nested(DEPTH - 1), json.loads(nested(DEPTH - 1))),
    ],
)
def test_what_is_accepted(raw: Any, value: Any) -> None:
    assert accept(raw) == value


@pytest.mark.parametrize(
    "raw", ["{", '{"a": NaN}', '{"a": Infinity}', '{"a": 1e999}', "{} x", nested(DEPTH), nested(50_000), "9" * 5000]
)
def test_what_is_not_accepted_is_kept_as_text(raw: str) -> None:
    kept = accept(raw)
    assert isinstance(kept, str) and raw.startswith(kept[:KEPT])
    with pytest.raises(ToolError) as caught:
        obj(kept)
    assert caught.value.code == "bad_args"


@pytest.mark.parametrize("raw", [{"a": float("nan")}, {1: 2}, {"a": object()}, b"x", {"a": {1}}, object()])
def test_values_that_are_no_json_are_kept_as_text(raw: Any) -> None:
    assert isinstance(accept(raw), str)


def test_arguments_that_are_too_long_are_cut_and_it_is_said(rounds: Any) -> None:
    kept = accept('{"a": "' + "x" * 10_000_000 + '"}')
    assert len(kept) < KEPT + 100 and "10000009 characters in all" in kept
    with pytest.raises(ToolError, match=f"{SIZE:,} characters"):
        obj(kept)
    fits = '{"a": "' + "x" * 1_000_000 + '"}'
    assert accept(fits) == json.loads(fits)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("[1]", "a JSON array"), ('"x"', "a JSON string"), ("null", "a JSON null"), ("7", "a JSON number"),
        ("true", "a JSON boolean"), ('{"a": NaN}', "NaN is not JSON"), ('{"a" 1}', "Expecting ':'"),
        (nested(DEPTH), "deeper than 64"), (nested(50_000), "deeper than 64"), ('{"a": 1e400}', "too large"),
        ("1" * 5000, "4300 digits"), (None, "a JSON null"),
    ],
)  # fmt: skip
def test_why_it_is_no_object(raw: Any, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        obj(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON | st.text(st.characters(exclude_categories=[])) | st.binary())
def test_whatever_comes_can_be_written_down(raw: Any) -> None:
    for value in (accept(raw), accept(json.dumps(raw)) if not isinstance(raw, bytes) else None):
        canonical(value)
        json.dumps(value, ensure_ascii=False).encode()
        assert accept(value) == value or isinstance(value, str)


@given(JSON)
def test_cleaning_leaves_clean_json_alone(value: Any) -> None:
    once = clean(value)
    assert clean(once) == once
    json.dumps(once, ensure_ascii=False, allow_nan=False).encode()
