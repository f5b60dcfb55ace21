"""Text to tree: what the grammar and bash read differently has no tree (B4)."""

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.shell.parse import MAX_CHARS, Node, invisible, parse


def kinds(node: Node) -> list[str]:
    return [node.kind, *(kind for kid in node.kids for kind in kinds(kid))]


def tree(text: str) -> Node:
    found = parse(text)
    assert found.root is not None, found.problems
    return found.root


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "ls -la | head",
        "git log \\\n  --oneline \\\n  -5",
        "cat - <<EOF\nx\nEOF",
        "cat <<'EOF' >/dev/null\n$(x) `y`\nEOF\necho after",
        "cat <<-EOF\n\ttext\n\tEOF",
        'echo "a $b $(c "d e") f"',
        "echo a#b 'c # d' # e",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "case $x in a|b) foo;; *) bar;& esac",
        "exec 3<>file",
        "if [ -f x ]; then y; elif z; then q; else w; fi > out",
        "echo 你好，世界 🎉 👨‍👩 ❤️",
        "a=(1 2 3)\nls",
        "[[ $x =~ ^a[b]$ && -f y ]]",
        "! ls | cat",
    ],
)
def test_what_bash_reads_the_same_has_a_tree(text: str) -> None:
    assert parse(text).root is not None
    assert parse(text).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "echo 'open",
        "if then else fi",
        "git log &&& rm x",
        "ls apps/(app)",
        "ls -la )",
        "echo ${ rm x; }",
    ],
)
def test_what_is_no_bash_has_none(text: str) -> None:
    assert parse(text).root is None
    assert parse(text).problems


@pytest.mark.parametrize(
    "text",
    [
        "git status\n\\git push",
        "find . -del\\\nete",
        "r\\\nm x",
        "echo safe\n\\\nrm x",
        "ls -l\\\n#|rm x",
        "true\f# note; rm x",
        "true\v# note; rm x",
        "A=(a b)#&&rm x",
        "echo `a` `b`",
        "cat <<E\\OF\n$(x)\nEOF",
        "cat <<'E'done\nx\nE\nrm x",
        "cat <<EOF\nEO\\\nF\nrm x\nEOF",
        "cat <<$x\na\n$x",
        "[ -f |rm x ]",
        "[ a > b ]",
        "[-f x ]",
        "{ls; }",
        "echo $((1 + $(cat <<E\n(\nE\n)))",
        "a=(1)rm x",
        'echo $"rm"',
        "cat <<A <<B\na\nA\nb\nB",
    ],
)
def test_what_the_grammar_reads_differently_has_no_tree(text: str) -> None:
    assert parse(text).root is None


def test_long_and_deep_texts_are_not_read() -> None:
    assert "characters" in parse("x" * (MAX_CHARS + 1)).problems[0]
    deep = "echo " + "$(echo " * 200 + ")" * 200
    assert parse(deep).root is None


def test_nodes_count_characters_not_bytes() -> None:
    node = tree("echo äöü | wc")
    pipeline = node.kids[0]
    assert "echo äöü | wc"[pipeline.kids[-1].start : pipeline.kids[-1].end] == "wc"


@pytest.mark.parametrize("wide", ["\u00a0", "\u3000", "\u2003"])
def test_a_wide_blank_is_no_blank(wide: str) -> None:
    command = tree(f"ls{wide}-la").kids[0]
    assert len(command.kids) == 1


def test_pipelines_are_put_together_as_bash_groups_them() -> None:
    node = tree("a && b | c | d || e").kids[0]
    assert [k.kind for k in node.kids] == ["list", "||", "command"]
    inner = node.kids[0]
    assert [k.kind for k in inner.kids] == ["command", "&&", "pipeline"]
    assert [k.kind for k in inner.kids[2].kids] == ["command", "|", "command", "|", "command"]


