"""The queue: what waits, oldest first; each decided once (G4, G5)."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.web.records import EFFECTS, asked, call
from workbench.journal.kinds import ApprovalDecided, QuestionAnswered
from workbench.web import accounts, adapters, models

New = Callable[..., models.Session]
ON_QUEUE = {"HX-Current-URL": "http://testserver/queue/?r=a1"}


def decision(session: str) -> ApprovalDecided:
    found = adapters.read_kind(session, ApprovalDecided.kind)[-1].event
    assert isinstance(found, ApprovalDecided)
    return found


def test_an_empty_queue_teaches(reader: Client) -> None:
    html = reader.get("/queue/").content.decode()
    assert "The queue is empty." in html and "a closed browser decides nothing" in html


def test_requests_and_questions_stand_together_oldest_first(
    reader: Client, waits: models.Approval, asks: models.Question
) -> None:
    models.Question.objects.update(asked_at=timezone.now() - timedelta(hours=1))
    html = reader.get("/queue/").content.decode()
    rows = html.split('id="q-list"')[1].split("</section>")[0]
    assert rows.index(f'id="i-q{asks.pk}"') < rows.index(f'id="i-a{waits.pk}"')
    assert "Which <strong>one</strong>?" in html and "1 of 2" in html


def test_the_chosen_request_shows_all_that_is_weighed(person: Client, waits: models.Approval) -> None:
    html = person.get(f"/queue/?r=a{waits.pk}", headers={"HX-Target": "q-r"}).content.decode()
    for said in (
        "git push",
        "Reaches outside",
        "origin/main",
        "It reaches outside.",
        "built in / outward",
        "/ws",
        "7f3a c21e",
        "Open session",
    ):
        assert said in html
    assert "<html" not in html and 'id="q-list"' not in html


def test_the_list_alone_is_asked_for_anew(person: Client, waits: models.Approval) -> None:
    html = person.get("/queue/", headers={"HX-Target": "q-list"}).content.decode()
    assert f"i-a{waits.pk}" in html and "Approve this" not in html


def test_identical_requests_say_so(reader: Client, new: New) -> None:
    for name in ("one", "two"):
        new(name, call(args={"command": "deploy"}), asked(args={"command": "deploy"}))
    assert "<b>2 alike</b>" in reader.get("/queue/").content.decode()


def test_the_number_of_queries_does_not_grow(reader: Client, new: New) -> None:
    counts = []
    for size in (2, 20):
        for number in range(size):
            new(f"{number}", call(), asked())
        with CaptureQueriesContext(connection) as queries:
            reader.get("/queue/")
        counts.append(len(queries))
    assert counts[1] <= counts[0]  # a card that was drawn before costs none


def test_approve_on_the_session_page_gives_back_the_card(person: Client, waits: models.Approval) -> None:
    answer = person.post(f"/approvals/{waits.pk}/decide", {"decision": "approve", "digest": waits.digest})
    html = answer.content.decode()
    assert '<article hx-swap-oob="true"' in html and "Approved" in html and 'id="needs" data-count="0"' in html
    assert decision(waits.session_id).outcome == "approved" and decision(waits.session_id).via == "browser"


def test_approve_in_the_queue_gives_the_next_request(
    person: Client, waits: models.Approval, asks: models.Question
) -> None:
    form = {"decision": "approve", "digest": waits.digest}
    html = person.post(f"/approvals/{waits.pk}/decide", form, headers=ON_QUEUE).content.decode()
    assert 'id="q-r" hx-swap-oob' in html and f'data-request="q{asks.pk}"' in html and f"i-a{waits.pk}" not in html
    answered = person.post(f"/questions/{asks.pk}/answer", {"choice": "first"}, headers=ON_QUEUE).content.decode()
    assert "Nothing waits for you" in answered


def test_reject_tells_the_agent_what_to_do_instead(person: Client, waits: models.Approval) -> None:
    person.post(
        f"/approvals/{waits.pk}/decide", {"decision": "reject", "digest": waits.digest, "reason": " First the tests. "}
    )
    assert (decision(waits.session_id).outcome, decision(waits.session_id).reason) == ("rejected", "First the tests.")


def test_edited_arguments_are_judged_anew_and_bound(person: Client, new: New) -> None:
    args = {"path": "new.txt", "content": "a\nb\n"}
    row = new("write", call("write_file", args), asked(args=args))
    waits = models.Approval.objects.get(session=row)
    form = {"decision": "edit", "digest": waits.digest, "arg-path": "other.txt", "arg-content": "a\r\nc\r\n"}
    person.post(f"/approvals/{waits.pk}/decide", form)
    said = decision(row.pk)
    assert said.args is not None and said.args["path"] == "other.txt" and said.args["content"] == "a\nc\n"
    assert said.digest and said.digest != waits.digest


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"decision": "edit", "arg-timeout": "{"}, "timeout is not valid JSON"),
        ({"decision": "edit", "arg-command": " "}, "empty"),
        ({"decision": "perhaps"}, "Decide with approve or reject"),
        ({"decision": "approve", "digest": "another"}, "no longer the request that you saw"),
    ],
)
def test_what_can_not_be_decided_says_why(
    person: Client, waits: models.Approval, form: dict[str, str], says: str
) -> None:
    answer = person.post(f"/approvals/{waits.pk}/decide", {"digest": waits.digest} | form)
    assert answer.status_code in (409, 422) and says in answer.content.decode()
    assert models.Approval.objects.get().status == "pending"


def test_the_second_to_decide_is_told_who_was_first(person: Client, waits: models.Approval) -> None:
    form = {"decision": "approve", "digest": waits.digest}
    person.post(f"/approvals/{waits.pk}/decide", form)
    answer = person.post(f"/approvals/{waits.pk}/decide", {**form, "decision": "reject"})
    assert answer.status_code == 409 and f"Already approved by {accounts.owner().username}" in answer.content.decode()


def test_of_many_at_once_one_wins(person: Client, waits: models.Approval) -> None:
    answers: list[int] = []

    def decide(what: str) -> None:
        client = Client(headers={"HX-Request": "true"})
        client.force_login(accounts.owner())
        answers.append(
            client.post(f"/approvals/{waits.pk}/decide", {"decision": what, "digest": waits.digest}).status_code
        )
        connections.close_all()

    threads = [threading.Thread(target=decide, args=(what,)) for what in ("approve", "reject") * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200] + [409] * 7
    assert len(adapters.read_kind(waits.session_id, ApprovalDecided.kind)) == 1


@pytest.mark.parametrize(
    ("form", "answer"), [({"choice": "second"}, "second"), ({"choice": "second", "own": " neither "}, "neither")]
)
def test_a_question_is_answered(person: Client, asks: models.Question, form: dict[str, str], answer: str) -> None:
    html = person.post(f"/questions/{asks.pk}/answer", form).content.decode()
    assert "Answered" in html
    said = adapters.read_kind(asks.session_id, QuestionAnswered.kind)[-1].event
    assert isinstance(said, QuestionAnswered) and said.answer == answer
    assert person.post(f"/questions/{asks.pk}/answer", form).status_code == 409


def test_an_answer_needs_words(person: Client, asks: models.Question) -> None:
    answer = person.post(f"/questions/{asks.pk}/answer", {})
    assert answer.status_code == 422 and "empty" in answer.content.decode()


def test_decisions_are_listed(reader: Client, person: Client, waits: models.Approval) -> None:
    assert "Nothing has been decided yet." in reader.get("/queue/?show=decided").content.decode()
    person.post(f"/approvals/{waits.pk}/decide", {"decision": "reject", "digest": waits.digest, "reason": "<no>"})
    html = reader.get("/queue/?show=decided").content.decode()
    assert "Rejected" in html and "“&lt;no&gt;”" in html and "git push" in html and "browser" in html


def test_unknown_requests_are_not_found(person: Client) -> None:
    assert person.post("/approvals/99/decide", {"decision": "approve"}).status_code == 404
    assert person.post("/questions/99/answer", {"choice": "x"}).status_code == 404
    assert EFFECTS and person.get("/approvals/1/decide").status_code == 405
