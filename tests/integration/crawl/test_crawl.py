"""Crawls of a real site on loopback, well-behaved and hostile, each in a process of its own."""

import hashlib
from typing import Any

import pytest

from crawler.extraction.page import extract_html
from tests.support.crawls.crawling import HOST, missed, run

STORY = "他把那封旧信从抽屉里取出来，读了两遍"


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return run("/")


def test_a_site_is_crawled_by_its_links_and_each_page_is_captured_once(plain: dict[str, Any]) -> None:
    assert set(plain["pages"]) == {f"{HOST}/", f"{HOST}/one", f"{HOST}/two?b=2&a=1"}
    assert plain["counts"]["fetched"] == 3
    assert plain["seen"]["/one"] == 1, "a tracking parameter or a fragment does not make another page"


def test_a_mapped_name_is_what_the_server_and_the_record_see(plain: dict[str, Any]) -> None:
    assert plain["hosts"] == ["news.wenhen-test.test"]
    page = plain["pages"][f"{HOST}/one"]
    assert page["url"] == f"{HOST}/one"
    assert page["server"] == "127.0.0.1"
    assert page["status"] == 200
    assert ["Content-Type", "text/html; charset=utf-8"] in page["headers"]


def test_robots_txt_is_obeyed_for_our_product_token_and_the_refusal_is_told(plain: dict[str, Any]) -> None:
    assert plain["seen"].get("/secret/page") is None
    assert missed(plain) == {"refused_robots": 1}
    assert plain["reasons"] == {f"{HOST}/secret/page": "robots.txt forbids this address"}


def test_the_sink_is_called_off_the_main_thread_and_hears_the_last_counts(plain: dict[str, Any]) -> None:
    assert plain["threads"]
    assert "MainThread" not in plain["threads"]
    assert plain["reports"][-1] == plain["counts"]


def test_the_page_limit_is_exact_and_what_it_leaves_out_is_told() -> None:
    result = run("/wide", max_pages=7)
    assert len(result["pages"]) == result["counts"]["fetched"] == 7
    assert missed(result) == {"refused_page_limit": 34}, "of the 41 pages"


def test_the_depth_limit_holds_but_the_pages_of_one_text_are_followed_to_its_end() -> None:
    assert set(run("/", max_depth=0)["pages"]) == {f"{HOST}/"}
    chapters = run("/chapter/1", max_depth=0)
    assert set(chapters["pages"]) == {f"{HOST}/chapter/{number}" for number in range(1, 6)}
    assert missed(chapters) == {"failed_http_404": 1}, "the last page links to one that is not there"


def test_bad_answers_are_each_counted_with_their_reason_and_the_rest_goes_on() -> None:
    bad = ("/hang", "/drip", "/reset", "/garbage", "/error", "/nowhere", "/circle-a", "/bomb", "/30mb", "/endless")
    result = run(*bad, "/missing-picture", "/film", "/paper.pdf", "/plain", "/away", "/one", timeout=8.0)
    assert set(result["pages"]) == {f"{HOST}/one", f"{HOST}/paper.pdf", f"{HOST}/plain"}
    assert missed(result) == {
        "failed_timeout": 2,
        "failed_connection": 2,
        "failed_http_404": 2,
        "failed_http_500": 1,
        "refused_redirects": 1,
        "refused_too_large": 3,
        "refused_not_html": 1,
        "refused_other_host": 1,
    }
    assert len(result["reasons"]) == 13
    assert all(reason and "\n" not in reason for reason in result["reasons"].values())
    assert result["seen"]["/error"] == 2, "a server error is tried again"
    assert result["seen"]["/nowhere"] == 1, "a missing page is not"
    assert len(result["reports"]) >= 3, "progress is told while a server hangs"


def test_what_is_odd_but_readable_is_kept_with_its_problems() -> None:
    result = run("/short", "/gzip", "/octets", "/cookie", "/moved", "/empty", "/untitled", "/flaky", "/deep")
    pages = result["pages"]
    expected = ("/short", "/gzip", "/octets", "/cookie", "/one", "/empty", "/untitled", "/flaky", "/deep")
    assert set(pages) == {HOST + path for path in expected}
    assert not missed(result)
    assert pages[f"{HOST}/short"]["problems"] == ["body shorter than Content-Length"]
    assert pages[f"{HOST}/gzip"]["digest"] == pages[f"{HOST}/one"]["digest"], "decompressed"
    assert ["Content-Encoding", "gzip"] in pages[f"{HOST}/gzip"]["headers"], "the headers are what was sent"
    assert result["seen"]["/flaky"] == 2
    assert result["seconds"] >= 1.0, "the second try waits as long as Retry-After asks"
    assert pages[f"{HOST}/empty"]["digest"] == hashlib.sha256(b"").hexdigest()


