"""The sample workspace in which the demo model works."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sample:
    workspace: Path
    remote: Path | None
    """the bare repository beside it that `git push` reaches; None where there is no git"""


def lay_out(target: Path) -> Sample:
    """Create the sample at `target`, which does not exist yet, and its remote at `<target>.git`."""
    raise NotImplementedError
