"""The settings as they ship: safe by default, and no workspace can change them (U4; threats 2, 6, 49, 50)."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.web.server import PYTHON, ROOT, environment, manage


def ask(expression: str, data: Path, **env: str) -> str:
    code = f"from workbench import settings as s; print({expression})"
    done = subprocess.run(
        [PYTHON, "-c", code], cwd=ROOT, env=environment(data, env), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_debugging_is_off_and_nothing_switches_it_on(tmp_path: Path) -> None:
    assert ask("s.DEBUG", tmp_path, DEBUG="1", DJANGO_DEBUG="1") == "False"


def test_only_loopback_names_are_ours_unless_an_origin_is_named(tmp_path: Path) -> None:
    assert ask("s.ALLOWED_HOSTS", tmp_path) == "['127.0.0.1', 'localhost', '[::1]']"
    named = ask("(s.ALLOWED_HOSTS[3:], s.ORIGINS, s.BEHIND_TLS)", tmp_path, WORKBENCH_ORIGINS="https://wb.example.org/")
    assert named == "(['wb.example.org'], ('https://wb.example.org',), True)"
    assert ask("s.BEHIND_TLS", tmp_path, WORKBENCH_ORIGINS="https://a.example,http://b.example") == "False"


def test_the_policy_lets_nothing_in_from_elsewhere_and_nothing_inline() -> None:
    policy = settings.SECURE_CSP
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    every = {value for values in policy.values() for value in values}
    assert not {v for v in every if "unsafe" in v or "://" in v or v in ("*", "https:")}


def test_two_workbenches_on_one_host_have_cookies_of_their_own(tmp_path: Path) -> None:
    assert ask("s.SESSION_COOKIE_NAME", tmp_path / "a") != ask("s.SESSION_COOKIE_NAME", tmp_path / "b")


def test_a_key_is_made_once_and_importing_makes_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert ask("len(s.SECRET_KEY) > 40", data) == "True"
    assert not data.exists()
    manage("verify_journal", data=data)
    assert ask("s.SECRET_KEY", data) == ask("s.SECRET_KEY", data) == (data / "secret_key").read_text()


def test_a_workspace_configures_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("WORKBENCH_ORIGINS=https://evil.example\nDEBUG=1\n")
    (tmp_path / "settings.py").write_text("DEBUG = True\n")
    code = "import django; django.setup(); from django.conf import settings as s; print(s.DEBUG, s.ORIGINS)"
    env = {**environment(tmp_path / "d"), "DJANGO_SETTINGS_MODULE": "workbench.settings", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout.strip() == "False ()", done.stderr


def test_the_database_waits_instead_of_failing_and_keeps_what_it_says(transactional_db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone()[0] == "wal"
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone()[0] == 2, "FULL: an append is on disk when it returns"
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_the_deployment_check_is_quiet_behind_tls(tmp_path: Path) -> None:
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING",
        data=tmp_path / "data", env={"WORKBENCH_ORIGINS": "https://wb.example.org"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert os.environ["PATH"]
