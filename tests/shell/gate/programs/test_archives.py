"""Archives."""

from .. import allowed, stopped, told

OUT = """
tar -cf x.tar --checkpoint-action=exec=sh --checkpoint=1 a
tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec=./p
tar xf a.tar --to-command ./p
tar tf a.tar -I './p'
tar xf a.tar -C /
tar --extract --file=a.tar --directory=/etc
tar xf a.tar -C .git
tar Pxf a.tar
tar xf a.tar --absolute-names
tar czf /tmp/x.tgz .
tar -xf a.tar --use-compress-program=./x
tar -tf host:a.tar --rsh-command=ssh
tar xf a.tar
tar xf $x
tar -cf a.tar -F ./p b
tar cf a.tar ~
unzip a.zip -d /
unzip a.zip -d .git/hooks
unzip -o a.zip
unzip -K a.zip -d x
7z x a.7z -o/
cpio -i < a
zip -q out.zip a -T -TT 'sh #'
zip -m a.zip b
"""


def test_unpacking_elsewhere_or_running_something_asks() -> None:
    assert allowed(OUT) == []


IN = """
tar tf a.tar
tar tzf a.tgz | head
tar -tvf a.tar
tar czf a.tgz src
tar -czf a.tgz --exclude=node_modules src
tar -c -f a.tar a b
tar cf - src | wc -c
tar xzf a.tgz -C build
tar -x -f a.tar -C build --strip-components=1
tar --list --file a.tar
unzip -l a.zip
unzip -q a.zip -d out
zip -r a.zip src
gunzip -c a.gz | head
"""


def test_listing_packing_and_unpacking_into_a_folder_runs() -> None:
    assert stopped(IN) == []


def test_the_folder_counts_for_what_is_packed() -> None:
    assert "read /etc" in told("tar cf a.tar -C / etc")
