"""Which files of a workspace are not watched: what its `.gitignore` files name, and folders of tools' own output."""

from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

NEVER = frozenset({".git", ".hg", ".svn", ".jj"})
"""version control keeps its own history, and is never touched"""
OUTPUT = frozenset(
    {
        "node_modules",
        "__pycache__",
        ".venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
    }
)
_LARGEST = 1 << 20


@dataclass(frozen=True)
class Ignore:
    """The ignore files that count in one folder: its own and those above, the nearest first to decide."""

    folder: str
    """absolute"""
    spec: GitIgnoreSpec | None = None
    above: "Ignore | None" = None

    def enter(self, folder: str) -> "Ignore":
        """The rules in a folder below; the same object when it has none of its own."""
        spec = _read(Path(folder) / ".gitignore")
        return Ignore(folder, spec, self) if spec else self

    def skips(self, path: str, *, folder: bool) -> bool:
        """Whether an ignore file names `path` (absolute, beneath `folder`)."""
        rules: Ignore | None = self
        while rules is not None:
            if rules.spec:
                found = rules.spec.check_file(path[len(rules.folder) + 1 :] + ("/" if folder else "")).include
                if found is not None:
                    return found
            rules = rules.above
        return False


def of_root(root: str) -> Ignore:
    """The rules at the root of a workspace, those of `.git/info/exclude` among them."""
    exclude = _read(Path(root) / ".git" / "info" / "exclude")
    own = _read(Path(root) / ".gitignore")
    return Ignore(root, own, Ignore(root, exclude) if exclude else None)


def _read(file: Path) -> GitIgnoreSpec | None:
    try:
        if not file.is_file() or file.is_symlink() or file.stat().st_size > _LARGEST:
            return None
        lines = file.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    good = [line for line in lines if line.strip() and not line.startswith("#")]
    try:
        return GitIgnoreSpec.from_lines(good) if good else None
    except ValueError:  # one bad pattern: git leaves out the line
        return GitIgnoreSpec.from_lines([line for line in good if _valid(line)])


def _valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
