"""The review list of addresses found by search: accepted ones are queued for the crawler, refused ones left alone."""

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MakeApp, post, post_and_follow
from tests.support.seed import NOW, Seeder
from wenhen.discovery.model import Discovery, DiscoveryStatus


@pytest.fixture
def found(seed: Seeder) -> Seeder:
    """Two addresses for one work."""
    seed.work()
    for at in (1, 2):
        seed.store.discoveries.add(
            Discovery(
                id=f"d{at}",
                work_id="dock",
                url=f"https://copies.example/{at}",
                title=f"<b>老船匠{at}</b>",
                sentences=("船底的缝要用桐油和麻丝一点一点填",),
                engine="searxng",
                found_at=NOW,
            )
        )
    return seed


def send(client: FlaskClient, **form: object) -> tuple[int, str]:
    answer = post_and_follow(client, "/discoveries/", form_at="/discoveries/", **form)
    return answer.status_code, answer.text


def test_the_list_shows_what_waits_and_trusts_no_title(client: FlaskClient, found: Seeder) -> None:
    page = client.get("/discoveries/").text
    assert "https://copies.example/1" in page
    assert "<b>老船匠" not in page
    assert "船底的缝" in page


def test_accepted_addresses_are_queued_for_one_crawl_and_leave_the_list(client: FlaskClient, found: Seeder) -> None:
    status, page = send(client, id=["d1"], status="accepted")
    assert status == 200
    assert "https://copies.example/1" not in page
    assert [one.id for one in found.store.discoveries.find(status=DiscoveryStatus.ACCEPTED)] == ["d1"]
    assert len(found.store.runs.recent()) == 1
    assert [entry.action for entry in found.store.audit.find()] == ["discovery.accepted"]


def test_refused_addresses_are_left_alone(client: FlaskClient, found: Seeder) -> None:
    send(client, id=["d1", "d2"], status="refused")
    assert len(found.store.discoveries.find(status=DiscoveryStatus.REFUSED)) == 2
    assert "清单是空的" in client.get("/discoveries/").text


def test_nothing_ticked_changes_nothing(client: FlaskClient, found: Seeder) -> None:
    _, page = send(client, status="accepted")
    assert "请先勾选" in page
    assert len(found.store.discoveries.find(status=DiscoveryStatus.PENDING)) == 2


def test_a_search_is_begun_on_screen_by_the_title_of_a_work(make_app: MakeApp, found: Seeder) -> None:
    assert "还没有设置搜索引擎" in make_app().test_client().get("/discoveries/").text
    client = make_app(discover={"url": "http://search.test"}).test_client()
    refused = post(client, "/discoveries/searches", form_at="/discoveries/", work="没有这一本")
    assert (refused.status_code, 'value="没有这一本"' in refused.text) == (400, True)
    assert post(client, "/discoveries/searches", form_at="/discoveries/", work="修船的老人").status_code == 303
    page = client.get("/discoveries/").text
    assert "等待中" in page
    assert [entry.action for entry in found.store.audit.find()] == ["discovery.search"]
