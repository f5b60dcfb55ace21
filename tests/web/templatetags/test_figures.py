"""How numbers are written."""

from datetime import timedelta

import pytest
from django.utils import timezone

from workbench.web.templatetags import figures


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 ms"),
        (38, "38 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (6800, "6.8 s"),
        (31_400, "31.4 s"),
        (48_000, "48 s"),
        (59_990, "60 s"),
        (60_000, "1:00"),
        (252_000, "4:12"),
        (3_723_000, "1:02:03"),
        (None, ""),
        ("x", ""),
        (True, ""),
    ],
)
def test_durations(ms: object, text: str) -> None:
    assert figures.duration(ms) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (9.9, "0:09"), (724, "12:04"), (-3, "0:00"), (90_000, "1 d 1 h"), (None, "")]
)
def test_stop_watch(seconds: object, text: str) -> None:
    assert figures.clock(seconds) == text


def test_the_age_of_a_moment() -> None:
    assert figures.since(timezone.now() - timedelta(seconds=65)).startswith("1:0")
    assert figures.since(None) == ""


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (999, "999"), (1000, "1.0k"), (61_400, "61.4k"), (999_950, "1.0M"), (None, "")]
)
def test_tokens(count: object, text: str) -> None:
    assert figures.tokens(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (852, "852 bytes"),
        (1100, "1.1 KB"),
        (38_200_000, "38.2 MB"),
        (250_000_000, "250 MB"),
        (5 * 10**12, "5000 GB"),
        (None, ""),
    ],
)
def test_sizes(count: object, text: str) -> None:
    assert figures.size(count) == text


@pytest.mark.parametrize(
    ("dollars", "text"), [(None, ""), (0, "$0.00"), (0.001, "<$0.01"), (0.38, "$0.38"), (1234.5, "$1,234.50")]
)
def test_costs(dollars: object, text: str) -> None:
    assert figures.cost(dollars) == text


def test_counts() -> None:
    assert figures.thousands(8124) == "8,124"
    assert figures.plural(1, "file") == "1 file"
    assert figures.plural(3, "file") == "3 files"
    assert figures.plural(2, "match,matches") == "2 matches"
    assert figures.octal(0o644) == "0644"


def test_added_and_removed_are_said_in_words_too() -> None:
    html = figures.plus_minus(17, 4)
    assert "+17" in html and "−4" in html
    assert "added" in html and "removed" in html
