"""Control flow as bash runs it (B4)."""

from workbench.shell.gate.values import ANY, BENEATH, SOME
from workbench.shell.gate.walk import common

from . import allowed, stopped, told

LEAVING = """
cd .. && echo x > a
cd ..; touch x
cd src && cd .. && cd .. && touch x
cd src; touch ../../x
for d in ..; do cd $d; touch x; done
while true; do cd ..; touch x; done
f() { cd ..; }; f; touch x
pushd ..; touch x
cd $UNKNOWN; touch x
cd - && touch x
CDPATH=/ cd etc && touch x
cd /tmp || true; touch x
if cd /tmp; then touch x; fi
if cd /tmp; then :; else :; fi; touch x
cd /tmp && ls; touch x
{ cd ..; }; touch x
cd .. | cat; cd ..; touch x
bash -c 'cd ..; touch x'
eval 'cd ..'; touch x
ln -s .. p; cd p; touch x
ln -s / r; for f in r; do echo x > $f/tmp/y; done
d=src; case x in x) d=/etc;& b) echo > $d/x;; esac
d=src; case x in x) d=/etc;;& *) echo > $d/x;; esac
"""


def test_leaving_the_workspace_is_followed() -> None:
    assert allowed(LEAVING) == []


STAYING = """
cd src && touch x
cd src || exit 1; touch x; touch ../y
(cd /tmp && ls); touch x
cd .. | cat; touch x
echo $(cd /tmp; pwd); touch x
cd /tmp & touch x
cd src && make; cd ..; ls
mkdir build && cd build && cmake .. && make
cd "$(git rev-parse --show-toplevel)" && touch x
cd "$(pwd)" && touch x
pushd src && ls && popd && touch x
for d in a b c; do mkdir -p $d/src; done
for f in src/*.js; do sed -i 's/a/b/' "$f"; done
for f in *.txt; do mv "$f" "${f%.txt}.md"; done
git ls-files '*.py' | while read -r f; do sed -i 's/a/b/' "$f"; done
find . -name '*.py' | xargs sed -i 's/a/b/'
rg -l foo | xargs sed -i 's/foo/bar/g'
if [ -f a ]; then cat a; else echo no; fi
case $(uname) in Linux) echo lin;; *) echo other;; esac
until [ -f build/done ]; do sleep 1; done; ls build
while read -r l; do echo "$l"; done < <(git ls-files)
! grep -q x a
sleep 1 & wait
"""


def test_staying_in_it_is_free() -> None:
    assert stopped(STAYING) == []


BODIES = """
if true; then rm x; fi
if rm x; then :; fi
if a; then :; elif rm x; then :; fi
if a; then :; else rm x; fi
while rm x; do :; done
while :; do rm x; done
until rm x; do :; done
for i in 1 2; do rm x; done
set -- a; for i; do rm x; done
for ((;;)); do rm x; done
select i in a; do rm x; done
case a in a) rm x;; esac
case a in b) :;; *) rm x;; esac
{ rm x; }
(rm x)
! rm x
rm x &
a & rm x
a || rm x
a | rm x
a |& rm x
coproc rm x
coproc c { rm x; }
a && { b || { c; rm x; }; }
"""


def test_no_body_is_left_out() -> None:
    assert allowed(BODIES) == []


def test_a_list_goes_on_from_where_it_got() -> None:
    assert told("cd a && cd b && touch x") == {"write_ws a/b/x"}
    assert told("cd a && touch x; touch y") == {"write_ws a/x", "write_ws a/y", "write_ws y"}
    assert told("cd a || cd b; touch x") == {"write_ws a/x", "write_ws b/x", "write_ws x"}


def test_many_or_unknown_words_are_walked_once() -> None:
    assert told("for i in {a,b}{a,b}{a,b}{a,b}; do cat $i; done") == {"read *"}
    assert told("for f in $(cat list); do cat $f; done") >= {"read …"}


def test_what_words_have_in_common() -> None:
    assert common(["a", "b"]) == SOME
    assert common(["a", "b/c"]) == BENEATH
    assert common(["a", "-x"]) == ANY
    assert common(["a", "../b"]) == ANY
    assert common(["/a", "b"]) == ANY


def test_a_here_document_before_a_pipeline_flows_into_it() -> None:
    assert told("cat <<E | bash\nrm x\nE") == {"opaque"}
    assert told("cat <<E && rm x\ntext\nE") == {"delete x"}
    assert told("cat <<E | sort | tee out\ntext\nE") == {"write_ws out"}
