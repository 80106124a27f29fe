"""Run one crawl in this process, to its end."""

import threading

from scrapy.crawler import AsyncCrawlerProcess

from crawler.frontier import Frontier
from crawler.job import CrawlCounts, CrawlJob, Sink, host_of
from crawler.ledger import Ledger
from crawler.pace import Pace
from crawler.settings import PACED, settings
from crawler.spiders.site import SiteSpider
from crawler.warc import WarcArchive


def crawl(job: CrawlJob, sink: Sink, frontier: Frontier | None = None, pace: Pace | None = None) -> CrawlCounts:
    """Crawl a site and deliver to the sink; returns when the crawl is over, or when the sink wants it to leave off.

    With a frontier, crawlers in other processes may do the same crawl at the same time; the counts are theirs as well.
    With a pace, hosts are asked no more often by all crawlers together than the job wants.

    Twisted's reactor runs once in a process, so the caller gives each crawl a process of its own. SIGTERM and SIGINT
    end it in order: what is being fetched is still delivered. Raises what the sink raised if that ended the crawl
    (`store.errors.Unavailable`, also where WARC files cannot be written); whatever sites do is counted instead.
    """
    ledger = Ledger(sink)
    archive = _archive(job)
    process = AsyncCrawlerProcess(settings(job) | (PACED if pace else {}))
    crawling = process.crawl(SiteSpider, job=job, ledger=ledger, archive=archive, frontier=frontier, pace=pace)
    # Handlers can be set on the main thread alone.
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    if crawling.done():
        crawling.result()  # raises what kept the crawl from starting
    else:
        _end_threads()  # what hung was left behind
    try:
        return ledger.close()
    finally:
        if archive is not None:
            archive.close()


def _end_threads() -> None:
    from twisted.internet import reactor

    reactor.getThreadPool().stop()


def _archive(job: CrawlJob) -> WarcArchive | None:
    if job.warc_dir is None:
        return None
    host = (host_of(job.start_urls[0]) or "").replace(":", "_")
    return WarcArchive(job.warc_dir, host, job.user_agent, job.warc_max_bytes)
