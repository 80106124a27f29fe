"""Works are named by title or id; what names none is said to be unknown."""

from dataclasses import replace
from io import BytesIO

import openpyxl
import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from tests.support.screens import post
from tests.support.seed import Seeder, watched

LIBRARY = "xn--1jq370b.test"  # 书库.test


@pytest.fixture
def two_works(seed: Seeder) -> Seeder:
    """Two works with a case each."""
    seed.work("tide", title="潮汐簿")
    seed.work("dock", title="老码头")
    seed.case("https://a.example/1", work_id="tide")
    seed.case("https://a.example/2", work_id="dock")
    return seed


def test_a_picker_offers_works_by_their_title(client: FlaskClient, two_works: Seeder) -> None:
    offered = client.get("/works/names", query_string={"q": "潮汐"}).json or []
    assert [(one["value"], one["label"].split(" · ")[0]) for one in offered] == [("潮汐簿", "潮汐簿")]
    assert client.get("/works/names?q=").json == []


def test_works_of_one_title_are_offered_by_their_id(client: FlaskClient, two_works: Seeder) -> None:
    two_works.work("tide-2", title="潮汐簿", text="另一篇同名的文章，写的是另一件事。" * 20)
    offered = client.get("/works/names", query_string={"q": "潮汐簿"}).json or []
    assert {one["value"] for one in offered} == {"tide", "tide-2"}


def test_the_queue_the_analysis_and_the_map_take_a_title(client: FlaskClient, two_works: Seeder) -> None:
    for address in ("/suspects/", "/analysis/", "/analysis/map/"):
        page = client.get(address, query_string={"work": "潮汐簿", "lang": "zh"}).text
        assert "tide" in page, address
        assert "没有标题或编号为" not in page, address
    queue = client.get("/suspects/", query_string={"work": "潮汐簿"}).text
    assert "#1" in queue
    assert 'data-case="2"' not in queue


@pytest.mark.parametrize("address", ["/suspects/", "/analysis/", "/analysis/map/"])
def test_an_unknown_work_is_said_to_be_unknown(client: FlaskClient, two_works: Seeder, address: str) -> None:
    answer = client.get(address, query_string={"work": "没有这一本"})
    assert answer.status_code == 200
    assert "没有标题或编号为“没有这一本”的作品" in answer.text
    assert 'value="没有这一本"' in answer.text, "the field keeps what was typed"


def test_a_licence_and_a_rule_take_a_title_and_refuse_what_is_none(client: FlaskClient, two_works: Seeder) -> None:
    licence = {"licensee": "河岸文艺", "prefix": "a.example", "work": "潮汐簿"}
    assert send(client, "/licences/", licence) == 303
    assert [one.work_id for one in two_works.store.licences.all()] == ["tide"]
    assert send(client, "/licences/", licence | {"work": "没有这一本"}) == 400
    rule = {"name": "潮汐", "act": "dismiss", "work": "潮汐簿"}
    assert send(client, "/suspects/rules/", rule) == 303
    assert [one.work_id for one in two_works.store.triage_rules.all()] == ["tide"]


def send(client: FlaskClient, address: str, form: dict[str, str]) -> int:
    """The status of the answer to a form."""
    return post(client, address, form_at=address, **form).status_code


@pytest.fixture
def two_sites(seed: Seeder) -> Seeder:
    """A site of Chinese name and host, with a page and a case, and one of two hosts."""
    seed.work()
    seed.case(f"https://{LIBRARY}/1")
    seed.store.sites.put(replace(watched("抄书网"), id="library", hosts=(LIBRARY,)))
    seed.store.sites.put(replace(watched("转载站"), id="reprints", hosts=("a.example", "b.example")))
    return seed


def test_a_picker_offers_sites_by_name_and_host_as_people_write_it(client: FlaskClient, two_sites: Seeder) -> None:
    def offered(typed: str) -> list[str]:
        return [one["value"] for one in client.get("/sites/names", query_string={"q": typed}).json or []]

    assert offered("抄书") == offered("书库") == offered("xn--1jq370b") == ["抄书网"]
    assert offered("转载") == ["a.example", "b.example"]
    assert offered("") == offered("没有") == []


@pytest.mark.parametrize("address", ["/suspects/", "/analysis/", "/analysis/map/", "/pages/"])
def test_a_site_is_named_by_name_host_or_address_and_an_unknown_one_is_said_to_be_unknown(
    client: FlaskClient, two_sites: Seeder, address: str
) -> None:
    for named in ("抄书网", "书库.test", "XN--1JQ370B.test", "https://书库.test/1?a=b"):
        page = client.get(address, query_string={"host": named}).text
        assert "没有名称或地址为" not in page, named
        assert 'name="host" maxlength="300" value="书库.test"' in page or address == "/pages/", named
        assert two_sites.store.cases.get("1").work_title in page or address == "/pages/", named
    unknown = client.get(address, query_string={"host": "没有.test"}).text
    assert "没有名称或地址为“没有.test”的站点" in unknown


def card(client: FlaskClient, address: str, name: str) -> str:
    """The text of a section of a screen."""
    node = LexborHTMLParser(client.get(address).text).css_first(f"[aria-labelledby={name}]")
    assert node is not None
    return node.text()


def test_map_rankings_and_workbooks_write_a_host_as_people_do(client: FlaskClient, two_sites: Seeder) -> None:
    assert "书库.test" in client.get("/analysis/map/").text
    assert "抄书网" in card(client, "/", "top-hosts")
    assert "书库.test" in card(client, "/analysis/", "sites")
    book = openpyxl.load_workbook(BytesIO(client.get("/reports/cases.xlsx").data))
    hosts = [
        cell
        for sheet in book
        for row in sheet.iter_rows(values_only=True)
        for cell in row
        if cell and LIBRARY in str(cell)
    ]
    assert f"书库.test ({LIBRARY})" in hosts


def test_days_in_the_wrong_order_change_places(client: FlaskClient, two_works: Seeder) -> None:
    page = client.get("/analysis/?since=2026-03-31&until=2026-03-01")
    assert page.status_code == 200
    assert 'name="since" value="2026-03-01"' in page.text
    assert client.get("/suspects/?since=2026-03-31&until=2026-03-01").status_code == 200


def test_a_number_leads_to_its_case_and_a_title_to_its_work_first(client: FlaskClient, two_works: Seeder) -> None:
    page = client.get("/search/?q=2").text
    assert page.index('id="cases"') < page.index("#2 ")
    found = client.get("/search/", query_string={"q": "潮汐簿"}).text
    assert 'id="works"' in found
    assert 'id="texts"' not in found or found.index('id="works"') < found.index('id="texts"')
