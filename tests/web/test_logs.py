"""One record, one line: nothing in a record can forge another (J3)."""

import logging

import pytest

from workbench.web.logs import OneLine, visible


def written(message: str, *, fails: bool = False) -> str:
    formatter = OneLine("{levelname} {name}: {message}", style="{")
    error = None
    if fails:
        try:
            raise ValueError("bad\nERROR forged: x")
        except ValueError as e:
            error = (type(e), e, e.__traceback__)
    return formatter.format(logging.LogRecord("w", logging.INFO, "", 1, message, None, error))


def test_plain_text_stays_as_it_is() -> None:
    assert written("plain, with ümlaut and 雪") == "INFO w: plain, with ümlaut and 雪"


@pytest.mark.parametrize("trick", ["\n", "\r\n", "\x0b", "\x1b[2K", "\x85", "\u2028", "\u202e", "\x00", "\x9b"])
def test_what_could_forge_or_hide_a_line_is_shown(trick: str) -> None:
    line = written(f"before{trick}ERROR w: forged")
    assert len(line.splitlines()) == 1
    assert "\\" in line


def test_lines_of_a_traceback_cannot_pass_for_records() -> None:
    lines = written("failed", fails=True).splitlines()
    assert lines[0] == "INFO w: failed"
    assert all(line.startswith("    ") for line in lines[1:])


def test_a_tab_stays() -> None:
    assert visible("a\tb") == "a\tb"
