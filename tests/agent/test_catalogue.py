"""The long module of the sample workspace."""

import ast

from workbench.agent.catalogue import VARIETIES, text


def test_it_is_the_same_in_every_copy() -> None:
    assert text() == text()


def test_it_is_a_long_module_that_runs() -> None:
    source = text()
    assert source.count("\n") > 3500 and max(map(len, source.splitlines())) < 110
    ast.parse(source)
    held: dict[str, object] = {"__name__": "catalogue"}
    import sys
    import types

    sys.modules["catalogue"] = module = types.ModuleType("catalogue")
    try:
        exec(compile(source, "catalogue.py", "exec"), module.__dict__)
        held = module.__dict__
        varieties = held["CATALOGUE"]
        assert isinstance(varieties, tuple) and len(varieties) == VARIETIES
        assert len({v.name for v in varieties}) == VARIETIES
        assert held["find"]("SD-00001") is varieties[0]  # type: ignore[operator]
        assert all(v.unit_cents > 0 and 1 <= v.sow[0] <= v.sow[1] <= 12 for v in varieties)
    finally:
        del sys.modules["catalogue"]
