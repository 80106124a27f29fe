"""What a crawl may be asked to do."""

import pytest

from crawler.job import CrawlJob
from crawler.ports import CrawlCounts
from crawler.run import build_settings
from wenhen.kit.errors import BadInput


def job(**fields: object) -> CrawlJob:
    return CrawlJob(**({"start_urls": ("http://a.test/",), "user_agent": "wenhen/0.1"} | fields))  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"start_urls": ()}, "at least one start address"),
        ({"start_urls": ("a.test",)}, "'a.test' is not an http or https address"),
        ({"start_urls": ("file:///etc/passwd",)}, "not an http or https address"),
        ({"start_urls": ("http://[oops/",)}, "not an http or https address"),
        ({"host_map": {"a.test": "localhost:80"}}, "'localhost:80' that a.test is mapped to must be IP:port"),
        ({"host_map": {"a.test": "127.0.0.1"}}, "must be IP:port"),
        ({"host_map": {"a.test": "127.0.0.1:70000"}}, "must be IP:port"),
    ],
)
def test_a_job_that_makes_no_sense_is_refused_with_what_is_wrong(fields: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said.replace(".", r"\.")):
        job(**fields)


def test_without_hosts_those_of_the_start_addresses_are_admitted_and_no_others() -> None:
    assert job().admits("https://A.test/x")
    assert not job().admits("http://b.a.test/")
    assert not job().admits("ftp://a.test/")
    assert not job().admits("javascript:void(0)")


def test_a_pattern_admits_every_name_below_but_not_the_name_itself_or_a_lookalike() -> None:
    wide = job(hosts=("*.a.test", "b.test"))
    assert wide.admits("http://x.a.test/")
    assert wide.admits("http://x.y.A.test/")
    assert wide.admits("http://B.test/")
    assert not wide.admits("http://a.test/")
    assert not wide.admits("http://evila.test/")


def test_a_site_is_the_same_with_www_before_its_name_and_without() -> None:
    assert job().admits("https://www.a.test/x")
    assert job(start_urls=("http://www.a.test/",)).admits("https://a.test/x")
    assert not job().admits("http://www.b.test/")
    assert not job().admits("http://wwwa.test/")


def test_a_host_may_be_written_in_its_own_letters() -> None:
    job = CrawlJob(start_urls=("http://新闻.中国/",), user_agent="x", hosts=("新闻.中国", "*.小说.中国"))
    assert job.admits("http://xn--efvy88h.xn--fiqs8s/1")
    assert job.admits("http://新闻.中国/1")
    assert job.admits("http://m.小说.中国/1")
    assert not job.admits("http://中国/1")


def test_counts_flatten_to_totals_and_reasons() -> None:
    assert CrawlCounts(3, {"robots": 2}, {"http_404": 1, "timeout": 4}).as_mapping() == {
        "fetched": 3,
        "refused": 2,
        "failed": 5,
        "refused_robots": 2,
        "failed_http_404": 1,
        "failed_timeout": 4,
    }


def test_the_crawler_says_who_it_is_and_whom_to_ask() -> None:
    asked = build_settings(job(user_agent="wenhen/0.1", contact="https://example.com/c"))
    assert asked["USER_AGENT"] == "wenhen/0.1 (+https://example.com/c)"
    assert asked["ROBOTSTXT_USER_AGENT"] == "wenhen"
    assert asked["ROBOTSTXT_OBEY"] is True
