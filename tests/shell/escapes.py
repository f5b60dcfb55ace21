"""Ways out of a sandbox. Each command exits with 0 when it got where it should not; `{…}` are fields of a `Prison`."""

import platform

from workbench.shell.jail.seccomp import DENIED, MACHINES

PYTHON = (
    "{python} -I -S - <<'EOF'\nimport ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n{code}\nEOF"
)


def py(code: str) -> str:
    """A probe in Python: what it raises is a failure to escape."""
    return PYTHON.replace("{code}", code)


def call(name: str, *args: str) -> str:
    """A probe that makes one system call of this machine; it escapes when the kernel does not refuse."""
    number = DENIED[name][MACHINES[platform.machine()][0]]
    return py(f"sys.exit(libc.syscall({', '.join([str(number), *args])}) < 0)")


WRITES = {
    "write beside the workspace": "echo x > {outside}/new",
    "change a file outside": "echo x >> {outside}/file",
    "delete a file outside": "rm -f {outside}/file",
    "rename a file outside": "mv {outside}/file {outside}/moved",
    "truncate a file outside": py("os.truncate('{outside}/file', 0)"),
    "write into /etc": "touch /etc/workbench-test",
    "write into /usr/bin": "cp /bin/true /usr/bin/workbench-test",
    "write into /var": "touch /var/workbench-test || touch /var/lib/workbench-test",
    "write through a link": "ln -sf {outside}/file link && echo x >> link",
    "write through /proc/self/root": "echo x >> /proc/self/root{outside}/file",
    "write through /proc/1/root": "echo x >> /proc/1/root{outside}/file",
    "hard link to a file outside": "ln {outside}/file hard && echo x >> hard",
    "write to the program that runs it": "echo x >> /proc/self/exe",
    "overwrite the sandbox's own program": "cp /bin/true /usr/bin/bwrap",
    "write into the workbench's data": "echo x > {hidden}/secret_key",
}
READS = {
    "read an ssh key": "grep -r {secret} {home}/.ssh",
    "read a netrc": "grep {secret} {home}/.netrc",
    "read another file of the home": "grep {secret} {home}/notes.txt {home}/.bash_history",
    "read the workbench's data": "grep -r {secret} {hidden}",
    "read the shadow file": "grep : /etc/shadow",
    "read the environment of other processes": "cat /proc/[0-9]*/environ 2>/dev/null | grep -a {secret}",
    "read the memory of other processes": py("open('/proc/{server}/mem', 'rb')"),
    "read another root folder": "ls /root/.ssh /root/.bash_history || ls -A /home | grep .",
}
NETWORK = {
    "connect to this machine by TCP": "exec 3<>/dev/tcp/127.0.0.1/{tcp}",
    "connect by IPv6": py("socket.create_connection(('::ffff:127.0.0.1', {tcp}), 2)"),
    "send UDP to this machine": py(
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', {udp}))\n"
        "sys.exit(0 if open('/proc/net/dev').read().count(':') > 1 else 1)"
    ),
    "look a name up": py("socket.getaddrinfo('example.com', 80)"),
    "connect to a socket on disk": py("socket.socket(socket.AF_UNIX).connect('{socket}')"),
    "connect to an abstract socket": py("socket.socket(socket.AF_UNIX).connect('\\0{abstract}')"),
    "reach the host by vsock": py("socket.socket(40, socket.SOCK_STREAM)"),
    "open a packet socket": py("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    "use the kernel's ciphers": py("socket.socket(38, socket.SOCK_SEQPACKET)"),
    "find docker's socket": "test -S /run/docker.sock || test -S /var/run/docker.sock || ls /run/user/*/bus",
}
KERNEL = {
    "remount the root writable": "mount -o remount,bind,rw /",
    "mount a tmpfs": "mount -t tmpfs none /mnt",
    "mount a new proc": "mount -t proc proc /proc",
    "bind over .git": "mount --bind /tmp .git",
    "unmount a mask": "umount {home} || umount /home || umount -l /run",
    "unmount .git": "umount .git || umount -l .git",
    "make a user namespace": "unshare --user true",
    "make a mount namespace": "unshare --mount true || unshare --user --map-root-user --mount true",
    "enter another namespace": "nsenter --target 1 --mount true || nsenter --target $PPID --mount true",
    "change the root": "chroot / true",
    "become root": "test $(id -u) != 0 && " + py("os.setuid(0)"),
    "take capabilities by a set-uid program": "su -c true root || sudo -n true",
    "make a device": "mknod disk b 259 0 || mknod mem c 1 1",
    "read a disk": "head -c 512 /dev/vda || head -c 512 /dev/sda || head -c 512 /dev/nvme0n1",
    "read the kernel's log": "dmesg || head -c 1 /dev/kmsg",
    "write a kernel setting": "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness",
    "press the magic key": "echo h > /proc/sysrq-trigger",
    "write in /sys": "cat /sys/kernel/mm/transparent_hugepage/enabled > /sys/kernel/mm/transparent_hugepage/enabled",
    "move to another control group": "cd /sys/fs/cgroup; echo $$ > cgroup.procs || echo $$ > pids/cgroup.procs",
    "change what runs after a crash": "echo '|/tmp/x' > /proc/sys/kernel/core_pattern",
    "change how modules are loaded": "echo /tmp/x > /proc/sys/kernel/modprobe",
    "set the clock": "date -s '2001-01-01'",
    "rename the machine": py("socket.sethostname('evil')"),
    "trace a process": py(
        "import signal\npid = os.fork()\nif not pid: signal.pause()\nsys.exit(libc.ptrace(16, pid, 0, 0) < 0)"
    ),
    "signal the workbench": "kill -0 {server}",
    "type into a terminal": py("import fcntl, pty\nmaster, slave = pty.openpty()\nfcntl.ioctl(slave, 0x5412, b'x')"),
    "type into a console": py("import fcntl, pty\nmaster, slave = pty.openpty()\nfcntl.ioctl(slave, 0x541C, b'\\x03')"),
    "open the caller's terminal": "echo x > /dev/tty",
    "use io_uring": call("io_uring_setup", "8", "ctypes.create_string_buffer(120)"),
    "load a BPF program": call("bpf", "0", "ctypes.create_string_buffer(72)", "72"),
    "watch the machine's performance": call(
        "perf_event_open", "ctypes.create_string_buffer(112)", "0", "-1", "-1", "0"
    ),
    "fault memory by hand": call("userfaultfd", "1"),
    "add a key": call("add_key", "b'user'", "b'x'", "b'y'", "1", "-3"),
    "open a file by its handle": call("open_by_handle_at", "-100", "ctypes.create_string_buffer(128)", "0"),
    "copy a mount": call("open_tree", "-100", "b'/'", "1"),
    "unshare by the library": py("sys.exit(libc.unshare(0x10000000) < 0)"),
    "take another process's descriptor": call("pidfd_getfd", "3", "0", "0"),
}
GIT = {
    "plant a hook": "echo 'touch /tmp/x' > .git/hooks/post-checkout",
    "replace the hooks": "mv .git/hooks .git/h2 && mkdir .git/hooks",
    "rename .git": "mv .git .git2",
    "delete .git": "rm -rf .git/objects || rm -rf .git",
    "write the config": "git config core.fsmonitor /tmp/x",
    "append to the config": "echo '[core]' >> .git/config",
    "replace the config": "cp .git/config c && mv c .git/config",
    "point to another folder": "echo ../evil > .git/commondir",
    "make a work tree": "mkdir -p .git/worktrees/x",
    "make a module": "mkdir -p .git/modules/x/hooks",
    "exclude by info": "echo x > .git/info/attributes",
    "make it a link": "rm -rf .git; ln -s /tmp/evil .git",
    "change the editor's settings": "echo x > .vscode/settings.json",
    "replace the editor's settings": "mv .vscode v && mkdir .vscode && echo x > .vscode/tasks.json",
    "add a workflow": "echo x > .github/workflows/ci.yml",
    "replace the workflows' folder": "mv .github g && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
}  # fmt: skip

PLANTED = {
    ".claude/settings.json": "mkdir .claude && echo x > .claude/settings.json",
    ".cursor": "ln -s {outside} .cursor",
    ".idea": "mkdir -p .idea/x/y",
    ".husky": "mkdir .husky && echo x > .husky/pre-commit",
    ".envrc": "echo x > .envrc",
    ".mcp.json": "echo x > tmp && mv tmp .mcp.json",
    "AGENTS.md": "echo x > AGENTS.md",
    "CLAUDE.md": "cp README.md CLAUDE.md",
    ".gitattributes": "echo '* filter=x' > .gitattributes",
    ".github/copilot-instructions.md": "echo x > .github/copilot-instructions.md",
    ".devcontainer": "mkdir -p .devcontainer && echo x > .devcontainer/devcontainer.json",
    "sub/.git": "git init -q sub && git -C sub config core.fsmonitor ./x",
    "gitfile/.git": "mkdir gitfile && echo 'gitdir: ../evil' > gitfile/.git",
}
"""what did not exist before: what a command may not leave behind, and how it would"""
