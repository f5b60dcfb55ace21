"""One runner a session: leases, their tokens, and owners that die (A7)."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone

from tests.web.server import ROOT, environment
from workbench.web.leases import Owner
from workbench.web.models import Session

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owners(data: Path) -> Iterator[tuple[Owner, Owner]]:
    pair = Owner(data), Owner(data)
    yield pair
    for owner in pair:
        owner.end()


@pytest.fixture
def due(session_row: Session) -> str:
    Session.objects.update(due=True)
    return session_row.pk


def test_a_session_that_is_not_due_gives_no_lease(session_row: Session, owners: tuple[Owner, Owner]) -> None:
    assert owners[0].take(session_row.pk) == 0
    assert owners[0].take("nobody") == 0


def test_one_has_it_until_it_lets_go_and_the_token_grows(due: str, owners: tuple[Owner, Owner]) -> None:
    first, second = owners
    assert first.take(due) == 1
    assert second.take(due) == 0
    assert first.take(due) == 0
    first.release(due, 1)
    assert second.take(due) == 2


def test_an_expired_lease_is_free(due: str, owners: tuple[Owner, Owner]) -> None:
    first, second = owners
    first.take(due)
    Session.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert second.take(due) == 2
    assert first.renew({due: 1}) == {due}


def test_files_of_owners_that_were_killed_are_swept_those_of_living_ones_stay(
    data: Path, owners: tuple[Owner, Owner]
) -> None:
    (data / "runners" / "1-killed").touch()
    owners[0].sweep()
    assert {file.name for file in (data / "runners").iterdir()} == {owner.name for owner in owners}


def test_a_heartbeat_keeps_it(due: str, owners: tuple[Owner, Owner]) -> None:
    first, _ = owners
    first.take(due)
    Session.objects.update(lease_until=timezone.now() + timedelta(seconds=1))
    assert first.renew({due: 1}) == set()
    row = Session.objects.get()
    assert row.lease_until is not None
    assert row.lease_until > timezone.now() + timedelta(seconds=20)


def test_an_owner_that_lost_it_releases_nothing(due: str, owners: tuple[Owner, Owner]) -> None:
    first, second = owners
    first.take(due)
    Session.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    second.take(due)
    first.release(due, 1)
    assert Session.objects.get().lease_owner == second.name


HOLD = """
import sys, time
from pathlib import Path
import django
django.setup()
from workbench.web.leases import Owner
print(Owner(Path(sys.argv[1])).name, flush=True)
time.sleep(60)
"""


def test_the_lease_of_a_killed_process_is_free_at_once(due: str, owners: tuple[Owner, Owner], data: Path) -> None:
    env = {**environment(data), "DJANGO_SETTINGS_MODULE": "workbench.settings"}
    command = [sys.executable, "-c", HOLD, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, cwd=ROOT) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        Session.objects.update(lease_owner=name, lease_token=5, lease_until=timezone.now() + timedelta(hours=1))
        assert owners[0].take(due) == 0, "it lives"
        process.kill()
        process.wait()
    assert owners[0].take(due) == 6


def test_of_ten_who_want_it_at_once_one_gets_it(due: str, data: Path) -> None:
    owners = [Owner(data) for _ in range(10)]
    tokens: list[int] = []

    def want(owner: Owner) -> None:
        tokens.append(owner.take(due))
        connections.close_all()

    threads = [threading.Thread(target=want, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tokens) == [0] * 9 + [1]
    for owner in owners:
        owner.end()
