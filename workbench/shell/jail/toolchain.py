"""Which folders of a masked home stay readable, so that the project's tools run: interpreters, compilers, packages.

Found by name, by the search path, and by following what the links in them point to. What a file of the workspace names
(a virtual environment's interpreter) must look like an installation: the workspace is not trusted to open a folder.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from workbench.shell.jail.host import Host
from workbench.shell.jail.small import text_of

FOLDERS = (
    ".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".tfenv", ".nvm", ".fnm", ".volta", ".asdf", ".mise", ".rye",
    ".pixi", ".cargo", ".rustup", ".sdkman", ".jdks", ".bun", ".deno", ".dotnet", ".nuget/packages", ".ghcup",
    ".cabal/bin", ".stack/programs", ".opam", ".elan", ".juliaup", ".julia", ".nix-profile", ".nix-defexpr",
    ".linuxbrew", ".rvm", ".gem/ruby", ".poetry", ".conda/envs", ".conda/pkgs", "miniconda3", "anaconda3", "miniforge3",
    "mambaforge", "micromamba", "go/pkg", "go/bin", "sdk", ".local/bin", ".local/lib", ".local/go", ".local/pipx",
    ".local/share/uv", ".local/share/pipx", ".local/share/mise", ".local/share/rtx", ".local/share/pnpm",
    ".local/share/fnm", ".local/share/virtualenv", ".local/share/virtualenvs", ".local/share/hatch",
    ".local/share/pypoetry", ".local/state/nix", ".virtualenvs", ".m2/repository", ".m2/wrapper", ".gradle/wrapper",
    ".npm-global", ".yarn/bin", ".composer/vendor", ".krew/bin", ".cache/pypoetry/virtualenvs", ".cache/ms-playwright",
    ".cache/puppeteer", ".cache/Cypress", "Android/Sdk",
)  # fmt: skip
"""beneath the home, where version managers and installers put programs"""
NAMED_BY = (
    "PYENV_ROOT",
    "NVM_DIR",
    "RUSTUP_HOME",
    "ASDF_DATA_DIR",
    "GOROOT",
    "GOMODCACHE",
    "JAVA_HOME",
    "ANDROID_HOME",
)
"""variables that say where one of these lies instead"""
SECRETS = (
    ".cargo/credentials", ".cargo/credentials.toml", ".gem/ruby/credentials", ".local/share/uv/credentials",
)  # fmt: skip
"""beneath the home, inside those folders, and hidden all the same"""
_LOOKED_AT = 3000
"""entries of one folder of programs whose links are followed"""
_KEPT_SECONDS = 30


def shown(host: Host, root: Path, masked: Sequence[Path]) -> list[Path]:
    """Existing folders and programs beneath one of `masked` that must be readable.

    None of them holds the home, the workspace `root` or a mask.
    """
    moment = int(time.monotonic() / _KEPT_SECONDS)
    found = list(_of_account(host.home, host.path, _named(host), tuple(masked), moment))
    _follow(list(_interpreters(root)), found, masked, host.home, root)
    return [path for path in found if not root.is_relative_to(path)]


def _named(host: Host) -> tuple[Path, ...]:
    return tuple(Path(host.env[name]) for name in NAMED_BY if host.env.get(name, "").startswith("/"))


@lru_cache(maxsize=8)
def _of_account(
    home: Path, path: tuple[Path, ...], named: tuple[Path, ...], masked: tuple[Path, ...], _moment: int
) -> tuple[Path, ...]:
    """What does not depend on the workspace; looking takes longer than most commands, so the answer is kept a while."""
    found: list[Path] = []
    programs = [_installation(p, home) for p in path]
    _follow([*(home / name for name in FOLDERS), *named, *programs, Path(sys.base_prefix)], found, masked, home)
    return tuple(found)


def _follow(todo: list[Path], found: list[Path], masked: Sequence[Path], home: Path, root: Path | None = None) -> None:
    """Add to `found` what of `todo`, and of what that leads to, is masked and no part of the workspace."""
    seen: set[Path] = set()
    while todo:
        path = todo.pop(0)
        if path in seen:
            continue
        seen.add(path)
        if not any(map(path.is_relative_to, masked)) or any(a.is_relative_to(path) for a in (home, *masked)):
            continue
        if root is not None and (root.is_relative_to(path) or path.is_relative_to(root)):
            continue
        if not any(map(path.is_relative_to, found)) and path.exists():
            found.append(path)
            todo += _linked(path, home)


def _installation(programs: Path, home: Path) -> Path:
    """The installation that a folder of programs belongs to, or that folder when it stands alone."""
    above = programs.parent
    if programs.name in ("bin", "sbin") and (above / "lib").is_dir() and above not in (home, home / ".local"):
        return above
    return programs


def _linked(folder: Path, home: Path) -> Iterator[Path]:
    """Where the links in a folder of programs lead, and the interpreters of virtual environments in it."""
    for programs in (folder, folder / "bin"):
        try:
            entries = list(islice(os.scandir(programs), _LOOKED_AT))
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink():
                target = Path(os.path.realpath(entry.path))
                around = _installation(target.parent, home)
                yield target if target.is_dir() or around == target.parent else around
    yield from _interpreters(folder)


def _interpreters(folder: Path) -> Iterator[Path]:
    """Installations of the interpreters that the virtual environments in and one below `folder` use."""
    for config in (*folder.glob("pyvenv.cfg"), *folder.glob("*/pyvenv.cfg"), *folder.glob(".*/pyvenv.cfg")):
        for line in text_of(config, 4096).splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home" and value.strip().startswith("/"):
                programs = Path(os.path.realpath(value.strip()))
                if any((programs.parent / "lib").glob("python3*")) and any(programs.glob("python3*")):
                    yield programs.parent
