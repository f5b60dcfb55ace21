"""What every test may use."""

from collections.abc import Callable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run all rounds of the long tests, not a twentieth")


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many rounds a long test runs: all under --long, else a twentieth."""
    everything = request.config.getoption("--long")
    return lambda n: n if everything else max(1, n // 20)
