"""What a site offers to those who look for its pages: sitemaps and feeds, by its robots.txt, its front page, and where
they usually are.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from parsel import Selector
from scrapy import Request
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from crawler.crawl.addresses import canonical
from crawler.crawl.job import CrawlJob
from crawler.crawl.reasons import explain
from crawler.extract.reading import readable
from crawler.frontier.scheduler import scheduler_of
from crawler.spiders.listings import JSON_FEED, listing
from crawler.spiders.site import SiteSpider

USUAL = ("/sitemap.xml", "/sitemap_index.xml", "/rss.xml", "/feed", "/atom.xml")
FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json")
FEEDS = (b"<rss", b"<feed", b"<rdf:RDF", JSON_FEED)
HEAD = 2_000  # bytes in which a list says what it is


@dataclass(slots=True)
class Offer:
    """What was found, each address once; `pages` counts what the sitemaps and feeds that were read name."""

    title: str = ""
    sitemaps: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    pages: int = 0
    problem: str | None = None  # why the address itself could not be read


class FindingSpider(SiteSpider):
    """Looks at one address, and at the lists of its site; stores nothing."""

    name = "finding"

    def __init__(self, job: CrawlJob, offer: Offer, **kwargs: Any) -> None:
        super().__init__(job, **kwargs)
        self.offer = offer

    async def start(self) -> AsyncIterator[Request]:
        """The address, the robots.txt of its site, and the usual places."""
        url = self.job.start_urls[0]
        yield self._ask(url, self.look_at_page)
        for path in ("/robots.txt", *USUAL):
            yield self._ask(urljoin(url, path), self.look)
        self.started = True

    async def look_at_page(self, response: Response) -> AsyncIterator[Request]:
        """Take up what stands at the address, or where it leads to: a page, or a list."""
        if listing(response.body, response.url, self.job.max_body_bytes) is None and isinstance(response, TextResponse):
            async for request in self._read(response):
                yield request
        async for request in self.look(response):
            yield request

    async def look(self, response: Response) -> AsyncIterator[Request]:
        """Take up a list, or the robots.txt that names lists."""
        found = listing(response.body, response.url, self.job.max_body_bytes)
        if found is None:
            return
        if response.url.endswith("/robots.txt"):
            for url in found.lists:
                yield self._ask(url, self.look)
            return
        lists = self.offer.feeds if any(sign in response.body[:HEAD] for sign in FEEDS) else self.offer.sitemaps
        if response.url not in lists and (found.pages or found.lists):
            lists.append(response.url)
        self.offer.pages += len(found.pages)

    async def _read(self, response: TextResponse) -> AsyncIterator[Request]:
        page = Selector(readable(response).text)
        self.offer.title = (page.css("title::text").get() or "").strip()
        for link in page.css("link[rel~=alternate]"):
            if (link.attrib.get("type") or "").lower() in FEED_TYPES and link.attrib.get("href"):
                yield self._ask(urljoin(response.url, link.attrib["href"]), self.look)

    def missed(self, failure: Failure) -> None:
        """Lists are not everywhere; that the address itself cannot be read is told."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        assert failure.value is not None
        if request.url == canonical(self.job.start_urls[0]):
            self.offer.problem = explain(failure.value).message
        scheduler_of(self.crawler).done(request)

    def _ask(self, url: str, callback: Any) -> Request:
        return Request(canonical(url), callback=callback, errback=self.missed, meta={"hops": 0})