def test_a_pipeline_behind_a_here_document_is_one() -> None:
    node = tree("cat <<E | sort | uniq && ls\nx\nE").kids[0]
    assert "pipeline" in kinds(node)
    assert kinds(node).count("|") == 2


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\u200b", "ZERO WIDTH SPACE"),
        ("\u202e", "RIGHT-TO-LEFT OVERRIDE"),
        ("\r", "CARRIAGE RETURN"),
        ("\x1b", "ESCAPE"),
        ("\u00a0", "NO-BREAK SPACE"),
        ("\u2028", "LINE SEPARATOR"),
        ("\ufeff", "ZERO WIDTH NO-BREAK SPACE"),
        ("\U000e0001", "LANGUAGE TAG"),
        ("\ue000", "U+E000"),
    ],
)
def test_what_cannot_be_seen_is_named(char: str, name: str) -> None:
    problems = parse(f"echo a{char}b{char}").problems
    assert name in problems[0]
    assert "2 times" in problems[0]


@pytest.mark.parametrize("text", ["echo 🚀", "echo ❤️", "echo 👨‍👩‍👧", "echo ü é ñ", "echo 日本語", "a\tb\nc"])
def test_letters_and_emoji_are_seen(text: str) -> None:
    assert list(invisible(text)) == []


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "echo \ue001"])
def test_what_no_program_can_be_given_has_no_tree(text: str) -> None:
    assert parse(text).root is None


@given(st.text(max_size=60))
def test_it_never_raises(text: str) -> None:
    found = parse(text)
    assert found.root is not None or found.problems


PIECES = r"""
ls|git status|echo hi|cat f|true|pwd|x=1|rm y|"a b"|'c d'|$x|"$x"|$(ls)|`pwd`|a\ b|x#y|# c|{a,b}|*|2>/dev/null|>o|<f
""".strip().split("|")
SIGNS = [
    "\n",
    ";",
    " && ",
    " || ",
    " & ",
    " | ",
    "\\\n",
    " ",
    "  ",
    "\t",
    "\n\\",
    "(",
    ")",
    "{ ",
    "; }",
    "<<E\n",
    "\nE\n",
]
KEYWORDS = [
    "if true; then ",
    "; fi",
    "for i in 1; do ",
    "; done",
    "while false; do ",
    "case a in a) ",
    ";; esac",
    "f() { ",
    "! ",
]


BASH = shutil.which("bash") or "/bin/bash"


def bash_runs(text: str, folder: Path) -> list[list[str]]:
    """What bash runs for `text` where no program exists: the words of each command it looks for."""
    log, env = folder / "log", folder / "env"
    log.write_bytes(b"")
    env.write_text(f'command_not_found_handle() {{ printf "%s\\0" "$@" $\'\\1\' >> {log}; }}\n')
    subprocess.run(
        [BASH, "-c", text], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False,
        env={"PATH": "/nonexistent", "BASH_ENV": str(env), "HOME": "/home/dev", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    ran = log.read_bytes().decode("utf-8", "replace").split("\1\0")[:-1]
    return [command.split("\0")[:-1] for command in ran]


def names(node: Node, text: str) -> set[str]:
    """The bare names of all commands in a tree."""
    found = {text[node.start : node.end]} if node.kind == "command_name" else set()
    return found.union(*(names(kid, text) for kid in node.kids))


def bare(word: str) -> str:
    """A word without its quotes."""
    return re.sub(r"['\"\\]", "", word)


def test_no_command_that_bash_runs_is_missing_from_the_tree(tmp_path: Path, rounds: Callable[[int], int]) -> None:
    """Random texts; where there is a tree, every program that bash looks for is a command in it (B4)."""
    source = random.Random(20_26)
    compared = 0
    for _ in range(rounds(8000)):
        text = "".join(
            source.choice(source.choice([PIECES, PIECES, SIGNS, KEYWORDS])) for _ in range(source.randint(2, 9))
        )
        root = parse(text).root
        if root is None or any(sign in text for sign in ("$x", "`", "{a,b}", "$(", "*")):
            continue
        compared += 1
        found = names(root, text)
        for words in bash_runs(text, tmp_path):
            assert bare(words[0]) in {bare(name) for name in found}, (text, words, found)
    assert compared
