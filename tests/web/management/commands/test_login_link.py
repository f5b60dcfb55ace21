"""`login_link`: a fresh link each time, for whom one names (U7)."""

from pathlib import Path

import httpx

from tests.web.server import Workbench, manage


def test_a_link_is_fresh_and_works_once(live: Workbench) -> None:
    first, second = (manage("login_link", data=live.data).stdout.strip() for _ in range(2))
    assert first != second
    assert first.startswith(live.url)
    for _ in range(2):
        with httpx.Client(follow_redirects=True) as person:
            came = person.get(first)
            assert came.status_code in (200, 403)
    with httpx.Client(follow_redirects=True) as person:
        assert "/login/" not in str(person.get(second).url)


def test_the_link_that_up_prints_works_once_too(live: Workbench) -> None:
    with httpx.Client(follow_redirects=True) as person:
        first = person.get(live.facts["login_url"]).status_code
        assert first in (200, 403)
    with httpx.Client(follow_redirects=True) as person:
        answer = person.get(live.facts["login_url"])
        assert answer.status_code == 403
        assert "login_link" in answer.text


def test_an_account_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    done = manage("login_link", "--user", "nobody", data=tmp_path / "data")
    assert done.returncode == 1
    assert "no active account 'nobody'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
