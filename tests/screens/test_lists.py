"""Lists: what they hold, how they are filtered and turned over."""

import re

import pytest
from flask.testing import FlaskClient

from dashboard.frame.requests import current_paging
from tests.support.screens import MakeApp, numbers
from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.model import CaseStatus


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [4, 3, 2, 1]),
        ("status=lead", [4, 3, 1]),
        ("status=confirmed", [2]),
        ("host=copies.example", [4, 1]),
        ("host=COPIES.example", [4, 1]),
        ("work=lamp", [4]),
        ("status=confirmed&host=copies.example", []),
    ],
)
def test_the_filter_in_the_address_chooses_the_cases(
    client: FlaskClient, seed: Seeder, query: str, expected: list[int]
) -> None:
    seed.library()
    move_case(seed.store, "2", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    assert numbers(client, f"/suspects/?{query}") == expected


def test_tabs_count_the_cases_of_each_status(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    move_case(seed.store, "2", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    tabs = re.findall(
        r"<a href=\"/suspects/[^>]*>(\w+) <b>(\d+)</b>", client.get("/suspects/?host=mirror.example").text
    )
    assert tabs[:3] == [("全部", "1"), ("待判", "0"), ("已确认", "1")]
    assert {count for _, count in tabs[3:]} == {"0"}


def test_a_long_list_is_turned_over_page_by_page(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    for n in range(53):
        seed.case(f"https://copies.example/{n}")
    first = client.get("/suspects/?host=copies.example").text
    assert "第 1–50 条，共 53 条" in first
    assert 'href="?host=copies.example&amp;page=2"' in first
    assert numbers(client, "/suspects/?page=2") == [3, 2, 1]
    assert numbers(client, "/suspects/?page=7") == [3, 2, 1]


def test_works_are_searched_by_title(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/works/?q=七秒").text
    assert "七秒" in page
    assert "修船的老人" not in page


def test_a_work_whose_id_is_a_strange_path_has_its_page(client: FlaskClient, seed: Seeder) -> None:
    seed.work("../a//b?c#d 章.txt", title="怪名")
    address = re.search(r'href="(/works/one[^"]+)"', client.get("/works/").text)
    assert address
    assert "<code>../a//b?c#d 章.txt</code>" in client.get(address[1].replace("&amp;", "&")).text


def test_a_works_page_lists_its_versions_and_cases(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    seed.work(text="新的开头。" * 40)
    page = client.get("/works/one?id=dock").text
    assert numbers(client, "/works/one?id=dock") == [3, 2, 1]
    assert len(re.findall(r'class="digest"', page)) == 2


def test_mirrors_are_counted_and_listed_as_their_main_host(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    seed.case(url="https://m.copies.example/a/9.html")
    before = numbers(client, "/suspects/?host=copies.example")
    seed.store.mirrors.join("m.copies.example", "copies.example", pages=7, moment=NOW)
    together = numbers(client, "/suspects/?host=copies.example")
    assert len(together) == len(before) + 1
    assert numbers(client, "/suspects/?host=m.copies.example") == sorted(set(together) - set(before))
    ranked = re.search(r'id="top-hosts".*?</ol>', client.get("/").text, re.DOTALL)
    assert ranked
    assert "m.copies.example" not in ranked[0]
    assert f"<b>{len(together)}</b>" in ranked[0]


def test_the_overview_counts_and_ranks(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/").text
    tiles = re.findall(r"<b>(\d+)</b><span>(\w+)</span>", page)
    assert tiles[:2] == [("4", "待判"), ("0", "已确认")]
    assert tiles[-3:] == [("2", "作品"), ("4", "已抓网页"), ("1", "拒绝与问题")]
    assert re.findall(r"<bdi>([\w.]+)</bdi></a> <meter[^>]*></meter> <b>(\d)</b>", page)[:2] == [
        ("抄书网", "2"),
        ("mirror.example", "1"),
    ], "a watched site by its name, another by its host"


def test_a_search_that_finds_very_many_says_that_there_are_more(make_app: MakeApp) -> None:
    with make_app().test_request_context("/works/?q=x&page=9999"):
        page = current_paging(10_001, 10_000)
        assert (page.last, page.total, page.more, page.following) == (10_000, 10_000, True, None)
        assert not current_paging(10_000, 10_000).more


def test_a_run_tells_its_refusals_by_reason(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    page = client.get("/sites/?lang=en").text
    assert "refused: robots.txt <b>2</b>" in page
    assert "failed: HTTP 404 <b>1</b>" in page
