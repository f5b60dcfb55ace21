"""What a command's surroundings are made from: this account, its home, its search path; and the fresh environment."""

import os
import pwd
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

KEEP = frozenset({
    "LANG", "LANGUAGE", "TZ", "LOGNAME", "USER", "COLORTERM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "PYENV_ROOT", "PYENV_VERSION", "RBENV_ROOT", "NODENV_ROOT",
    "GOENV_ROOT", "NVM_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "VOLTA_HOME", "FNM_DIR", "SDKMAN_DIR",
    "JAVA_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "GOROOT", "GOPATH", "GOMODCACHE", "GOFLAGS",
    "GOTOOLCHAIN", "DOTNET_ROOT", "BUN_INSTALL", "DENO_INSTALL", "PNPM_HOME", "CONDA_EXE", "MAMBA_ROOT_PREFIX",
    "ANDROID_HOME", "ANDROID_SDK_ROOT", "GEM_HOME", "GEM_PATH", "NIX_PATH", "NIX_PROFILES", "LOCALE_ARCHIVE",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
})  # fmt: skip
"""names that may pass from the server's environment: where tools lie, and language. Nothing that holds a secret."""
WITH_NETWORK = frozenset({
    "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "PIP_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "NPM_CONFIG_REGISTRY", "GOPROXY",
})  # fmt: skip
"""passes only when the network is granted: without it an address is of no use, and it may hold a password"""
ALWAYS = {
    "TERM": "xterm-256color",  # output goes to a pipe, so programs that ask do not colour it
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",  # no terminal: an editor would hang or fail with a riddle
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",  # stdout and stderr of Python keep their order in one pipe
}
_KEPT_SECONDS = 10
SYSTEM_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


@dataclass(frozen=True)
class Host:
    """The account that the workbench runs as."""

    home: Path
    uid: int
    gid: int
    user: str
    path: tuple[Path, ...]
    """folders with programs, in order; nothing relative, nothing of the workbench's own virtual environment"""
    env: Mapping[str, str]

    @classmethod
    def here(cls, env: Mapping[str, str] | None = None) -> "Host":
        env = os.environ if env is None else env
        try:
            entry = pwd.getpwuid(os.getuid())
            user, home = entry.pw_name, entry.pw_dir
        except KeyError:  # a container may run under a number without a name
            user, home = "user", "/"
        return cls(
            home=Path(os.path.realpath(env.get("HOME") or home)),
            uid=os.getuid(),
            gid=os.getgid(),
            user=user,
            path=_search_path(env.get("PATH", ""), int(time.monotonic() / _KEPT_SECONDS)),
            env=env,
        )


@lru_cache(maxsize=8)
def _search_path(path: str, _moment: int) -> tuple[Path, ...]:
    """Looked at again now and then: a folder may come or go while the workbench runs."""
    own = {Path(sys.prefix) / "bin"} if sys.prefix != sys.base_prefix else set()
    folders = [Path(p) for p in path.split(os.pathsep) if p.startswith("/")]
    # the workbench's own Python comes last: where there is no other, the project's tests can still run
    folders += [*map(Path, SYSTEM_PATH), Path(sys.base_prefix) / "bin"]
    return tuple(f for f in dict.fromkeys(folders) if f not in own and f.is_dir())


def environment(host: Host, root: Path, *, network: bool = False) -> dict[str, str]:
    """The whole environment of a command in the workspace `root`: an allow-list, never a copy."""
    names = KEEP | WITH_NETWORK if network else KEEP
    env = {k: v for k, v in host.env.items() if k in names or k.startswith("LC_")}
    env.setdefault("LANG", "C.UTF-8")
    outside = [p for p in host.path if not _within(p, root, int(time.monotonic() / _KEPT_SECONDS))]
    return (
        env
        | ALWAYS
        | {
            "HOME": str(host.home),
            "USER": host.user,
            "LOGNAME": host.user,
            "SHELL": "/bin/bash",
            "TMPDIR": "/tmp",  # noqa: S108 - private to the sandbox
            "PATH": os.pathsep.join(map(str, outside)),
        }
    )


@lru_cache(maxsize=256)
def _within(path: Path, root: Path, _moment: int) -> bool:
    """Whether a folder, or what it links to, lies in the workspace: a program planted there must not pose as `git`."""
    return path.is_relative_to(root) or Path(os.path.realpath(path)).is_relative_to(root)
