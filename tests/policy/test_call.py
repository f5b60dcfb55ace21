"""What an approval binds: the same call has the same digest, any other call another one."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.policy.call import Call, Effect, Verb, canonical, digest

KEY = b"a key of thirty-two random bytes"
CALL = Call("bash", {"command": "git push", "timeout": 30}, cwd="/ws", files=(("deploy.sh", "ab" * 32),))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_effects_and_kind_of_call_are_not_bound() -> None:
    seen_otherwise = Call(CALL.tool, CALL.args, (Effect(Verb.READ, "x"),), CALL.cwd, reads_only=True, files=CALL.files)
    assert digest(seen_otherwise, KEY) == digest(CALL, KEY)


def test_the_order_of_arguments_is_not_bound() -> None:
    turned = Call("bash", {"timeout": 30, "command": "git push"}, cwd="/ws", files=CALL.files)
    assert digest(turned, KEY) == digest(CALL, KEY)


@pytest.mark.parametrize(
    "changed",
    [
        {"tool": "git_push"},
        {"args": {"command": "git push --force", "timeout": 30}},
        {"args": {"command": "git push"}},
        {"cwd": "/ws/sub"},
        {"files": (("deploy.sh", "cd" * 32),)},
        {"files": ()},
    ],
)
def test_everything_that_runs_is_bound(changed: dict[str, Any]) -> None:
    fields = {"tool": CALL.tool, "args": CALL.args, "cwd": CALL.cwd, "files": CALL.files, **changed}
    assert digest(Call(**fields), KEY) != digest(CALL, KEY)


def test_another_key_gives_another_digest() -> None:
    assert digest(CALL, b"another key") != digest(CALL, KEY)


@given(json_values, json_values)
def test_canonical_bytes_are_equal_only_for_equal_json(a: object, b: object) -> None:
    again = json.loads(canonical(a))
    assert canonical(again) == canonical(a)
    assert (canonical(a) == canonical(b)) == (json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True))


def test_canonical_refuses_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))
