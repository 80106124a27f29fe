"""What the parts of one crawl share, and how Scrapy's components come by it."""

from dataclasses import dataclass, field

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from crawler.crawl.archive_port import Archive
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.frontier_port import Frontier
from crawler.crawl.host_rests import HostRests
from crawler.crawl.job import CrawlJob
from crawler.crawl.pace_port import Pace
from crawler.crawl.seen_certificates import SeenChains
from crawler.isolated.reader import Reader


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """Made before a crawl begins; what is None the crawl does without."""

    job: CrawlJob
    ledger: Ledger
    frontier: Frontier
    archive: Archive | None = None
    pace: Pace | None = None
    rests: HostRests = field(default_factory=HostRests)
    chains: SeenChains = field(default_factory=SeenChains)
    reader: Reader = field(default_factory=Reader)


class ContextCrawler(Crawler):
    """Scrapy's crawler, which hands itself to every `from_crawler`, with the context of its crawl."""

    def __init__(self, spider: type[Spider], settings: Settings, context: CrawlContext) -> None:
        super().__init__(spider, settings)
        self.context = context


def context_of(crawler: Crawler) -> CrawlContext:
    """The context; for `from_crawler` alone, which gives a component what it needs of it."""
    assert isinstance(crawler, ContextCrawler)
    return crawler.context
