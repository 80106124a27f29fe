"""Cases, figures, notices and licences are shown for one rights holder, the client of a house."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MakeCaller, post
from tests.support.seed import NOW, Seeder


@pytest.fixture
def two_clients(seed: Seeder) -> Seeder:
    """Two clients: the first has two works with a case each, the second one work with a case."""
    seed.work("tide", title="潮汐簿", owner="河岸出版社")
    seed.work("dock", title="老码头", owner="河岸出版社")
    seed.work("lamp", title="灯下", owner="灯塔文化")
    seed.case("https://a.example/1", work_id="tide")
    seed.case("https://a.example/2", work_id="dock")
    seed.case("https://b.example/3", work_id="lamp")
    return seed


def test_the_queue_lists_the_cases_of_one_client(client: FlaskClient, two_clients: Seeder) -> None:
    queue = client.get("/suspects/", query_string={"holder": "河岸出版社", "lang": "zh"}).text
    assert 'data-case="1"' in queue
    assert 'data-case="2"' in queue
    assert 'data-case="3"' not in queue
    assert "权利人 <bdi>河岸出版社" in queue, "the condition can be dropped"


@pytest.mark.parametrize("order", ["worth", "newest", "largest", "likeliest", "oldest"])
def test_a_client_is_a_condition_in_every_order_and_with_every_other_one(
    caller: MakeCaller, two_clients: Seeder, order: str
) -> None:
    call = caller()
    for asked, numbers in (
        ({"holder": "河岸出版社"}, {1, 2}),
        ({"holder": "灯塔文化"}, {3}),
        ({"holder": "无此人"}, set()),
        ({"holder": "河岸出版社", "work": "tide"}, {1}),
        ({"holder": "河岸出版社", "work": "lamp"}, set()),
        ({"holder": "河岸出版社", "host": "b.example"}, set()),
        ({"holder": "河岸出版社", "q": "潮汐"}, {1}),
        ({"holder": "河岸出版社", "status": "confirmed"}, set()),
    ):
        answer = call("GET", "/cases", query_string={**asked, "order": order})
        assert {case["number"] for case in (answer.json or {})["items"]} == numbers, asked


def test_a_column_names_the_client_of_each_case(client: FlaskClient, two_clients: Seeder) -> None:
    post(client, "/suspects/columns", form_at="/suspects/", column=["work", "holder"])
    queue = client.get("/suspects/").text
    assert queue.count('<td class="wide col-holder"') == 3
    assert "<bdi>灯塔文化</bdi>" in queue


def test_the_analysis_and_the_map_count_one_client(
    client: FlaskClient, caller: MakeCaller, two_clients: Seeder
) -> None:
    call = caller()
    days = {"since": "2020-01-01", "until": f"{NOW + timedelta(days=1):%Y-%m-%d}"}
    whole = call("GET", "/analysis", query_string=days).json or {}
    of_one = call("GET", "/analysis", query_string={**days, "holder": "河岸出版社"}).json or {}
    assert (whole["copies"], of_one["copies"]) == (3, 2)
    assert {work["work_id"] for work in of_one["works"]} == {"tide", "dock"}
    assert [site["host"] for site in of_one["sites"]] == ["a.example"]
    carried = (call("GET", "/analysis/map", query_string={**days, "holder": "灯塔文化"}).json or {})["carried"]
    assert [one["work_id"] for one in carried] == ["lamp"]
    screen = client.get("/analysis/", query_string={**days, "holder": "灯塔文化"}).text
    assert 'value="灯塔文化"' in screen
    assert "holder=" in screen, "the lists behind the figures keep the client"


def test_a_report_of_one_client_names_it_and_holds_no_other(client: FlaskClient, two_clients: Seeder) -> None:
    report = client.get("/reports/cases.json", query_string={"holder": "灯塔文化"}).json or {}
    assert [case["number"] for case in report["cases"]] == [3]
    assert report["chosen_by"] == {"holder": "灯塔文化"}
    assert client.get("/reports/cases.xlsx", query_string={"holder": "灯塔文化"}).status_code == 200


def test_holders_are_offered_by_a_part_of_their_name(client: FlaskClient, two_clients: Seeder) -> None:
    offered = client.get("/holders/names", query_string={"q": "塔"}).json or []
    assert [one["value"] for one in offered] == ["灯塔文化"]
    assert client.get("/holders/names?q=").json == []


def test_a_licence_of_a_client_covers_its_works_alone(client: FlaskClient, two_clients: Seeder) -> None:
    licence = {"licensee": "河岸文艺", "prefix": "a.example", "holder": "灯塔文化"}
    assert post(client, "/licences/", form_at="/licences/", **licence).status_code == 303
    assert two_clients.store.cases.count(licensed=True) == 0, "the cases there are of another client"
    assert post(client, "/licences/", form_at="/licences/", **licence | {"holder": "河岸出版社"}).status_code == 303
    assert two_clients.store.cases.count(licensed=True) == 2
    assert "河岸出版社 的全部作品" in client.get("/licences/?lang=zh").text
    assert "河岸出版社 的全部作品" not in client.get("/licences/?lang=zh&holder=灯塔文化").text
    refused = post(client, "/licences/", form_at="/licences/", **licence | {"work": "tide"})
    assert refused.status_code == 400
    assert post(client, "/licences/", form_at="/licences/", **licence | {"holder": "无此人"}).status_code == 400


def test_the_licences_of_a_merged_client_cover_the_works_of_the_other(client: FlaskClient, two_clients: Seeder) -> None:
    for name in ("河岸出版社", "灯塔文化"):
        post(client, "/holders/", form_at="/holders/", name=name)
    post(client, "/licences/", form_at="/licences/", licensee="甲", prefix="a.example", holder="河岸出版社")
    post(client, "/holders/merge", form_at="/holders/", id="河岸出版社", into="灯塔文化")
    assert [licence.holder for licence in two_clients.store.licences.all()] == ["灯塔文化"]
