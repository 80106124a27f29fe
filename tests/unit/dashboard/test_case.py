"""The case page, and the decision that is taken on it."""

import re

import pytest
from flask.testing import FlaskClient

from store.records import CaseStatus, Change, Level, Passage
from tests.unit.dashboard.conftest import MakeApp
from tests.unit.dashboard.seed import MIDDLE, NOW, OPENING, PAGE_TEXT, WORK_TEXT, Seeder


@pytest.fixture
def one(seed: Seeder) -> Seeder:
    """One case."""
    seed.work()
    seed.case()
    return seed


def decide(client: FlaskClient, status: str, reason: str = "") -> int:
    """Send the form of the case page; the status of the answer."""
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/cases/1").text)
    assert token
    data = {"csrf_token": token[1], "status": status, "reason": reason}
    return client.post("/cases/1/decision", data=data).status_code


@pytest.mark.usefixtures("one")
def test_both_texts_are_whole_and_their_passages_lead_to_each_other(client: FlaskClient) -> None:
    page = client.get("/cases/1").text
    for side, text in (("page", PAGE_TEXT), ("work", WORK_TEXT)):
        found = re.search(rf'data-pane="{side}">(.*?)</div>', page, re.DOTALL)
        assert found
        shown = re.sub(r"<a class=\"ref\".*?</a>", "", found[1])
        assert re.sub(r"<[^>]+>", "", shown) == text
    for number in (1, 2):
        assert f'id="p{number}" href="#w{number}"' in page
        assert f'id="w{number}" href="#p{number}"' in page
    assert re.findall(r'<mark class="(\w+)" data-passage="\d">([^<]+)<', page)[2:] == [
        ("verbatim", OPENING),
        ("light", MIDDLE),
    ]


@pytest.mark.usefixtures("one")
def test_the_figures_the_reasons_and_the_evidence_are_shown(client: FlaskClient) -> None:
    page = client.get("/cases/1?lang=en").text
    for shown in ("83.2%", "68.5%", "97.3%", "83.2% of the page agrees with the work", "198.51.100.7", "nginx"):
        assert shown in page
    assert "2026-03-05T22:30:00+08:00" in page  # stored as 14:30 UTC


def test_passages_are_listed_from_the_longest_down(client: FlaskClient, one: Seeder) -> None:
    assert re.findall(r'<li><a href="#p(\d+)"', client.get("/cases/1").text) == ["2", "1"]
    assert len(MIDDLE) > len(OPENING)


def test_an_authorised_reprint_and_a_copy_that_went_away_are_marked(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    seed.store.cases.mark_absent([seed.store.cases.get("3").id], NOW)
    page = client.get("/cases/3").text
    assert "授权转载：晨读网" in page
    assert "已不再出现" in page


def test_confirming_keeps_who_and_why(make_app: MakeApp, one: Seeder) -> None:
    client = make_app().test_client()
    assert decide(client, "confirmed", "整篇转载") == 303
    case = one.store.cases.get("1")
    assert (case.status, case.reason, case.decided_by, case.decided_at) == (
        CaseStatus.CONFIRMED,
        "整篇转载",
        "local",
        NOW,
    )
    assert "案件 #1 已确认。" in client.get("/cases/1").text


def test_dismissing_needs_a_reason(client: FlaskClient, one: Seeder) -> None:
    assert decide(client, "dismissed", "  ") == 400
    assert one.store.cases.get("1").status is CaseStatus.LEAD
    assert decide(client, "dismissed", "公版诗句") == 303
    assert one.store.cases.get("1").status is CaseStatus.DISMISSED


def test_a_decision_can_be_taken_back(client: FlaskClient, one: Seeder) -> None:
    decide(client, "confirmed")
    assert decide(client, "lead") == 303
    assert one.store.cases.get("1").status is CaseStatus.LEAD


def test_an_unknown_decision_is_refused(client: FlaskClient, one: Seeder) -> None:
    assert decide(client, "burnt") == 400
    assert one.store.cases.get("1").status is CaseStatus.LEAD


def test_a_text_that_the_store_lost_is_said_so_and_the_rest_is_shown(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    seed.case(page_text_digest="0" * 64)
    page = client.get("/cases/1").text
    assert "网页正文已不在库中。" in page
    assert OPENING in page


def test_passages_that_point_outside_their_text_do_no_harm(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    wild = Passage(
        page_start=5, page_end=10**6, work_start=10**6, work_end=10**7, similarity=0.5, change=Change.REWRITTEN
    )
    seed.case(passages=(wild,), level=Level.REWRITTEN)
    assert 'id="w1"' in client.get("/cases/1").text
