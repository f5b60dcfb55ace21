"""The JSON API over a real server: a session driven by it alone, and every kind of bad input (X1, U4)."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client

from tests.web.server import Workbench, events, wait_for
from workbench.web import accounts, catalogue


def begin(api: httpx.Client, prompt: str, status: str, **more: Any) -> str:
    made = api.post("/sessions", json={"prompt": prompt, "model": "openai:scripted", **more})
    assert made.status_code == 201, made.text
    session = str(made.json()["id"])
    wait_for(api, session, status)
    return session


def test_a_session_is_driven_by_the_api_alone(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "ask", "waiting", mode="auto")
    row = api.get(f"/sessions/{session}").json()
    assert (row["mode"], row["model"], row["title"], row["workspace"]["path"]) == (
        "auto", "openai:scripted", "ask", str(live.workspace),
    )  # fmt: skip
    question = next(
        q for q in api.get("/questions", params={"status": "pending"}).json()["items"] if q["session"] == session
    )
    assert [o["label"] for o in question["options"]] == ["the first", "the second"]
    answered = api.post(f"/questions/{question['id']}", json={"answer": "the second"})
    assert answered.json()["answered_by"]
    wait_for(api, session, "done")
    kinds = [e["kind"] for e in events(api, session)]
    assert kinds[0] == "session_started"
    assert kinds[-1] == "session_done"


def test_what_a_session_changed_is_listed_and_taken_back(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "write", "done")
    assert (live.workspace / "made.txt").read_text() == "one\ntwo\n"
    (change,) = api.get(f"/sessions/{session}/changes").json()["items"]
    assert (change["path"], change["before"]["kind"], change["after"]["kind"]) == ("made.txt", "absent", "file")
    shown = api.post(f"/changes/{change['id']}/rollback", json={"preview": True}).json()["items"][0]
    assert (shown["status"], (live.workspace / "made.txt").exists()) == ("restore", True)
    done = api.post(f"/changes/{change['id']}/rollback").json()["items"][0]
    assert (done["status"], (live.workspace / "made.txt").exists()) == ("done", False)
    assert events(api, session, "rolled_back")[0]["new_version"] == done["version"]
    back = api.post(f"/changes/{done['version']}/rollback").json()["items"][0]
    assert (back["status"], (live.workspace / "made.txt").read_text()) == ("done", "one\ntwo\n")
    rewound = api.post(f"/sessions/{session}/rewind", json={"seq": 0})
    assert rewound.status_code == 200
    assert not (live.workspace / "made.txt").exists()


def test_a_change_that_overlaps_is_409_with_the_three_texts(live: Workbench, api: httpx.Client) -> None:
    session = begin(api, "write", "done")
    change = api.get(f"/sessions/{session}/changes").json()["items"][0]["id"]
    (live.workspace / "made.txt").write_text("mine\n")
    answer = api.post(f"/changes/{change}/rollback")
    assert answer.status_code == 409
    body = answer.json()
    assert body["error"] == "conflict"
    assert body["items"][0]["mine"] == "mine\n"
    assert (live.workspace / "made.txt").read_text() == "mine\n"
    (live.workspace / "made.txt").unlink()


def test_a_file_is_read_page_by_page(live: Workbench, api: httpx.Client) -> None:
    (live.workspace / "long.txt").write_text("".join(f"line {n}\n" for n in range(200)))
    workspace = next(w for w in api.get("/workspaces").json()["items"] if w["path"] == str(live.workspace))["id"]
    first = api.get(f"/workspaces/{workspace}/file", params={"path": "long.txt"}).json()
    assert (first["total_lines"], first["truncated"], first["next"]) == (200, True, {"offset": 80})
    last = api.get(f"/workspaces/{workspace}/file", params={"path": "long.txt", "offset": 160}).json()
    assert last["next"] is None
    for path, status in (("../x", 403), ("/etc/passwd", 403), ("none.txt", 404), (".", 422)):
        answer = api.get(f"/workspaces/{workspace}/file", params={"path": path})
        assert answer.status_code == status, answer.text
        assert answer.json()["error"]
    assert api.get("/workspaces/99999/file", params={"path": "x"}).status_code == 404


def test_lists_are_given_in_pages(live: Workbench, api: httpx.Client) -> None:
    made = [begin(api, "hello", "done") for _ in range(3)]
    seen: list[str] = []
    before = ""
    while True:
        page = api.get("/sessions", params={"limit": 2, "before": before} if before else {"limit": 2}).json()
        seen += [row["id"] for row in page["items"]]
        assert len(page["items"]) <= 2
        before = page["next"]
        if before is None:
            break
    assert len(seen) == len(set(seen))
    assert seen[:3] == made[::-1]
    one = events(api, made[0])
    pages = api.get(f"/sessions/{made[0]}/events", params={"limit": 2}).json()
    assert (pages["items"], pages["next"]) == (one[:2], 2)
    assert api.get(f"/sessions/{made[0]}/events", params={"after": 2}).json()["items"] == one[2:]


def test_the_models_that_can_be_picked(api: httpx.Client) -> None:
    found = {m["name"]: m for m in api.get("/models").json()["items"]}
    assert found["demo"]["source"] == "built in"
    assert found["openai:scripted"]["default"]
    assert "key" not in json.dumps(list(found.values()))


BAD: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/nothing", {}, 404),
    ("GET", "/sessions/nobody", {}, 404),
    ("GET", "/sessions/nobody/events", {}, 404),
    ("GET", "/approvals/x", {}, 400),
    ("GET", "/approvals?limit=0", {}, 400),
    ("GET", "/approvals?limit=100000", {}, 400),
    ("GET", "/sessions?before=yesterday", {}, 400),
    ("GET", "/sessions?before=2026-13-45T00:00:00Z", {}, 400),
    ("GET", "/sessions?before=2026-01-01T00:00:00", {}, 400),
    ("GET", "/sessions?status=lost", {}, 400),
    ("GET", "/approvals?status=lost", {}, 400),
    ("GET", "/questions?status=approved", {}, 400),
    ("GET", "/sessions/%2e%2e%2f%2e%2e%2fetc", {}, 404),
    ("PUT", "/sessions", {}, 405),
    ("POST", "/sessions", {"content": b"{not json"}, 400),
    ("POST", "/sessions", {"content": b"\xff\xfe\x00"}, 400),
    ("POST", "/sessions", {"content": b""}, 400),
    ("POST", "/sessions", {"content": b"[" * 100_000}, 400),
    ("POST", "/sessions", {"json": []}, 400),
    ("POST", "/sessions", {"json": {}}, 400),
    ("POST", "/sessions", {"json": {"prompt": ""}}, 400),
    ("POST", "/sessions", {"json": {"prompt": "x", "typo": 1}}, 400),
    ("POST", "/sessions", {"json": {"prompt": "x", "mode": "wild"}}, 400),
    ("POST", "/sessions", {"json": {"prompt": "x", "model": "nobody"}}, 400),
    ("POST", "/sessions", {"json": {"prompt": "x", "model": "openai:x", "workspace": "/no/such"}}, 404),
    ("POST", "/sessions", {"json": {"prompt": "x", "model": "openai:x", "workspace": "relative"}}, 400),
    ("POST", "/sessions", {"json": {"prompt": {"nested": 1}}}, 400),
    ("POST", "/sessions/nobody/stop", {}, 404),
    ("POST", "/sessions/nobody/messages", {"json": {"text": "x"}}, 404),
    ("POST", "/sessions/nobody/rewind", {"json": {"seq": -1}}, 400),
    ("POST", "/approvals/999999", {"json": {"decision": "approve"}}, 404),
    ("POST", "/approvals/999999", {"json": {"decision": "perhaps"}}, 400),
    ("POST", "/questions/999999", {"json": {"answer": "x"}}, 404),
    ("POST", "/changes/999999/rollback", {}, 404),
]


@pytest.mark.parametrize(("method", "path", "sent", "status"), BAD)
def test_bad_input_is_a_clear_answer(
    api: httpx.Client, method: str, path: str, sent: dict[str, Any], status: int
) -> None:
    answer = api.request(method, path, **sent)
    assert answer.status_code == status, answer.text
    said = answer.json()
    assert said["error"]
    assert said["message"]
    assert "Traceback" not in answer.text


def test_a_wrong_field_is_named_as_it_was_sent(api: httpx.Client) -> None:
    said = api.post("/sessions", json={"prompt": "x", "typo": 1}).json()
    assert said["problems"][0]["at"] == "body.typo"


def test_what_is_too_large_is_413_and_the_server_lives(live: Workbench, api: httpx.Client) -> None:
    before = _resident(live.pid)
    answer = api.post("/sessions", content=b"x" * (64 * 1024 * 1024))
    assert answer.status_code == 413
    assert answer.json()["error"] == "too_large"
    assert _resident(live.pid) - before < 32 * 1024 * 1024
    assert api.get("/models").status_code == 200


def test_a_body_in_chunks_without_a_length_is_held_to_the_limit_too(api: httpx.Client) -> None:
    answer = api.post("/sessions", content=(b"x" * 1024 * 1024 for _ in range(40)))
    assert answer.status_code == 413
    assert answer.json()["error"] == "too_large"


def _resident(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) * 1024


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer wrong", "Basic YTpi", "bearer x y", "Bearer \x7f"])
def test_a_wrong_token_gets_nothing(live: Workbench, header: str | None) -> None:
    headers = {"Authorization": header} if header is not None else {}
    for method, path in (("GET", "/api/sessions"), ("POST", "/api/sessions"), ("POST", "/api/approvals/1")):
        answer = httpx.request(method, f"{live.url}{path}", headers=headers)
        assert answer.status_code == 401, (path, answer.text)
        assert answer.json()["error"] == "unauthorized"
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_cookie_alone_drives_nothing_here(live: Workbench) -> None:
    """So that no form on another site can, either."""
    with live.browser() as browser:
        assert browser.post("/api/sessions", json={"prompt": "x"}).status_code == 401
        assert browser.get("/api/sessions").status_code == 401


def test_the_document_and_its_page_are_ours_alone(live: Workbench, api: httpx.Client) -> None:
    document = api.get("/openapi.json").json()
    for path in ("/api/sessions", "/api/approvals/{approval}", "/api/workspaces/{workspace}/file"):
        assert path in document["paths"]
    with live.browser() as browser:
        page = browser.get("/api/docs")
        assert page.status_code == 200
        assert "/api/sessions/{session}/events" in page.text
        assert not re.search(r"(src|href)=\"(https?:)?//", page.text)
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert httpx.get(f"{live.url}/api/docs").status_code == 401
    assert httpx.get(f"{live.url}/api/openapi.json").status_code == 401


def test_a_defect_of_ours_is_said_without_its_insides(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    def broken() -> list[object]:
        raise ZeroDivisionError("secret insides")

    monkeypatch.setattr(catalogue, "choices", broken)
    token = accounts.new_api_token(accounts.owner(), "test")
    client = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})
    answer = client.get("/api/models")
    assert (answer.status_code, answer.json()["error"]) == (500, "failed")
    assert "insides" not in answer.content.decode()
