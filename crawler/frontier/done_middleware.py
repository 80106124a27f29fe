"""Tells the scheduler when a callback has ended, and what it found."""

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from crawler.frontier.scheduler import scheduler_of
from store.errors import Unavailable


class DoneMiddleware:
    """The spider middleware nearest to the engine: hands what a callback found to the scheduler before it says that the
    request is done.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "DoneMiddleware":
        """Scrapy's constructor."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what is no request. A callback that ends the crawl leaves its request in hand, to be given back."""
        scheduler = scheduler_of(self._crawler)
        assert response.request is not None
        try:
            async for one in result:
                if isinstance(one, Request):
                    scheduler.enqueue_request(one)
                else:
                    yield one
        except CloseSpider:
            raise
        except Unavailable:
            scheduler.lose(response.request)
        except Exception:
            scheduler.done(response.request)
            raise
        scheduler.done(response.request)
