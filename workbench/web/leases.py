"""One runner a session, over all processes.

A lease is a row's owner, a fencing token that grows with each lease, and an expiry that a heartbeat moves on. It is
free when nobody has it, when it has expired, or when its owner has ended: each runner process holds a lock on a file
of its own, which the system lets go when the process ends, however it ends. The token makes the rest safe: an append
with an older token is refused in the transaction that would write it (`adapters.append`).
"""

import fcntl
import os
import secrets
from datetime import timedelta
from pathlib import Path

from django.db.models import F, Q
from django.utils import timezone

from workbench.web.models import Session

LIFETIME = timedelta(seconds=30)
BEAT_S = 5.0


class Owner:
    """This process as an owner of leases, from now until `end` or its death."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "runners"
        self._folder.mkdir(exist_ok=True, mode=0o700)
        self.name = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._file = os.open(self._folder / self.name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def end(self) -> None:
        (self._folder / self.name).unlink(missing_ok=True)
        os.close(self._file)

    def take(self, session: str) -> int:
        """The token of a new lease, from 1; 0 while another runner is at it or there is nothing to do."""
        now = timezone.now()
        row = Session.objects.filter(pk=session, due=True).values("lease_owner", "lease_token", "lease_until").first()
        if row is None:
            return 0
        free = Q(lease_owner="") | Q(lease_until=None) | Q(lease_until__lt=now)
        if row["lease_owner"] and not self._alive(row["lease_owner"]):
            free |= Q(lease_owner=row["lease_owner"])
        won = Session.objects.filter(free, pk=session, due=True, lease_token=row["lease_token"]).update(
            lease_owner=self.name, lease_token=F("lease_token") + 1, lease_until=now + LIFETIME
        )
        return row["lease_token"] + 1 if won else 0

    def sweep(self) -> None:
        """Remove the files of owners that have ended without removing them."""
        for file in self._folder.iterdir():
            if file.name != self.name:
                self._alive(file.name)

    def renew(self, leases: dict[str, int]) -> set[str]:
        """Move the expiry on; the sessions that were lost."""
        until = timezone.now() + LIFETIME
        return {
            session
            for session, token in leases.items()
            if not Session.objects.filter(pk=session, lease_owner=self.name, lease_token=token).update(
                lease_until=until
            )
        }

    def release(self, session: str, token: int) -> None:
        Session.objects.filter(pk=session, lease_owner=self.name, lease_token=token).update(
            lease_owner="", lease_until=None
        )

    def _alive(self, owner: str) -> bool:
        """Whether the process still holds its file."""
        path = self._folder / owner
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            path.unlink(missing_ok=True)
            return False
        finally:
            os.close(descriptor)
