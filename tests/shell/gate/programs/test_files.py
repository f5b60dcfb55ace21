"""Copying, linking, deleting, changing."""

from pathlib import Path

from workbench.shell.effects import analyse

from .. import HOME, allowed, kinds, stopped, told

OUT = """
cp a ../b
cp -r . /tmp/x
cp --target-directory=/tmp a
cp -t ~ a b
cp payload .git/hooks/pre-commit
cp x.envrc .envrc
cp hooks/* .git/hooks/
cp -r .git/hooks ../other/.git/
cp evil.json .vscode/settings.json
cp a "$x"
mv src ../
mv src /tmp/trash
mv * /tmp
mv hooks .GIT/hooks
mv a .claude/settings.json
mkdir -p /opt/app/{a,b}
mkdir -p sub/.git && cp evil.cfg sub/.git/config
touch ../workspace-evil/x
touch $(pwd)/../x
install -m 755 x /usr/local/bin/x
ln -s /etc app && echo x > app/hosts
ln -sf /etc/passwd config/passwd
ln -s .git g; echo x > g/config
ln -s .git/hooks h && cp x h/pre-commit
mkdir a; ln -s /tmp a/b; cp x a/b/c
ln -s "$x" l
chmod u+s ./tool
chmod 4755 x
chmod 777 /etc
chmod +x .git/hooks/pre-push
chmod $m x
truncate -s 0 *
truncate -s0 /etc/x
split -b1 a /tmp/x
mktemp -p /opt
dd if=/dev/zero of=/dev/sda
dd if=x of=.git/config
dd if=.env
patch -p1 < fix.patch
gzip ../a
rmdir ../x
"""


def test_what_leaves_the_workspace_or_acts_later_asks() -> None:
    assert allowed(OUT) == []


IN = """
cp a b
cp -r templates/base src/pages/base
cp src/*.py dst/
cp a{,.bak}
mv src/old.py src/new.py
mv a b c/
mkdir -p a/b/c
touch src/{a,b}.py ./a/../b.txt
ln -s a b
ln -sf ../src/a.js lib/b.js
chmod +x scripts/run.sh
chmod -R u+w src
chmod 644 a
install -d a/b
mktemp -d
truncate -s 0 app.log
dd if=a of=b bs=1M count=1
gzip -k a
split -l 10 a part-
rmdir empty_dir
basename src/a.py .py
realpath a
"""


def test_what_stays_and_can_be_taken_back_runs() -> None:
    assert stopped(IN) == []


def test_a_destination_that_is_a_folder_is_written_into(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()

    def effects(command: str) -> set[str]:
        return {f"{e.verb} {e.target}" for e in analyse(command, cwd=tmp_path, root=tmp_path, home=HOME).effects}

    assert "persist conf/.envrc" in effects("cp /x/.envrc conf")
    assert "persist conf/.envrc" in effects("mv .envrc conf")
    assert "write_ws other" in effects("cp a other")


def test_a_link_made_by_the_script_is_followed_when_it_is_copied() -> None:
    assert "write_out" in " ".join(told("ln -s a l; mv l m; echo x > m/y"))


def test_one_literal_path_is_told_from_many() -> None:
    assert kinds("rm a") == {"one_path"}
    assert kinds("rm -f ./src/a.py") == {"one_path"}
    for command in ("rm -r a", "rm *", "rm $x", "rm ../a", "rm -R a"):
        assert "one_path" not in kinds(command)


def test_what_commands_print_is_known_where_it_helps() -> None:
    assert told("touch $(basename /etc/x)") == {"write_ws x"}
    assert told("touch $(dirname src/a)/b") == {"write_ws src/b"}
    assert told("touch $(realpath src)/b") >= {"write_ws src/b"}
    assert "write_out" in " ".join(told("echo x > $(mktemp)"))
