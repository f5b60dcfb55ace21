"""The language of sed (B4)."""

from . import allowed, stopped, told

ACTS = r"""
sed -n 'w /etc/passwd' f
sed 's/x/y/w ../out' f
sed 's/a/b/;s/c/d/gw ../x' f
sed -n '/x/w../y' f
sed ";W ../output.txt" f
sed --expression='1!G;h;$!d' -e '1w ../x' f
sed '1e rm -rf src' f
sed 's/.*/rm/e' f
sed 's/a/b/;e' f
sed -n '1p⏎e touch ../x' f
sed 'y/a/b/;e ls' f
sed '$!N;s/a/b/;w ../out' f
sed -i 's/a/b/' ~/.bashrc
sed -i '' 's/a/b/' /etc/hosts
sed --in-place=.bak s/a/b/ .git/config
sed -ni 's/o/y/;w ../x.txt' f
sed -f evil.sed f
sed 'r /etc/shadow' f
sed '$r .env' f
sed "$SCRIPT" f
sed "s/a/$x/" f
sed --expr='1e' f
sed 's/[/]/;e rm x;/' f
sed 's|a|b|e' f
sed '/a/,/b/{s/c/d/;e⏎}' f
sed 'a\⏎text⏎e rm x' f
sed -i.bak/../../x s/a/b/ f
"""


def test_scripts_that_write_or_run_are_seen() -> None:
    assert allowed(ACTS) == []


READS = r"""
sed -n '10,20p' a
sed -n '/start/,/end/p' a
sed 's/a/b/' a
sed 's#/a/#/b/#g' a
sed -E 's/[0-9]+/N/g; s/ +/ /g' a
sed -e 's/foo/bar/' -e '/x/d' a
sed ':a;N;$!ba;s/\n/ /g' a
sed '/^#/d;/^$/d' a
sed -n '$=' a
sed '5q' a
sed 's/write/w/g' a
sed '2~2G' a
sed -n '1~3p' a
sed 'y/abc/xyz/' a
sed '1i\header' a
sed '/x/a text with e and w /etc/x' a
sed 's/a\/b/c/' a
sed -i 's/old/new/g' src/a.js
sed -i.bak 's/a/b/' a
sed '1!G;h;$!d' a
sed -n '/a/{=;p}' a
sed 's/x/&&/;# comment' a
sed -n "$((2-1)),$((1+4))p" a
sed "1,260p" a
sed 'N;P;D' a
sed -s -n 1p a b
"""


def test_scripts_that_only_change_text_run() -> None:
    assert stopped(READS) == []


def test_files_that_a_script_names_are_read_and_written() -> None:
    assert told("sed -n 's/a/b/w out' f") == {"write_ws out", "read f"}
    assert told("sed '1r b' f") == {"read b", "read f"}
    assert told("sed -i s/a/b/ f") == {"write_ws f"}
