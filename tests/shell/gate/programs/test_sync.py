"""rsync."""

from .. import allowed, stopped, told


def test_other_hosts_and_deletions_ask() -> None:
    assert (
        allowed("""
rsync -a ./ host.example:/srv
rsync host:a b
rsync -a u@h::m b
rsync rsync://h/m b
rsync -a --delete a/ b/
rsync --remove-source-files a b
rsync -a a ../b
rsync -e 'ssh -i k' a b
rsync --rsync-path=x a b
rsync -a ~/ x/
rsync x .git/hooks/
rsync --frob a b
rsync $x b
""")
        == []
    )


def test_local_copies_run() -> None:
    assert (
        stopped("""
rsync -a src/ dst/
rsync -av --exclude node_modules src/ dst
rsync --archive --filter='- x' a b
""")
        == []
    )


def test_hosts_are_named() -> None:
    assert "external host" in told("rsync -a a user@host:/b")
    assert "net_read host" in told("rsync -a host:/a b")
