"""A crawl of a server that is out to harm it ends in bounded time and memory, with everything refused by its reason."""

from typing import Any

import pytest

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.hostile_site import ANSWERS, STORY, hostile

HOST = "http://hostile.wenhen-test.test"
HANGS = ("/hang", "/drip", "/head-drip", "/head-flood", "/one-header", "/continue")
FLOODS = ("/endless", "/endless-chunks", "/reset", "/further")
MEGABYTES = 400  # of the crawl's process; any one bomb would take 400 more


@pytest.fixture(scope="module")
def crawled() -> dict[str, Any]:
    paths = [*HANGS, *FLOODS, *(path for path in ANSWERS if path != "/robots.txt"), "/plain"]
    with hostile() as port:
        return run(
            *[HOST + path for path in paths],
            internal=False,
            hosts=["hostile.wenhen-test.test", "inner.test", "127.0.0.2", "2130706434"],
            host_map={"hostile.wenhen-test.test": f"127.0.0.1:{port}", "inner.test": f"127.0.0.2:{port}"},
            test={"public": "127.0.0.1"},
            max_body_bytes=4 << 20,
            max_pages=100,
            max_depth=0,
            concurrency=4,
            retries=1,
            timeout=8.0,
        )


def test_it_ends_in_bounded_time_and_memory(crawled: dict[str, Any]) -> None:
    assert crawled["error"] is None
    assert crawled["seconds"] < 180
    assert crawled["peak_megabytes"] < MEGABYTES


def test_every_address_is_a_page_or_refused_or_failed_for_a_reason(crawled: dict[str, Any]) -> None:
    pages = {url.removeprefix(HOST) for url in crawled["pages"]}
    assert pages == {
        "/plain", "/longer", "/shorter", "/charset", "/deep", "/links", "/nul", "/reset", "/unknown-encoding",
    }  # fmt: skip
    assert missed(crawled) == {
        "refused_too_large": 9,  # four bombs, two bodies and three heads without end
        "refused_redirects": 4,
        "refused_private_address": 3,
        "refused_not_html": 3,
        "failed_connection": 6,  # what is not HTTP, and lies about its length that leave no body
        "failed_timeout": 3,
        "failed_broken_response": 2,
        "failed_http_302": 1,  # to a file
        "failed_http_999999": 1,
    }
    assert all(reason and "\n" not in reason for reason in crawled["reasons"].values())


def test_what_is_left_of_a_lie_is_kept_with_its_problem(crawled: dict[str, Any]) -> None:
    pages = crawled["pages"]
    assert pages[f"{HOST}/longer"]["problems"] == ["body shorter than Content-Length"]
    assert STORY.encode("gb18030").decode("latin-1") in pages[f"{HOST}/charset"]["begin"]


def test_nothing_inside_is_reached_by_redirects(crawled: dict[str, Any]) -> None:
    for url in ("http://inner.test/", "http://127.0.0.2/", "http://2130706434/"):
        assert "at a private address" in crawled["reasons"][url]
    assert "127." not in crawled["reasons"]["http://inner.test/"], "where a name leads inside is told to nobody"


def test_a_name_that_turns_private_between_two_requests_is_refused_at_the_second() -> None:
    with hostile() as port:
        url = f"http://rebinding.test:{port}"
        result = run(
            f"{url}/plain",
            f"{url}/plain2",
            f"{url}/plain3",
            internal=False,
            host_map={},
            concurrency=1,
            retries=0,
            test={"public": "127.0.0.1", "answers": {"rebinding.test": ["127.0.0.1", "127.0.0.1", "127.0.0.2"]}},
        )
    assert len(result["pages"]) == 1
    assert missed(result) == {"refused_private_address": 2}
