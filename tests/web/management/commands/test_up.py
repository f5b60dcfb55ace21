"""`up`: starts, says where it is, and refuses in one clear line what it cannot do (issue: "up")."""

import json
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.web.server import Workbench, manage

Start = Callable[..., Workbench]


def refused(*words: str, data: Path, code: int = 1, **env: str) -> str:
    """The one line with which `up` ends."""
    done = manage("up", "--no-open", *words, data=data, env=env, timeout=30)
    assert done.returncode == code, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert not (data / "server.json").exists()
    return lines[0]


def test_it_says_where_it_is_to_its_person_only(live: Workbench) -> None:
    file = live.data / "server.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    facts = json.loads(file.read_text())
    assert facts.keys() == {"url", "login_url", "api_token", "pid"}
    assert facts["pid"] == live.pid
    assert facts["login_url"].startswith(f"{facts['url']}/login/")
    assert stat.S_IMODE(live.data.stat().st_mode) == 0o700
    printed = live.log.read_text()
    assert facts["login_url"] in printed
    assert facts["api_token"] not in printed


def test_everything_in_the_data_folder_is_private(live: Workbench) -> None:
    for path in [live.data, *live.data.iterdir()]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0 or path.parent != live.data.parent, (path, oct(mode))


def test_it_listens_on_loopback_only(live: Workbench) -> None:
    with socket.socket() as probe:
        probe.settimeout(2)
        own = socket.gethostbyname(socket.gethostname())
        if own.startswith("127."):
            pytest.skip("this machine has no other address")
        assert probe.connect_ex((own, live.port)) != 0


def test_a_second_one_on_the_same_data_is_told_who_is_first(live: Workbench) -> None:
    done = manage("up", "--no-open", "--port", "0", data=live.data, timeout=30)
    assert done.returncode == 1
    assert f"process {live.pid}, {live.url}" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert (live.data / "server.json").exists()
    assert httpx.get(f"{live.url}/login/").status_code == 200


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = refused("--port", str(port), "--workspace", str(tmp_path), data=tmp_path / "d" / "data")
    assert f"port {port}" in line
    assert "--port" in line


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_is_none_is_one_line(tmp_path: Path, port: str) -> None:
    assert "--port" in refused("--port", port, data=tmp_path / "d" / "data")


def test_a_data_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = manage("up", "--no-open", "--data", str(tmp_path / "file" / "x"), data=tmp_path / "unused")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "cannot be used" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_data_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    done = manage("up", "--no-open", "--data", str(folder / "data"), data=tmp_path / "unused")
    assert done.returncode == 1
    assert "Permission denied" in done.stderr


def test_a_database_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "workbench.sqlite3").write_bytes(b"this is no database at all" * 100)
    assert "file is not a database" in refused(data=tmp_path / "data")


def test_any_loopback_address_is_served(workbench_up: Start) -> None:
    bench = workbench_up("--host", "127.0.0.2")
    assert httpx.get(f"{bench.url}/login/").status_code == 200


def test_a_workspace_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    line = refused("--workspace", str(tmp_path / "none"), "--port", "0", data=tmp_path / "d" / "data")
    assert "There is no folder" in line


def test_the_data_folder_is_no_workspace(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert "holds the data" in refused("--workspace", str(data), "--port", "0", data=data)
    assert "holds the data" in refused("--workspace", str(tmp_path), "--port", "0", data=data)


def test_other_addresses_need_accounts_and_a_wildcard_needs_a_name(tmp_path: Path) -> None:
    data = tmp_path / "d" / "data"
    assert "no account has a password" in refused("--host", "0.0.0.0", "--port", "0", data=data)
    make = "from django.contrib.auth.models import User; User.objects.create_user('ann', password='a long password')"
    assert manage("shell", "-c", make, data=data).returncode == 0
    assert "WORKBENCH_ORIGINS" in refused("--host", "0.0.0.0", "--port", "0", data=data)


def test_behind_a_proxy_only_its_origin_counts_and_cookies_are_secure(workbench_up: Start) -> None:
    bench = workbench_up(env={"WORKBENCH_ORIGINS": "https://wb.example.org"})
    assert bench.url == "https://wb.example.org"
    inner = f"http://127.0.0.1:{bench.log.read_text() and _port_of(bench.pid)}"
    link = bench.facts["login_url"].replace("https://wb.example.org", inner)
    answer = httpx.get(link, headers={"Host": "wb.example.org", "X-Forwarded-Proto": "https"})
    assert answer.status_code == 302
    cookies = answer.headers.get_list("set-cookie")
    assert any("Secure" in c and "HttpOnly" in c and "SameSite=Lax" in c for c in cookies), cookies
    assert httpx.get(f"{inner}/login/", headers={"Host": "evil.example"}).status_code == 400


def _port_of(pid: int) -> int:
    """The port that the process listens on."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(fd)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in inodes:
            return int(fields[1].split(":")[1], 16)
    raise AssertionError("it listens nowhere")


def test_without_a_workspace_the_current_folder_is_it(tmp_path: Path, workbench_up: Start) -> None:
    bench = workbench_up()
    with bench.api() as api:
        assert [w["path"] for w in api.get("/workspaces").json()["items"]] == [str(bench.workspace)]


def test_it_stops_cleanly_when_nothing_runs(workbench_up: Start) -> None:
    bench = workbench_up()
    assert bench.stop() == 0
    assert not (bench.data / "server.json").exists()
    assert bench.start().stop() == 0
