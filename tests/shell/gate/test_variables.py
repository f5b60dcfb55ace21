"""Variables that change what programs do (B4)."""

import pytest

from workbench.shell.gate.values import ANY
from workbench.shell.gate.variables import assigning, secret

from . import allowed, stopped


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LD_PRELOAD",
        "GIT_SSH_COMMAND",
        "BASH_ENV",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "PAGER",
        "IFS",
        "HOME",
        "BASH_FUNC_ls",
    ],
)
def test_names_that_programs_act_on(name: str) -> None:
    assert assigning(name, "./x", exported=False)


@pytest.mark.parametrize(
    "name",
    ["CI", "DEBUG", "NODE_ENV", "x", "count", "RUST_BACKTRACE", "GIT_AUTHOR_NAME", "PYTHONUNBUFFERED", "LANG", "TZ"],
)
def test_names_that_they_do_not(name: str) -> None:
    assert assigning(name, "x", exported=True) is None


def test_some_names_matter_only_when_they_reach_a_program() -> None:
    assert assigning("BUILD_OPTIONS", "x", exported=False) is None
    assert assigning("BUILD_OPTIONS", "x", exported=True)
    assert assigning("MY_PATH", "x", exported=True)


def test_some_values_do_no_harm() -> None:
    assert assigning("GIT_PAGER", "cat", exported=True) is None
    assert assigning("PYTHONPATH", "src", exported=True) is None
    assert assigning("PYTHONPATH", "/tmp/x", exported=True)
    assert assigning("IFS", ",", exported=False) is None
    assert assigning("GIT_PAGER", ANY, exported=True)


@pytest.mark.parametrize("name", ["a[0]", "a[$(x)]", "", "1a", "a b", ANY])
def test_what_is_no_plain_name_is_unknown(name: str) -> None:
    assert assigning(name, "x", exported=False)


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "aws_secret_access_key",
        "NPM_AUTH_TOKEN",
        "DATABASE_URL",
        "SSH_PRIVATE_KEY",
        "STRIPE_KEY",
    ],
)
def test_names_of_credentials(name: str) -> None:
    assert secret(name)


@pytest.mark.parametrize("name", ["PATH", "USER", "KEYBOARD", "MONKEY", "f", "TOTAL", "PWD", "HOSTNAME", "AUTHOR"])
def test_names_that_are_none(name: str) -> None:
    assert not secret(name)


EVERY_WAY_TO_SET_ONE = """
PATH=. ls
PATH=.; ls
export PATH=.:$PATH
declare -x LD_PRELOAD=x
typeset -gx LD_LIBRARY_PATH=.
readonly PATH=x; ls
local IFS=x
env PATH=/x ls
env -u HOME LD_PRELOAD=x ls
read PATH <<< x
printf -v PATH x
mapfile PATH < x
getopts x PATH
for PATH in x; do ls; done
: ${PATH:=x}
((PATH=1))
let PATH=1
PATH+=:x
x=1 GIT_PAGER=./p git log
PATH=(a b)
export "PATH=x"
declare "LD_PRELOAD=x"
wait -p PATH
"""


def test_every_way_to_set_one_is_seen() -> None:
    assert allowed(EVERY_WAY_TO_SET_ONE) == []


def test_everyday_settings_run() -> None:
    assert (
        stopped("""
CI=1 npm test
NODE_ENV=test npx jest
export FOO=bar
x=5; echo $x
PYTHONPATH=src pytest
GIT_PAGER=cat git log
while IFS= read -r l; do echo $l; done < a
""")
        == []
    )
