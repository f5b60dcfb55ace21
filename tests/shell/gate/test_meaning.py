"""Variables, arithmetic and substitutions where they stand (B4)."""

from . import allowed, stopped, told

ARITHMETIC = """
(( $(rm x) ))
echo $(( $(rm x) + 1 ))
let x=$(rm y)
let 'a[$(rm x)]=1'
echo ${x[$(rm y)]}
a[$(rm x)]=1
declare x[$(rm y)]=1
declare 'x[$(rm y)]=1'
declare -i n='a[$(rm y)]'
read 'a[$(rm x)]'
unset 'a[$(rm x)]'
printf -v 'a[$(rm x)]' y
mapfile -t 'a[$(rm x)]'
wait -n -p 'a[$(rm x)]'
[[ -v a[$(rm x)] ]]
[[ -v 'a[$(rm x)]' ]]
test -v 'a[$(rm x)]'
[[ 'a[$(rm x)]' -eq 1 ]]
echo $((a[$(rm x)]))
x='a[$(rm y)]'; echo $((x))
x='a[$(rm y)]'; (( x > 1 ))
x='a[$(rm y)]'; [[ $x -eq 1 ]]
x='a[$(rm y)]'; echo ${z:x}
x=$(printf 'a[$(rm y)]'); echo $((x))
for ((i=a[$(rm x)];;)); do :; done
echo $((1 + `rm x`))
"""


def test_arithmetic_runs_no_command_unseen() -> None:
    assert allowed(ARITHMETIC) == []


def test_everyday_arithmetic_runs() -> None:
    assert (
        stopped("""
x=5; (( x++ )); echo $x
echo $((1+2))
read -r n < count.txt; echo $(( n ))
for ((i=0; i<3; i++)); do echo $i; done
let x=1
[ $# -gt 0 ] && echo $(( $# - 1 ))
n=$(wc -l < a); echo $((n * 2))
""")
        == []
    )


SUBSTITUTIONS = """
echo $(rm x)
echo "$(rm x)"
echo `rm x`
echo `echo \\`rm x\\``
x=$(rm y)
x=`rm y` true
cat <(rm x)
cat < <(rm x)
tee >(rm x)
echo ${x:-$(rm y)}
cat <<E⏎$(rm x)⏎E
for i in $(rm x); do :; done
case $(rm x) in a) :;; esac
case a in $(rm x)) :;; esac
[[ $(rm x) ]]
test $(rm x)
echo x > $(rm y)
export X=$(rm y)
a=(1 $(rm x))
git log --format=$(rm x)
echo $(echo $(rm x))
git commit -m "$(cat <<E⏎$(rm x)⏎E⏎)"
"""


def test_what_substitutions_run_counts() -> None:
    assert allowed(SUBSTITUTIONS) == []


def test_they_run_in_a_shell_of_their_own() -> None:
    assert told("echo $(cd ..; pwd); touch x") == {"write_ws x"}
    assert told("x=src; echo $(x=/etc); touch $x/y") == {"write_ws src/y"}


def test_what_is_assigned_on_the_way_is_not_trusted() -> None:
    for command in (
        "x=src; if a; then x=/etc; fi; echo > $x/y",
        "x=src; false || x=/etc; echo > $x/y",
        "x=src; while read l; do echo > $x/y; x=/etc; done",
        "x=src; for i in *; do echo > $x/y; x=/etc; done",
        "x=src; case a in a) x=/etc;; esac; echo > $x/y",
        "x=src; read x; echo > $x/y",
        "x=src; f() { x=/etc; }; f; echo > $x/y",
        "x=/etc; f() { local x=src; }; f; echo > $x/y",
        "x=src; eval x=/etc; echo > $x/y",
        "x=src; : ${x:=a} ${x##*}; printf -v x /etc; echo > $x/y",
        "x=src; mapfile x < a; echo > $x/y",
        "x=src; for x in /etc; do :; done; echo > $x/y",
        "f() { x=/etc; [ -f y ] && return; x=src; }; f; echo > $x/z",
        "for i in 1 2; do x=/etc; [ -f y ] && continue; x=src; done; echo > $x/z",
    ):
        assert "write_out" in " ".join(told(command)), command


def test_an_assignment_before_a_command_is_for_the_command_only() -> None:
    assert told("x=/etc; x=src true; echo > $x/y") >= {"write_out /etc/y"}
    assert told("x=src; x=/etc true; echo > $x/y") == {"write_ws src/y"}