def test_what_stands_where_a_page_should_is_never_stored_and_told_as_what_it_is() -> None:
    result = run("/captcha", "/too-often", "/members", "/forbidden", "/one")
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert missed(result) == {"refused_soft_block": 3, "failed_http_403": 1}
    assert result["reasons"][f"{HOST}/captcha"] == "not the page but a captcha: 请完成安全验证后继续访问"
    assert "访问过于频繁，请稍后再试 (status 429)" in result["reasons"][f"{HOST}/too-often"]
    assert "login wall" in result["reasons"][f"{HOST}/members-only"]
    assert result["seen"]["/too-often"] == 2, "what may pass is tried again first"


def test_a_page_of_20_megabytes_is_kept_whole() -> None:
    result = run("/20mb", "/one", timeout=30.0)
    assert result["pages"][f"{HOST}/20mb"]["size"] > 19_000_000
    assert f"{HOST}/one" in result["pages"]


def test_a_page_in_another_charset_than_it_says_comes_through_to_its_text() -> None:
    page = run("/gbk-as-utf8")["pages"][f"{HOST}/gbk-as-utf8"]
    extracted = extract_html(page["begin"].encode("latin-1"), page["headers"], page["url"])
    assert STORY in extracted.text
    assert extracted.charset == "gb18030"


@pytest.mark.parametrize(
    "start",
    [f"{HOST}/one", "http://127.0.0.1:{port}/one", "http://2130706433:{port}/one", "http://localhost:{port}/one"],
)
def test_a_private_address_is_refused_for_a_site_that_is_not_internal(start: str) -> None:
    result = run(start, internal=False)
    assert not result["pages"]
    assert missed(result) == {"refused_private_address": 1}
    assert not result["seen"], "not even robots.txt is asked for"


def test_a_redirect_to_a_private_address_is_refused() -> None:
    result = run(
        "/inward",
        "/one",
        internal=False,
        hosts=["news.wenhen-test.test", "inner.test"],
        host_map={"news.wenhen-test.test": "127.0.0.1:{port}", "inner.test": "127.0.0.2:{port}"},
        test={"public": "127.0.0.1"},
    )
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert missed(result) == {"refused_private_address": 1}
    assert result["hosts"] == ["news.wenhen-test.test"]


def test_a_page_that_cannot_be_stored_is_counted_and_the_others_are_stored() -> None:
    result = run("/", test={"failing": {f"{HOST}/one": "disk on fire"}})
    assert set(result["pages"]) == {f"{HOST}/", f"{HOST}/two?b=2&a=1"}
    assert missed(result) == {"refused_robots": 1, "failed_not_stored": 1}
    assert result["reasons"][f"{HOST}/one"] == "not stored: ValueError: disk on fire"


def test_a_store_that_goes_away_ends_the_crawl_with_its_error() -> None:
    result = run("/wide", test={"failing": {f"{HOST}/wide": "unavailable"}})
    assert result["error"] == "the store is away"
    assert not result["pages"]
    assert "/wide/1" not in result["seen"]


def test_a_crawl_that_is_told_to_stop_ends_in_order() -> None:
    result = run("/wide", concurrency=1, test={"stop_after": 5})
    assert result["error"] is None
    assert 5 <= result["counts"]["fetched"] == len(result["pages"]) < 41


def test_the_pictures_of_a_page_without_text_are_fetched_by_the_rules_of_its_site_and_within_a_budget() -> None:
    result = run("/pictures", "/illustrated", pictures=9)
    page = result["pages"][HOST + "/pictures"]
    assert page["assets"] == [[f"{HOST}/part/{number}.png", f"picture {number}"] for number in (1, 2)]
    assert [problem for problem in page["problems"] if "/secret/3.png was not read" in problem], "robots.txt forbids it"
    assert "assets" not in result["pages"][HOST + "/illustrated"]
    assert result["pages"].keys() == {HOST + path for path in ("/pictures", "/illustrated", "/one")}
    some = run("/pictures", pictures=1, follow=False)
    assert len(some["pages"][HOST + "/pictures"]["assets"]) == 1


def test_fonts_at_their_own_addresses_are_fetched_where_a_page_needs_them_and_that_was_decided() -> None:
    result = run("/font/inside", "/font/beside", "/font/plain", fonts=True)
    font = [[f"{HOST}/font/x.woff2?v=1", "wOF2 of our own"]]
    fetched = {path: page.get("assets") for path, page in result["pages"].items()}
    assert fetched == {HOST + "/font/inside": font, HOST + "/font/beside": font, HOST + "/font/plain": None}
    result = run("/font/inside", "/styled")
    assert "assets" not in result["pages"][HOST + "/font/inside"]
    [[sheet, _]] = result["pages"][HOST + "/styled"]["assets"]
    assert sheet == f"{HOST}/font/x.css", "it may hide the words with a class between the others"
