"""`test`, `[` and `[[`."""

from .. import allowed, stopped


def test_conditions_only_look() -> None:
    assert (
        stopped("""
test -f a
[ -f a ] && cat a
[[ $x == y* ]]
[ "$a" = b -o -n "$c" ]
[[ -f .env ]]
[[ $n -gt 3 ]]
test $# -gt 0
[[ $x =~ ^a[b]+$ ]]
[ ! -d x ]
""")
        == []
    )


def test_but_subscripts_and_arithmetic_are_evaluated() -> None:
    assert (
        allowed("""
test -v 'a[$(rm x)]'
[ -v 'a[`rm x`]' ]
[[ -R 'a[$(rm x)]' ]]
[[ 'a[$(rm x)]' -eq 1 ]]
[[ 1 -lt '`rm x`' ]]
[ $(rm x) ]
""")
        == []
    )
