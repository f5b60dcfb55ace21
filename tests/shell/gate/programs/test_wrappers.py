"""Programs that run others."""

import pytest

from .. import allowed, stopped, told

RUNS = """
env rm -rf src
env -i bash -c 'rm x'
env -S 'rm x'
env --split-string='rm x'
env -vS'rm x'
env A=1 B=2 git push
env PATH=. ls
env --unset=X rm y
env -C /tmp touch x
nohup rm x &
setsid git push
timeout 5 rm x
timeout --signal=KILL -k 1 5 rm x
nice rm x
nice -n5 -- rm x
ionice -c2 -n7 rm x
chrt -i 0 rm x
stdbuf --output=L rm x
time -p rm x
strace -f rm x
xargs rm < list
xargs -a list rm
echo x | xargs -I % sh -c 'rm %'
xargs -i rm {}
xargs --replace=@ rm @
xargs -Ifoo rm foo
ls | xargs -n1 -P4 rm -f
ls | xargs -t rm
ls | xargs -- rm
echo .env | xargs cat
printf '%s' --pre=./x | xargs rg foo
cat list | xargs sed -n 1p
git ls-files -z | xargs -0 -I{} git checkout -- {}
find . | parallel rm
parallel 'git push {}' ::: a b
parallel ::: 'rm x'
watch rm x
watch -n5 'git push'
watch -x rm a
flock /tmp/x rm y
flock l -c 'rm x'
script -c 'rm x' out
script -qc 'git push' /dev/null
script
busybox sh -c 'rm x'
busybox rm x
sudo ls
sudo -u root bash
doas rm x
su -
pkexec id
unshare -r ls
chroot / ls
direnv exec . ls
entr make
cross-env A=1 rm x
less +!rm a
ssh-agent ./x
run-parts d
chronic git push
/lib64/ld-linux-x86-64.so.2 /usr/bin/git push
"""


def test_what_a_wrapper_runs_counts() -> None:
    assert allowed(RUNS) == []


FREE = """
env A=1 ls
env -i ls
timeout 60 npm test
nice -n 10 cargo build
command git status
stdbuf -oL pytest -q | head
nohup make test > test.log 2>&1
time make
ls src | xargs -n 1 basename
rg -l x src | xargs ls -1t
git diff --name-only | xargs -I{} head -3 {}
find . -name '*.md' -print0 | xargs -0 grep -l TODO
rg --files | xargs rg TODO
echo a b | xargs -n1 echo
xargs -I{} man -P cat {} <<< ls
watch -n 1 ls
printenv PATH
setsid -w ls
cross-env NODE_ENV=test jest
"""


def test_wrapping_what_is_harmless_is_harmless() -> None:
    assert stopped(FREE) == []


@pytest.mark.parametrize(
    ("command", "effects"),
    [
        ("echo a b | xargs touch", {"write_ws a", "write_ws b"}),
        ("echo a | xargs -I{} touch src/{}", {"write_ws src/a"}),
        ("git ls-files | xargs touch", {"read .", "write_ws …"}),
        ("find src | xargs -n1 touch", {"read src", "write_ws src/…"}),
        ("env -C src touch a", {"write_ws src/a"}),
        ("busybox touch a", {"write_ws a"}),
    ],
)
def test_the_words_that_flow_in_are_known_where_they_can_be(command: str, effects: set[str]) -> None:
    assert told(command) == effects


def test_the_environment_is_a_secret() -> None:
    assert told("env") == {"secret"}
    assert told("printenv GITHUB_TOKEN") == {"secret"}
    assert told("printenv LANG") == set()
