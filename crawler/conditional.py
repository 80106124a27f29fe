"""Asks a server for a page only if it changed."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.addresses import canonical
from crawler.recrawl import CONDITIONS, NOT_MODIFIED
from crawler.spiders.site import SiteSpider


class ConditionalMiddleware:
    """Sends with the request for a page what its server said of the last capture; nearer to the server than redirects,
    so that each address on the way is asked for with its own.
    """

    def __init__(self, crawler: Crawler) -> None:
        assert isinstance(crawler.spider, SiteSpider)
        self._ledger = crawler.spider.ledger
        if not self._ledger.remembers:
            raise NotConfigured

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ConditionalMiddleware":
        """Scrapy's constructor."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Set the conditions, in place of those of another address that led here."""
        for name in CONDITIONS:
            request.headers.pop(name, None)
        if "hops" not in request.meta:  # robots.txt
            return
        known = await self._ledger.known(canonical(request.url))
        if known is not None:
            for name, value in zip(CONDITIONS, (known.etag, known.last_modified), strict=True):
                if value:
                    request.headers[name] = value.encode("latin-1", "ignore")
            request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
