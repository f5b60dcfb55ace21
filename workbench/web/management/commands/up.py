"""`up`: the workbench, pages and agents in one process."""

import json
import os
import socket
import sys
import threading
import webbrowser
from argparse import ArgumentParser
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from channels.routing import get_default_application
from daphne.endpoints import build_endpoint_description_strings
from django.conf import settings
from django.urls import reverse

from workbench.files import Refused
from workbench.web import accounts, actions, datadir, models, recovery
from workbench.web.lifespan import lifespan
from workbench.web.management.base import WorkbenchCommand
from workbench.web.server import LifespanServer


class Command(WorkbenchCommand):
    help = "Serves the workbench and runs its agents, until Ctrl+C or SIGTERM."
    needs_tables = False  # only once the folder is known to be ours

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--workspace", metavar="DIR", help="where sessions work that name none (default: here)")
        parser.add_argument("--port", type=int, default=8765, help="0 picks a free one")
        parser.add_argument("--host", default="127.0.0.1", help="other than loopback only with accounts")
        parser.add_argument("--no-open", action="store_true", help="do not open a browser")

    def handle(self, **options: Any) -> None:
        try:
            lock = datadir.Lock(settings.DATA)
        except datadir.Unusable as e:
            self.fail(str(e))
        self.prepare_tables()
        self.check()  # not before: the checks of the models ask the database
        self._check_host(options["host"])
        port = self._free_port(options["host"], options["port"])
        self._open_workspace(options["workspace"])
        recovery.recover()
        lifespan.agents = True
        server = LifespanServer(
            get_default_application(), endpoints=build_endpoint_description_strings(host=options["host"], port=port)
        )
        server.ready = lambda: self._announce(options["host"], port, browser=not options["no_open"])
        try:
            server.run()
        finally:
            (settings.DATA / "server.json").unlink(missing_ok=True)
            lock.release()
        if server.failed:
            self.fail(server.failed)

    def _check_host(self, host: str) -> None:
        if host not in ("0.0.0.0", "::"):  # noqa: S104 - told apart, not bound
            settings.ALLOWED_HOSTS.append(f"[{host}]" if ":" in host else host)
        if _loopback(host):
            return
        if not accounts.password_accounts():
            self.fail(
                f"--host {host} lets others reach the workbench, and no account has a password yet. "
                "Make one first: uv run manage.py createsuperuser"
            )
        if host in ("0.0.0.0", "::") and not settings.ORIGINS:  # noqa: S104 - told apart, not bound
            self.fail(f"--host {host} listens everywhere: say by WORKBENCH_ORIGINS under which address people come.")

    def _free_port(self, host: str, port: int) -> int:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except (OSError, OverflowError) as e:
                why = getattr(e, "strerror", None) or str(e)
                self.fail(f"Cannot listen on {host} port {port}: {why}. Choose another by --port.")
            return int(probe.getsockname()[1])

    def _open_workspace(self, given: str | None) -> None:
        try:
            actions.open_workspace(Path(given or ".").expanduser().absolute(), is_default=True)
        except Refused as e:
            if given:
                self.fail(e.message)
            models.Workspace.objects.filter(is_default=True).update(is_default=False)
            self.stderr.write(f"workbench: sessions must name their workspace: {e.message}")

    def _announce(self, host: str, port: int, *, browser: bool) -> None:
        """The server answers: say where. Runs on the event loop, so the database is asked in a thread."""
        threading.Thread(target=self._tell, args=(host, port), kwargs={"browser": browser}, daemon=True).start()

    def _tell(self, host: str, port: int, *, browser: bool) -> None:
        url = settings.ORIGINS[0] if settings.ORIGINS else f"http://{f'[{host}]' if ':' in host else host}:{port}"
        owner = accounts.owner()
        login_url = url + reverse("login-link", args=[accounts.new_login_link(owner)])
        facts = {
            "url": url,
            "login_url": login_url,
            "api_token": accounts.new_api_token(owner, "up"),
            "pid": os.getpid(),
        }
        datadir.write_private(settings.DATA / "server.json", json.dumps(facts))
        self.stdout.write(f"Workbench  {url}")
        self.stdout.write(f"Log in     {login_url}  (once, within half an hour)")
        self.stdout.write("Stop it with Ctrl+C.")
        self.stdout.flush()
        if browser and _has_display():
            webbrowser.open(url + reverse("login-link", args=[accounts.new_login_link(owner)]))


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _has_display() -> bool:
    """Without one, a text browser would take the terminal over."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
