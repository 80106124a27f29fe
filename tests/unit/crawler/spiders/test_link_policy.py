"""Which links of a page are followed, and how far they count."""

from collections.abc import Iterator, Sequence

import pytest

from crawler.crawl_stats import Ledger
from crawler.extraction.parsing import ParsedPage
from crawler.job import CrawlJob
from crawler.ports import Arrival, CrawlCounts
from crawler.skip_reasons import SkipReason
from crawler.spiders.link_policy import LinkPolicy, TrapGuard
from crawler.spiders.page_summary import PageSummary, summarize_parsed_page
from wenhen.kit.errors import Message

HERE = "http://a.test/list"
ENDLESS = "http://a.test/" + "news/x/" * 5


class Refusals:
    """A sink that keeps what was refused."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        return [None] * len(arrivals)

    def report_refused(self, url: str, message: Message, reason: str) -> None:
        self.seen.append((url, reason))

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches."""


@pytest.fixture
def sink() -> Refusals:
    return Refusals()


@pytest.fixture
def ledger(sink: Refusals) -> Iterator[Ledger]:
    ledger = Ledger(sink)
    yield ledger
    ledger.close()


def policy(ledger: Ledger, max_depth: int = 2) -> LinkPolicy:
    job = CrawlJob(start_urls=(HERE,), user_agent="x", max_depth=max_depth, exclude=("/private/",))
    return LinkPolicy(job, ledger, TrapGuard())


def page(*links: tuple[str, str], head: str = "") -> PageSummary:
    body = "".join(f'<a href="{target}">{words}</a>' for target, words in links)
    return summarize_parsed_page(ParsedPage(HERE, f"<head>{head}</head><body>{body}</body>", "utf-8"))


def test_links_among_the_hosts_of_the_job_are_followed_one_link_further(ledger: Ledger) -> None:
    links = page(("/1", "一"), ("http://elsewhere.test/", "二"), ("/private/3", "三"))
    assert list(policy(ledger).follow(links, 0)) == [("http://a.test/1", 1)]


def test_a_link_to_the_next_page_counts_for_nothing(ledger: Ledger) -> None:
    links = page(("/list?page=2", "下一页"), ("/1", "一"))
    assert list(policy(ledger).follow(links, 2)) == [("http://a.test/list?page=2", 2)], "the other is too deep"


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ('<a href="/list?page=2">2</a><a href="/list?page=2">下一页</a>', ""),
        ('<a rel="Next nofollow" href="/list?page=2">→</a>', ""),
        ("", '<link rel=NEXT href="/list?page=2">'),
    ],
    ids=["named by its number before", "an arrow of that type", "a link of the head"],
)
def test_the_next_page_is_known_however_a_page_leads_to_it(ledger: Ledger, body: str, head: str) -> None:
    links = summarize_parsed_page(ParsedPage(HERE, f"<head>{head}</head><body>{body}</body>", "utf-8"))
    assert list(policy(ledger).follow(links, 2)) == [("http://a.test/list?page=2", 2)]


def test_the_address_that_a_page_calls_its_own_is_followed_too(ledger: Ledger) -> None:
    own = page(head='<link rel=canonical href="/own">')
    assert list(policy(ledger).follow(own, 1)) == [("http://a.test/own", 1)]


def test_what_was_followed_is_followed_again_only_after_it_was_forgotten(ledger: Ledger) -> None:
    links, one = page(("/1", "一")), policy(ledger)
    assert len(list(one.follow(links, 0))) == 1
    assert not list(one.follow(links, 0))
    one.forget()
    assert len(list(one.follow(links, 0))) == 1


def test_a_trap_is_not_followed_and_its_shape_is_reported_once(sink: Refusals, ledger: Ledger) -> None:
    one = policy(ledger)
    assert not one.admits(ENDLESS)
    assert not one.admits(ENDLESS)
    ledger.close()
    assert sink.seen == [(ENDLESS, SkipReason.TRAP)]


def test_links_to_the_host_of_a_page_are_asked_for_by_its_scheme(ledger: Ledger) -> None:
    seen = PageSummary("https://a.test/", "http://a.test/", (("http://a.test/one", ""), ("http://a.test/two", "")))
    assert [url for url, _ in policy(ledger).follow(seen, 0)] == ["https://a.test/one", "https://a.test/two"]


def test_what_a_script_loads_counts_for_nothing_and_the_next_article_that_it_knows_for_a_link(ledger: Ledger) -> None:
    state = '<script>state = {"nextUrl": "/api/part?cursor=1", "next": "/post/12"}</script>'
    assert list(policy(ledger).follow(page(head=state), 2)) == [("http://a.test/api/part?cursor=1", 2)]
    assert list(policy(ledger).follow(page(head=state), 0))[1] == ("http://a.test/post/12", 1)
