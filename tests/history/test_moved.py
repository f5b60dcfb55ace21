"""Which lines count as moved."""

from workbench.history.moved import moved

BLOCK = ["def helper(value):", "    return value * 2"]


def rows(*parts: tuple[str, list[str]]) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in parts for text in texts]


def test_nothing_moved() -> None:
    assert moved(rows(("-", BLOCK), (" ", ["x"]), ("+", ["something else entirely here"]))) == set()


def test_a_block_that_is_there_again_elsewhere_also_when_indented() -> None:
    assert moved(rows(("-", BLOCK), (" ", ["x"]), ("+", ["  " + line for line in BLOCK]))) == {0, 1, 3, 4}


def test_braces_and_blank_lines_alone_do_not_count() -> None:
    assert moved(rows(("-", ["}", "", "end"]), (" ", ["x"]), ("+", ["}", "", "end"]))) == set()
