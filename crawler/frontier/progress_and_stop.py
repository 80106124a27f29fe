"""Reports to the sink while a crawl runs, and ends the crawl when the sink wants it to leave off."""

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.internet.task import LoopingCall

from crawler.crawl.context import context_of
from crawler.crawl.count_and_report import Ledger
from crawler.frontier.scheduler import scheduler_of

REPORT_EVERY = 1.0  # seconds


class SteeringExtension:
    """Reports the counts every second or so."""

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
        """Report from now on."""
        self._reports.start(REPORT_EVERY)

    def end(self) -> None:
        """Report no more."""
        if self._reports.running:
            self._reports.stop()

    def _report(self) -> None:
        self._ledger.report()
        if self._ledger.leaving:
            self.end()
            scheduler_of(self._crawler).leave_off()
