"""Report finished callbacks and progress, and stop the crawl on request."""

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.context import context_of
from crawler.crawl_stats import Ledger
from crawler.frontier.scheduler import scheduler_of
from wenhen.kit.errors import Unavailable


class DoneMiddleware:
    """Hands the requests of a callback to the scheduler before it marks the request as done. It is the spider
    middleware nearest to the engine.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "DoneMiddleware":
        """Scrapy's constructor."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on everything but requests. If a callback ends the crawl, its request stays in hand and is given
        back.
        """
        scheduler = scheduler_of(self._crawler)
        assert response.request is not None
        try:
            async for output in result:
                if isinstance(output, Request):
                    scheduler.enqueue_request(output)
                else:
                    yield output
        except CloseSpider:
            raise
        except Unavailable:
            scheduler.lose(response.request)
        except Exception:
            scheduler.note_end(response.request)
            raise
        scheduler.note_end(response.request)


REPORT_INTERVAL_SECONDS = 1.0  # seconds


class SteeringExtension:
    """Reports the counts about every second."""

    def __init__(self, crawler: Crawler, ledger: Ledger) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._reports = LoopingCall(self._report)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SteeringExtension":
        """Scrapy's constructor."""
        made = cls(crawler, context_of(crawler).ledger)
        crawler.signals.connect(made.begin, signals.spider_opened)
        crawler.signals.connect(made.end, signals.spider_closed)
        return made

    def begin(self) -> None:
        """Start reporting."""
        self._reports.start(REPORT_INTERVAL_SECONDS)

    def end(self) -> None:
        """Stop reporting."""
        if self._reports.running:
            self._reports.stop()

    def _report(self) -> None:
        self._ledger.report()
        if self._ledger.leaving:
            self.end()
            scheduler_of(self._crawler).leave_off()
