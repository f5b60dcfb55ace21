"""Which files are not watched; git itself is the judge."""

import subprocess

from workbench.history.ignore import Ignore, of_root


def rules_for(work, rel: str) -> Ignore:
    rules = of_root(str(work.root))
    folder = str(work.root)
    for part in rel.split("/")[:-1]:
        folder += "/" + part
        rules = rules.enter(folder)
    return rules


def test_no_ignore_file_no_rule(work) -> None:
    work.person("a", b"")
    assert not of_root(str(work.root)).skips(f"{work.root}/a", folder=False)


def test_git_agrees(work) -> None:
    work.person(".gitignore", b"*.log\n!keep.log\n/build\nout/\ndoc/*.txt\n**/deep/x\n# note\n\\#odd\n\nsp ace\n")
    work.person("sub/.gitignore", b"!a.log\n/only-here\n")
    work.person("sub/sub/.gitignore", b"*\n!.gitignore\n!yes\n")
    names = [
        "a.log", "keep.log", "build", "x/build", "sub/a.log", "sub/b.log", "sub/only-here", "sub/x/only-here",
        "doc/a.txt", "doc/x/a.txt", "q/deep/x", "deep/x", "#odd", "sp ace", "sub/sub/no", "sub/sub/yes", "plain",
    ]  # fmt: skip
    for name in names:
        work.person(name, b"")
    subprocess.run(["git", "init", "-q"], cwd=work.root, check=True)
    (work.root / ".git/info/exclude").write_text("plain\n")
    told = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"], cwd=work.root, input="\n".join(names), capture_output=True,
        text=True,
    ).stdout.split("\n")  # fmt: skip
    for name in names:
        ours = rules_for(work, name).skips(f"{work.root}/{name}", folder=False)
        assert ours == (name in told), name


def test_a_folder_pattern_names_folders_only(work) -> None:
    work.person(".gitignore", b"out/\n")
    rules = of_root(str(work.root))
    assert rules.skips(f"{work.root}/out", folder=True)
    assert not rules.skips(f"{work.root}/out", folder=False)


def test_a_bad_pattern_a_link_and_a_huge_file_do_no_harm(work, tmp_path) -> None:
    work.person(".gitignore", b"!\n*.o\n\xff\xfe\n")
    assert of_root(str(work.root)).skips(f"{work.root}/a.o", folder=False)
    (tmp_path / "rules").write_text("*\n")
    work.path("d").mkdir()
    work.path("d/.gitignore").symlink_to(tmp_path / "rules")
    assert not rules_for(work, "d/a").skips(f"{work.root}/d/a", folder=False)
    work.person("e/.gitignore", b"*\n" * (1 << 20))
    assert not rules_for(work, "e/a").skips(f"{work.root}/e/a", folder=False)
