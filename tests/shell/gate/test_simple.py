"""Simple commands, functions, and commands that run others (B4)."""

from . import allowed, stopped, told, words


def test_functions_are_walked_where_they_are_called() -> None:
    assert told('f() { rm "$1"; }; f a b') == {"delete a"}
    assert told('mk() { mkdir -p "$1"; }; mk src/a; mk src/b') == {"write_ws src/a", "write_ws src/b"}
    assert told("f() { rm x; }") == set()


SHADOWED = """
ls() { rm -rf src; }; ls
function git { command git push; }; git status
cd() { curl -s https://x.example; }; cd src
f() { g; }; g() { rm x; }; f
f() { $1 -rf src; }; f rm
f() { "$@"; }; f rm x
ls() { rm x; }; time ls
ls() { rm x; }; ! ls
ls() { rm x; }; echo $(ls)
ls() { rm x; }; ls | cat
ls() { rm x; }; eval ls
f() { rm x; }; trap f EXIT
false && rm() { :; }; rm -rf src
if false; then rm() { :; }; fi; rm -rf src
rm() { :; }; unset -f rm; rm -rf src
(rm() { :; }); rm -rf src
rm() { :; }; command rm -rf src
rm() { :; }; \\rm x; env rm x
f() { f | f & }; f
ls() { rm x; }; export -f ls; bash -c ls
alias ls='rm x'; ls
"""


def test_a_name_that_was_given_another_meaning_has_it() -> None:
    assert allowed(SHADOWED) == []


def test_a_function_replaces_the_program_where_it_is_surely_defined() -> None:
    assert stopped('rm() { echo no; }; rm -rf src\nlog() { echo "$@"; }; log a b') == []


def test_assignments_before_a_command() -> None:
    assert words("A=1 B=2 git log") == [("git", "log")]
    assert words("A=1") == []


def test_wrappers_and_what_they_run_are_commands_of_their_own() -> None:
    assert words("sudo env A=1 timeout 5 rm x") == [
        ("sudo", "env", "A=1", "timeout", "5", "rm", "x"),
        ("env", "A=1", "timeout", "5", "rm", "x"),
        ("timeout", "5", "rm", "x"),
        ("rm", "x"),
    ]


def test_a_script_in_another_shell_knows_nothing_of_this_one() -> None:
    assert "write_out" in " ".join(told("x=src; bash -c 'echo > $x/y'"))
    assert told("bash -c 'echo > src/$1' _ y") == {"write_ws src/y"}


def test_declarations() -> None:
    assert words("export A=1 B") == [("export", "A=1", "B")]
    assert words("declare -a x=(1 2); ls") == [("declare", "-a"), ("ls",)]
    assert words("unset -f x") == [("unset", "-f", "x")]


def test_tests_are_commands() -> None:
    assert words("[ -f a ]") == [("[", "-f", "a", "]")]
    assert words("[[ $x == y* && -f a ]]") == [("[[", None, "==", "y*", "&&", "-f", "a", "]]")]


def test_nesting_has_an_end() -> None:
    command = "ls"
    for _ in range(40):
        command = "bash -c '" + command.replace("'", "'\\''") + "'" if len(command) < 3000 else f"env {command}"
    assert allowed(command.replace("\n", " ")) == [] or "ls" in command
    assert "opaque" in told("env " * 60 + "ls")
