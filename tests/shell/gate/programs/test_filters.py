"""sed, awk and jq as commands; their languages have tests of their own."""

from .. import allowed, stopped, told


def test_files_are_read_and_in_place_written() -> None:
    assert told("sed -n 1p a b") == {"read a", "read b"}
    assert told("sed -i s/a/b/ a b") == {"write_ws a", "write_ws b"}
    assert told("sed -e 1p -e 2p a") == {"read a"}
    assert told("awk '{print}' a x=1 b") == {"read a", "read b"}
    assert told("jq . a b") == {"read a", "read b"}
    assert told("jq --arg x y --slurpfile f c '$x' a") == {"read c", "read a"}


def test_what_is_put_together_at_run_time_is_opaque() -> None:
    assert allowed('sed "$S" a\nsed "s/a/$B/" a\nawk "$P" a\nawk -v x=1 "{print $x}$y" a\njq "$F" a') == []


def test_numbers_and_names_in_a_script_are_no_harm() -> None:
    assert (
        stopped("""
n=$(wc -l < a); sed -n "$((n-1))p" a
for i in 1 2; do sed -n "${i}p" a; done
for i in 1 2; do awk "NR==$i" a; done
""")
        == []
    )


def test_jq_may_not_look_at_the_environment_or_load_code() -> None:
    assert (
        allowed("""
jq -n env
jq -n '$ENV.TOKEN'
jq -n '[env]'
jq 'env | .PATH' a
jq -L lib . a
jq 'import "x" as x; .' a
jq -n --rawfile k ~/.ssh/id_rsa '$k'
jq -f ~/.ssh/id_rsa a
""")
        == []
    )
    assert (
        stopped("""
jq .env a.json
jq '.a.env' a.json
jq -r '.[] | select(.name == "test")' a
jq --args '$ARGS' x y
""")
        == []
    )


def test_files_that_a_filter_only_passes_on_stay_names() -> None:
    assert stopped("git ls-files | grep py | sort | head -3 | xargs sed -i 's/a/b/'") == []
