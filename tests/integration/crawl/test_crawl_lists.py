"""What sites publish for machines: robots.txt, sitemaps and feeds, on a real site on loopback."""

from typing import Any

from tests.support.crawls.crawling import HOST, missed, run


def run_on(names: list[str], path: str = "/one", **fields: Any) -> dict[str, Any]:
    """Crawl this path on several hosts that differ in their robots.txt."""
    hosts = {f"{name}.test": "127.0.0.1:{port}" for name in names}
    return run(*(f"http://{host}{path}" for host in hosts), host_map=hosts, **fields)


def test_a_robots_txt_that_is_not_there_forbids_nothing_whatever_stands_in_its_place() -> None:
    result = run_on(["without", "moved"])
    assert set(result["pages"]) == {"http://without.test/one", "http://moved.test/one"}
    assert not missed(result)


def test_a_robots_txt_that_cannot_be_had_forbids_everything_for_now() -> None:
    result = run_on(["busy", "limited", "silent"], timeout=8.0)
    assert not result["pages"]
    assert "/one" not in result["seen"]
    assert missed(result) == {"failed_no_robots": 2, "failed_timeout": 1}
    assert all("robots.txt cannot be had" in reason for reason in result["reasons"].values())
    assert "the server answered 503" in result["reasons"]["http://busy.test/one"]


def test_what_stands_in_robots_txt_is_obeyed_however_it_came() -> None:
    result = run_on(["slow"], "/secret/page")
    assert missed(result) == {"refused_robots": 1}


def test_the_pause_that_robots_txt_asks_for_is_the_least_between_two_requests() -> None:
    result = run_on(["slow"], "/", concurrency=8)
    times = result["times"]["slow.test"]
    assert len(result["pages"]) == 3
    assert len(times) == 4, "robots.txt and three pages"
    assert times[-1] - times[0] > 3 * 0.15, "but for what a busy machine noted late"


def test_a_sitemap_index_is_a_start_address_whose_pages_are_start_addresses() -> None:
    result = run("/index.xml", max_depth=0)
    assert set(result["pages"]) == {f"{HOST}/one", f"{HOST}/two?b=2&a=1"}
    assert result["counts"]["fetched"] == 2, "lists are no pages"
    assert not missed(result)


def test_robots_txt_is_a_start_address_for_the_sitemaps_that_it_names() -> None:
    result = run_on(["mapped"], "/robots.txt", max_depth=0)
    assert set(result["pages"]) == {"http://mapped.test/one", "http://mapped.test/two?b=2&a=1"}


def test_a_feed_is_a_start_address_and_its_pages_lead_on() -> None:
    assert set(run("/feed")["pages"]) == {f"{HOST}/one"}


def test_a_list_that_names_nothing_of_the_site_is_told() -> None:
    result = run("/foreign.xml", "/one")
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert missed(result) == {"refused_empty_list": 1}
