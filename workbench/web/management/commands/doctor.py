"""`doctor`: what works on this machine, and how to get what is missing."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from workbench.web import accounts, catalogue, datadir, runtime
from workbench.web.management.base import WorkbenchCommand


@dataclass(frozen=True)
class Finding:
    """One thing, and how it stands."""

    what: str
    ok: bool
    says: str
    mend: str = ""
    """what to do, when not ok"""


class Command(WorkbenchCommand):
    help = "Shows what works on this machine and how to get what is missing."

    def handle(self, **_: Any) -> None:
        for finding in findings():
            mark = self.style.SUCCESS("ok  ") if finding.ok else self.style.WARNING("look")
            self.stdout.write(f"{mark}  {finding.what:<14} {finding.says}")
            if not finding.ok and finding.mend:
                self.stdout.write(f"{'':22}{finding.mend}")


def findings() -> Iterator[Finding]:
    yield Finding("python", True, sys.version.split()[0])  # noqa: FBT003 - a field, not a switch
    box = runtime.sandbox()
    yield Finding("sandbox", box.level == "A", box.words, box.reason or "apt install bubblewrap")
    yield _program("ripgrep", "rg", "grep works without it, slower. apt install ripgrep, or brew install ripgrep")
    yield _program("git", "git", "apt install git")
    yield _program("bash", "bash", "apt install bash")
    yield _data()
    yield _database()
    yield Finding("channel layer", True, "none is needed: one process serves the watchers")  # noqa: FBT003
    yield _models()
    yield _server()


def _program(what: str, name: str, mend: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(what, ok=False, says=f"{name} is not installed", mend=mend)
    asked = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
    first = (asked.stdout or asked.stderr).splitlines()[:1]
    return Finding(what, ok=asked.returncode == 0, says=f"{path}, {first[0] if first else 'no answer'}", mend=mend)


def _data() -> Finding:
    free = shutil.disk_usage(settings.DATA).free
    private = settings.DATA.stat().st_mode & 0o077 == 0
    says = f"{settings.DATA}, {free / 2**30:.1f} GiB free"
    return Finding("data folder", ok=private and os.access(settings.DATA, os.W_OK), says=says, mend="chmod 700 it")


def _database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)" if connection.vendor == "sqlite" else "SELECT 'ok'")
        answer = str(cursor.fetchone()[0])
    says = f"{connection.vendor} {sqlite3.sqlite_version if connection.vendor == 'sqlite' else ''}".strip()
    return Finding("database", ok=answer == "ok", says=f"{says}, {answer}", mend="Restore it from a back-up.")


def _models() -> Finding:
    names = [choice.name for choice in catalogue.choices()]
    real = len(names) > 1
    mend = "Add one on the settings page, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL."
    return Finding("models", ok=real, says=", ".join(names), mend=mend)


def _server() -> Finding:
    facts = datadir.server_facts(settings.DATA)
    accounts_there = accounts.password_accounts()
    says = f"runs at {facts['url']}" if facts else "does not run; start it by: uv run manage.py up"
    return Finding("workbench", ok=True, says=f"{says}; {accounts_there} accounts with a password")
