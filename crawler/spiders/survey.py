"""Survey a site: find its sitemaps and feeds."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from parsel import Selector
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from crawler.addresses import canonical_url
from crawler.context import META_HOPS, context_of
from crawler.crawl_stats import explain_error
from crawler.extraction.parsing import parse_response
from crawler.frontier.scheduler import FrontierSpider
from crawler.job import CrawlJob
from crawler.skip_reasons import SkipReason
from crawler.spiders.sitemaps_and_feeds import JSON_FEED_SIGNATURE, Listing, read_listing
from wenhen.kit.errors import Message

USUAL_LIST_PATHS = ("/sitemap.xml", "/sitemap_index.xml", "/rss.xml", "/feed", "/atom.xml")
FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json")
FEED_SIGNATURES = (b"<rss", b"<feed", b"<rdf:RDF", JSON_FEED_SIGNATURE)
LIST_HEAD_BYTES = 2_000  # bytes that identify a listing
UNREACHABLE_REASONS = frozenset(  # no server answered, so that none will under another path
    (
        SkipReason.PRIVATE_ADDRESS,
        SkipReason.NAME,
        SkipReason.CONNECTION,
        SkipReason.TIMEOUT,
        SkipReason.PROXY,
        SkipReason.NO_ROBOTS,
    )
)


@dataclass(slots=True)
class SurveyFindings:
    """The findings of a survey, each address once. `pages` counts the addresses in the sitemaps and feeds that were
    read.
    """

    title: str = ""
    sitemaps: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    pages: int = 0
    problem: Message | None = None  # why the start address could not be read


class SurveySpider(FrontierSpider):
    """Reads one address and the listings of its site. It captures nothing."""

    name = "survey"

    def __init__(self, job: CrawlJob, survey: SurveyFindings) -> None:
        super().__init__()
        self._job = job
        self._survey = survey
        self._is_unreachable = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "SurveySpider":
        """Scrapy's constructor."""
        return super().from_crawler(crawler, context_of(crawler).job, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the request for the address. Those for the listings are the orphans."""
        yield self._ask(self._job.start_urls[0], self.read_start)
        self.started = True

    def orphans(self) -> Iterable[Request]:
        """Return the requests for robots.txt and the usual places of listings.

        A server that cannot be reached is not asked again: somebody waits for the answer.
        """
        paths = () if self._is_unreachable else ("/robots.txt", *USUAL_LIST_PATHS)
        return [self._ask(urljoin(self._job.start_urls[0], path), self.read_list) for path in paths]

    async def read_start(self, response: Response) -> AsyncIterator[Request]:
        """Process the start address, or its redirect's target: a page or a listing."""
        if isinstance(response, TextResponse) and self._read_listing(response) is None:
            async for request in self._read_page(response):
                yield request
        async for request in self.read_list(response):
            yield request

    async def read_list(self, response: Response) -> AsyncIterator[Request]:
        """Process a listing, or the robots.txt that names listings."""
        listing = self._read_listing(response)
        if listing is None:
            return
        if response.url.endswith("/robots.txt"):
            for url in listing.lists:
                yield self._ask(url, self.read_list)
            return
        lists = (
            self._survey.feeds
            if any(sign in response.body[:LIST_HEAD_BYTES] for sign in FEED_SIGNATURES)
            else self._survey.sitemaps
        )
        if response.url not in lists and (listing.pages or listing.lists):
            lists.append(response.url)
        self._survey.pages += len(listing.pages)

    def _read_listing(self, response: Response) -> Listing | None:
        return read_listing(response.body, response.url, self._job.max_body_bytes)

    async def _read_page(self, response: TextResponse) -> AsyncIterator[Request]:
        page = Selector(parse_response(response).text)
        self._survey.title = (page.css("title::text").get() or "").strip()
        for link in page.css("link[rel~=alternate]"):
            if (link.attrib.get("type") or "").lower() in FEED_TYPES and link.attrib.get("href"):
                yield self._ask(urljoin(response.url, link.attrib["href"]), self.read_list)

    async def note_failure(self, failure: Failure) -> None:
        """Note that the start address failed. Missing listings are normal."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if request.callback != self.read_start:
            return
        outcome = explain_error(failure.value)
        self._survey.problem = outcome.message
        self._is_unreachable = outcome.reason in UNREACHABLE_REASONS

    def _ask(self, url: str, callback: Any) -> Request:
        return Request(canonical_url(url), callback=callback, errback=self.note_failure, meta={META_HOPS: 0})
