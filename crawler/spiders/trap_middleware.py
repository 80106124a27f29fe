"""Keeps from being fetched what turned out to be a trap while it waited."""

from collections.abc import Callable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.crawl.miss_reasons import Reason
from crawler.crawl.why_not_captured import Refusal
from crawler.spiders.site import SiteSpider
from store.messages import Message, message


class TrapMiddleware:
    """Asks about each request just before it is sent; `shuts_out` says why it is left out."""

    def __init__(self, shuts_out: Callable[[Request], Message | None]) -> None:
        self._shuts_out = shuts_out

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TrapMiddleware":
        """Scrapy's constructor."""
        if not isinstance(crawler.spider, SiteSpider):
            raise NotConfigured
        return cls(crawler.spider.shuts_out)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it."""
        if why := self._shuts_out(request):
            raise Refusal(Reason.TRAP, message("fetch.trap", reason=why))
