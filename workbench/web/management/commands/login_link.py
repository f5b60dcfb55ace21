"""`login_link`: a fresh one-time link."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from workbench.web import accounts, datadir
from workbench.web.management.base import WorkbenchCommand

USUAL = "http://127.0.0.1:8765"


class Command(WorkbenchCommand):
    help = "Prints a link that logs one person in, once, within half an hour."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--user", metavar="NAME", help="whose link (default: the first account)")

    def handle(self, **options: Any) -> None:
        user = accounts.owner()
        if name := options["user"]:
            found = User.objects.filter(username=name, is_active=True).first()
            if found is None:
                known = ", ".join(User.objects.filter(is_active=True).values_list("username", flat=True))
                self.fail(f"There is no active account {name!r}. There are: {known}.")
            user = found
        base = datadir.server_facts(settings.DATA).get("url") or USUAL
        self.stdout.write(base + reverse("login-link", args=[accounts.new_login_link(user)]))
