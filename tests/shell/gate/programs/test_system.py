"""The machine and its processes."""

from .. import allowed, outcome, stopped, told

ASKS = """
systemctl restart nginx
systemctl enable x
service nginx stop
launchctl unload x
crontab -r
crontab file
crontab
cat a | crontab -
ip link set eth0 down
ip netns exec x sh
mount a b
umount x
shutdown -h now
reboot
useradd x
passwd
sysctl -w a=1
sysctl a=1
setcap x y
iptables -F
chown root x
kill 123
kill -9 123
kill -9 1
kill $(pgrep x)
kill -KILL %1 123
killall node
pkill -f python
xkill
fuser -k 80/tcp
lsof -ti:3000 | xargs kill
strace -p 1
gpg --export-secret-keys
gpg -d x
ssh-keygen -t ed25519
ssh-add -L
openssl enc -d -in x
pass show x
security find-generic-password -w
vault read secret/x
dmesg -C
hostname evil
date -s yesterday
date 0101000020
mkfs.ext4 /dev/sdb1
renice 5 1
modprobe x
"""


def test_changing_the_machine_asks() -> None:
    assert allowed(ASKS) == []


RUNS = """
systemctl status nginx
systemctl list-units
crontab -l
ip addr
ip route show
ps aux
ps -ef | head
pgrep -f node
lsof -i :3000
ss -tlnp
netstat -an
top -b -n 1 | head
free -m
uptime
uname -a
whoami; id; hostname; date -Iseconds
nproc
sysctl vm.swappiness
dmesg -T
kill %1
sleep 100 & kill $!
kill -l
openssl version
openssl rand -hex 8
gpg --version
readelf -a a.o
cloc src
journalctl -u x -n 50
"""


def test_looking_at_it_runs() -> None:
    assert stopped(RUNS) == []


def test_every_process_at_once_is_denied() -> None:
    assert outcome("kill -9 -1") == "deny"
    assert outcome("kill -- -1") == "deny"
    assert outcome("kill -9 123") == "ask"


def test_processes_are_named() -> None:
    assert told("kill -TERM 1234") == {"kill 1234"}
    assert told("pkill node") == {"kill node"}
    assert "priv /dev/sda" in told("wipefs -a /dev/sda")
