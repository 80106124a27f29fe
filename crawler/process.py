"""Run one crawl in this process, to its end."""

import threading

from scrapy.crawler import AsyncCrawlerProcess

from crawler.job import CrawlCounts, CrawlJob, Sink
from crawler.ledger import Ledger
from crawler.settings import settings
from crawler.spiders.site import SiteSpider


def crawl(job: CrawlJob, sink: Sink) -> CrawlCounts:
    """Crawl a site and deliver to the sink; returns when the crawl is over.

    Twisted's reactor runs once in a process, so the caller gives each crawl a process of its own. SIGTERM and SIGINT
    end it in order: what is being fetched is still delivered. Raises what the sink raised if that ended the crawl
    (`store.errors.Unavailable`); whatever sites do is counted instead.
    """
    ledger = Ledger(sink)
    process = AsyncCrawlerProcess(settings(job))
    crawling = process.crawl(SiteSpider, job=job, ledger=ledger)
    # Handlers can be set on the main thread alone.
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    crawling.result()  # raises what kept the crawl from starting
    return ledger.close()
