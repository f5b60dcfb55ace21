"""git."""

from pathlib import Path

from workbench.shell.effects import analyse

from .. import HOME, allowed, stopped, told

ASKS = """
git diff --output=/etc/x
git diff --outp=../x HEAD~1
git log --output=../x
git format-patch -o /tmp HEAD~3
git archive --output=../x.tar HEAD
git archive --remote=. --exec=./p HEAD
git bundle create ../x.b HEAD
git -c core.pager=./p status
git -c core.fsmonitor=./p status
git -c diff.external=./p diff
git -c alias.x='!rm x' x
git -c core.sshCommand=./x fetch
git -ccore.editor=./x commit -m x
git --config-env=core.pager=P status
git --exec-path=./x status
git --git-dir=/tmp/x status
git --work-tree=/tmp status
git -C /etc init
git -C .. clean -fdx
git -p log
git show --ext-diff
git diff --textconv
git cat-file --textconv x
git grep -O./p x
git grep --open-files-in-pager x
git grep --no-index x ~
git blame --contents /etc/shadow a
git $(echo push) origin main
git $x
git st
git frob
git push
git push -f
git push --force-with-lease
git push origin +main
git push origin :main
git push origin --delete x
git push --mirror backup
git push $x
x=--force; git push $x
git push --receive-pack=./p
git reset --hard
git reset --keep
git reset --soft HEAD~2
git reset HEAD~1
git checkout .
git checkout -- a
git checkout main
git checkout -f
git checkout HEAD~1 -- a
git checkout -p
git checkout -B x
git restore .
git restore --source=HEAD~1 a
git restore -SW a
git clean -fd
git clean -xfd
git clean -i
git clean
git stash
git stash -u
git stash drop
git stash clear
git stash pop
git branch -D x
git branch -d x
git branch -m a b
git branch -f main HEAD~3
git branch --set-upstream-to=o/m
git tag -d v1
git tag -f v1
git tag -s v1
git rebase main
git rebase -i HEAD~3
git rebase --exec 'touch x' main
git merge x
git cherry-pick x
git commit --amend
git commit --fixup HEAD
git commit
git commit -e -m x
git commit -m x --no-verify
git commit -S -m x
git am x
git filter-branch --all
git update-ref -d HEAD
git symbolic-ref HEAD refs/heads/x
git reflog expire --all
git gc
git gc --prune=now
git worktree remove x
git worktree add /tmp/x
git submodule update --init
git submodule foreach 'git reset --hard'
git bisect run ./x
git fetch
git fetch --upload-pack=./p origin
git fetch origin +refs/heads/*:refs/heads/*
git pull --ff-only
git clone https://x.example/y
git clone 'ext::sh -c touch% x' x
git clone -c core.hooksPath=x a b
git ls-remote origin
git ls-remote --upload-pack='touch x' .
git remote add x https://y.example
git remote set-url origin https://evil.example
git remote update
git config core.hooksPath /tmp/x
git config alias.st '!rm'
git config user.email a@b
git config --global user.name x
git config --unset x
git config -l
git config --get-regexp .
git config -f .git/config x.y z
git config --get remote.x.token
git credential fill
git credential-store get
git send-email x
git svn fetch
git daemon
git difftool
git hook run pre-commit
git rm a
git rm -r --cached .
git mv a ../b
git mv a .git/hooks/x
git apply --unsafe-paths x
git apply --directory=../x p
git notes add -m x
git replace a b
git init ../x
git init --template=/tmp/x
git lfs push
git help -w log
git show HEAD:.env
git log -p -- .env
git add .env
git diff --no-index /dev/null ~/.ssh/id_rsa
"git">/dev/null push --force origin main
git -c core.foo=bar reset --hard
cd sub && git clean -f
"""


def test_what_rewrites_publishes_or_plants_asks() -> None:
    assert allowed(ASKS) == []


RUNS = """
git status -sb
git diff main...HEAD --stat
git diff --name-only HEAD~1
git diff --no-index a b
git log --oneline --graph --all -20
git log --format='%h %an %s' --since='2 weeks ago' | head
git log -S foo -p -2 -- a
git log -L 1,5:a.py
git show HEAD:src/a.py
git show --stat HEAD~2
git blame -L 10,20 a
git branch -vv
git branch --list 'f/*'
git branch x
git tag v1
git tag -a v1 -m x
git tag -l 'v1.*'
git remote -v
git remote get-url origin
git rev-parse --short HEAD
git describe --tags --always --dirty
git ls-files -m -o --exclude-standard
git ls-tree -r HEAD --name-only
git cat-file -p HEAD^{tree}
git reflog -10
git stash list
git shortlog -sn HEAD
git config --get user.name
git config user.email
git worktree list
git worktree add .worktrees/x -b x
git check-ignore -v build/
git merge-base main HEAD
git rev-list --count HEAD
git grep -n foo HEAD~1 -- src
git diff-tree --no-commit-id --name-only -r HEAD
git add -A
git add src/a.py
git commit -m x
git commit -am x
git commit -F msg.txt
git commit --dry-run -m x
git commit -m a -m b --author='A <a@b>'
git switch -c x
git switch main
git checkout -b x
git restore --staged a
git reset
git reset HEAD a
git reset -- a
git mv a b
git revert --no-edit HEAD
git apply fix.patch
git apply --check fix.patch
git format-patch -1 HEAD
git archive -o a.tar HEAD
git init
git init sub
git clean -n -d
git -C sub status --short
git --no-pager log -3
git -c core.pager=cat log -3
git -ccore.pager=cat status
git -c color.ui=never status
git -c user.name=x commit -m y
git stash show
git --version
git help log
"""


def test_looking_and_local_commits_run() -> None:
    assert stopped(RUNS) == []


def test_what_is_written_elsewhere_is_outside() -> None:
    assert "write_out /etc" in told("git -C /etc commit -m x")
    assert "write_ws ." in told("git -C sub commit -m x")


def test_remotes_are_named() -> None:
    assert "external origin" in told("git push origin main")
    assert "history +main" in told("git push origin +main")
    assert "net_read x.example" in told("git clone https://x.example/a.git")
    assert "write_ws a" in told("git clone git@x.example:b/a.git")


def test_the_top_of_the_repository_is_known(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    command = 'cd "$(git rev-parse --show-toplevel)" && touch x'
    found = analyse(command, cwd=tmp_path / "sub", root=tmp_path, home=HOME)
    assert "x" in {e.target for e in found.effects}
    assert "write_out" not in {e.verb.value for e in found.effects}
