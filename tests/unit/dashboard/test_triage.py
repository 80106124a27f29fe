"""The queue: many cases decided at once, the way back, and the filters that stay in the address meanwhile."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from store.records import CaseStatus, Level
from tests.unit.dashboard.conftest import MakeApp
from tests.unit.dashboard.seed import NOW, Seeder
from tests.unit.dashboard.test_lists import numbers


@pytest.fixture
def queue(seed: Seeder) -> Seeder:
    """Four cases, all leads."""
    seed.library()
    return seed


def send(client: FlaskClient, address: str, **form: object) -> TestResponse:
    """Send a form of the queue as a browser would."""
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/suspects/").text)
    assert token
    return client.post(address, data={"csrf_token": token[1], **form})


def statuses(seed: Seeder) -> dict[int, str]:
    """What stands of each case."""
    return {case.number: str(case.status) for case in seed.store.cases.find()}


def test_many_cases_are_decided_at_once(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", case=["1", "3"], status="dismissed", reason="合理引用")
    assert answer.status_code == 303
    assert statuses(queue) == {1: "dismissed", 2: "lead", 3: "dismissed", 4: "lead"}
    assert {queue.store.cases.get(n).reason for n in "13"} == {"合理引用"}
    assert "已排除 2 个案件。" in client.get("/suspects/").text


def test_a_dismissal_of_many_needs_a_reason_and_what_was_ticked_stays_ticked(
    client: FlaskClient, queue: Seeder
) -> None:
    answer = send(client, "/suspects/decisions?status=lead", case=["1", "3"], status="dismissed", reason=" ")
    assert answer.status_code == 400
    assert re.findall(r'value="(\d)"[^>]* checked>', answer.text) == ["3", "1"]
    assert set(statuses(queue).values()) == {"lead"}


def test_without_a_ticked_case_nothing_is_decided(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", status="confirmed")
    assert answer.status_code == 400
    assert "请先勾选案件。" in answer.text


def test_a_decision_leads_back_to_the_same_filter_order_and_page(client: FlaskClient, queue: Seeder) -> None:
    address = "/suspects/decisions?status=lead&host=copies.example&order=largest&page=2&next=//evil.example"
    where = urlsplit(send(client, address, case="1", status="confirmed").headers["Location"])
    assert (where.netloc, where.path) == ("", "/suspects/")
    assert parse_qs(where.query) == {
        "status": ["lead"],
        "host": ["copies.example"],
        "order": ["largest"],
        "page": ["2"],
    }


def test_cases_that_are_not_there_are_left_out(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case=["1", "77", "x", "-1"], status="confirmed")
    assert "已确认 1 个案件。" in client.get("/suspects/").text


def test_more_cases_than_can_be_undone_are_refused(client: FlaskClient, queue: Seeder) -> None:
    answer = send(client, "/suspects/decisions", case=[str(n) for n in range(1, 300)], status="confirmed")
    assert answer.status_code == 413
    assert set(statuses(queue).values()) == {"lead"}


def test_the_last_decision_is_undone_once(client: FlaskClient, queue: Seeder) -> None:
    queue.store.cases.decide("2", CaseStatus.CONFIRMED, by="王", reason="全文照抄", at=NOW - timedelta(days=1))
    send(client, "/suspects/decisions", case=["1", "2"], status="dismissed", reason="x")
    assert "撤销上一次判定（2）" in client.get("/suspects/").text
    send(client, "/suspects/undo")
    assert statuses(queue) == {1: "lead", 2: "confirmed", 3: "lead", 4: "lead"}
    restored = queue.store.cases.get("2")
    assert (restored.decided_by, restored.reason) == ("王", "全文照抄")
    assert "已撤销 2 个案件的判定。" in client.get("/suspects/").text
    send(client, "/suspects/undo")
    assert "没有可撤销的判定" in client.get("/suspects/").text


def test_what_somebody_decided_since_is_not_undone(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/suspects/decisions", case=["1", "3"], status="confirmed")
    queue.store.cases.decide("3", CaseStatus.DISMISSED, by="李", reason="误判", at=NOW + timedelta(minutes=1))
    send(client, "/suspects/undo")
    assert statuses(queue) == {1: "lead", 2: "lead", 3: "dismissed", 4: "lead"}


def test_only_who_decided_can_undo(make_app: MakeApp, queue: Seeder) -> None:
    app = make_app()
    send(app.test_client(), "/suspects/decisions", case="1", status="confirmed")
    other = app.test_client()
    send(other, "/suspects/undo")
    assert statuses(queue)[1] == "confirmed"
    assert "data-undo" not in other.get("/suspects/").text


def test_a_decision_on_the_case_page_can_be_undone_there(client: FlaskClient, queue: Seeder) -> None:
    send(client, "/cases/1/decision", status="confirmed")
    assert 'action="/cases/1/undo"' in client.get("/cases/1").text
    assert send(client, "/cases/1/undo").headers["Location"] == "/cases/1"
    assert statuses(queue)[1] == "lead"


@pytest.mark.parametrize("address", ["/suspects/decisions", "/suspects/undo", "/cases/1/undo"])
def test_a_forged_decision_is_refused(client: FlaskClient, queue: Seeder, address: str) -> None:
    client.get("/suspects/")
    assert client.post(address, data={"case": "1", "status": "confirmed"}).status_code == 400
    assert set(statuses(queue).values()) == {"lead"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("level=verbatim", [2]),
        ("licensed=yes", [3]),
        ("licensed=no&level=light", [1]),
        ("present=no", [4]),
        ("present=yes&host=copies.example", [1]),
        ("order=oldest", [1, 2, 3, 4]),
        ("order=largest&level=light", [3, 1]),
    ],
)
def test_the_address_filters_by_level_licence_and_presence(
    client: FlaskClient, queue: Seeder, query: str, expected: list[int]
) -> None:
    queue.store.cases.mark_absent([queue.store.cases.get("4").id], NOW)
    assert numbers(client, f"/suspects/?{query}") == expected


def test_the_order_goes_by_the_share_of_the_page(client: FlaskClient, queue: Seeder) -> None:
    queue.case("https://mirror.example/small", level=Level.LIGHT, share=0.2)
    queue.case("https://mirror.example/large", level=Level.LIGHT, share=0.95)
    assert numbers(client, "/suspects/?host=mirror.example&order=largest") == [6, 2, 5]


def test_what_is_exported_is_what_is_listed(client: FlaskClient, queue: Seeder) -> None:
    exported = client.get("/reports/cases.json?level=light&licensed=no").get_json()
    assert [case["number"] for case in exported["cases"]] == [1]
    assert exported["chosen_by"] == {"level": "light", "licensed": "no"}


@pytest.mark.parametrize("query", ["level=x", "licensed=maybe", "present=1", "order=best"])
def test_a_filter_that_does_not_exist_is_refused_by_name(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/suspects/?{query}")
    assert answer.status_code == 400
    assert f"no such {query.partition('=')[0]}" in answer.text
