"""Names that tell what a script does."""

import pytest

from workbench.shell.gate.telling import telling


@pytest.mark.parametrize(
    "name",
    [
        "deploy",
        "deploy.sh",
        "scripts/release.py",
        "db:drop",
        "publish-npm",
        "CLEAN",
        "pre-push",
        "reset_db",
        "install.sh",
    ],
)
def test_names_that_reach_out_or_take_away(name: str) -> None:
    assert telling(name)


@pytest.mark.parametrize(
    "name",
    ["test", "build", "lint", "cleanup2", "deployment-notes", "producer", "src/mailbox.py", "installer", "sender"],
)
def test_names_that_only_hold_such_letters(name: str) -> None:
    assert not telling(name)
