"""Run one crawl in this process, to its end."""

import threading
from collections.abc import Sequence
from functools import partial

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess

from crawler.crawl.address_counts import CrawlCounts
from crawler.crawl.archive_port import Archive
from crawler.crawl.context import ContextCrawler, CrawlContext
from crawler.crawl.count_and_report import Ledger
from crawler.crawl.frontier_port import Frontier
from crawler.crawl.host_names import host_of
from crawler.crawl.job import CrawlJob
from crawler.crawl.pace_port import Pace
from crawler.crawl.sink_port import Arrival, Sink
from crawler.evidence.machine_state import machine_state
from crawler.evidence.warc_writer import WarcArchive
from crawler.frontier.dry_run import DryRun, DryRunFrontier, DryRunSink
from crawler.frontier.memory import MemoryFrontier
from crawler.scrapy_settings import settings
from crawler.spiders.seen_in_child import page_reader
from crawler.spiders.site import SiteSpider
from crawler.spiders.survey import SiteSurvey, SurveySpider
from store.messages import Message


def crawl(
    job: CrawlJob,
    sink: Sink,
    frontier: Frontier | None = None,
    pace: Pace | None = None,
    archive: Archive | None = None,
) -> CrawlCounts:
    """Crawl a site and deliver to the sink; returns when the crawl is over, or when the sink wants it to leave off.

    With a frontier, crawlers in other processes may do the same crawl at the same time; the counts are theirs as well.
    With a pace, hosts are asked no more often by all crawlers together than the job wants. Without an archive the job's
    own is written by this process.

    Twisted's reactor runs once in a process, so the caller gives each crawl a process of its own. SIGTERM and SIGINT
    end it in order: what is being fetched is still delivered. Raises what the sink raised if that ended the crawl
    (`store.errors.Unavailable`, also where WARC files cannot be written); whatever sites do is counted instead.
    """
    ledger = Ledger(sink)
    archive = archive or archive_of(job)
    frontier = frontier or MemoryFrontier(job.max_pages)
    try:
        _run(SiteSpider, CrawlContext(job, ledger, frontier, archive, pace, reader=page_reader()))
        return ledger.close()
    finally:
        if archive is not None:
            archive.close()


def survey(job: CrawlJob) -> SiteSurvey:
    """Survey the site of the job's first start address; in a process of its own, as `crawl`."""
    ledger, found = Ledger(_Nobody()), SiteSurvey()
    _run(SurveySpider, CrawlContext(job, ledger, MemoryFrontier(job.max_pages)), survey=found)
    ledger.close()
    return found


def try_out(job: CrawlJob, pace: Pace | None = None) -> DryRun:
    """Crawl as the job says and store nothing; in a process of its own, as `crawl`."""
    dry_run, frontier = DryRun(), DryRunFrontier(job.max_pages)
    ledger = Ledger(DryRunSink(dry_run))
    _run(SiteSpider, CrawlContext(job, ledger, frontier, pace=pace, reader=page_reader()))
    ledger.close()
    dry_run.asked = frontier.addresses()
    return dry_run


class _Nobody:
    """A sink for those who store nothing."""

    def captured(self, arrivals: Sequence[Arrival]) -> list[None]:
        """Not kept."""
        return [None] * len(arrivals)

    def refused(self, url: str, message: Message, reason: str) -> None:
        """Not reported."""

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches."""


def _run(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    try:
        _until_over(spider, context, **arguments)
    finally:
        context.reader.close()


def _until_over(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    process = AsyncCrawlerProcess(settings(context.job, paced=context.pace is not None))
    crawling = process.crawl(ContextCrawler(spider, process.settings, context), **arguments)
    # Handlers can be set on the main thread alone.
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    if crawling.done():
        crawling.result()  # raises what kept the crawl from starting
    else:
        _end_threads()  # what hung was left behind


def _end_threads() -> None:
    from twisted.internet import reactor

    reactor.getThreadPool().stop()


def archive_of(job: CrawlJob, process: int | None = None) -> WarcArchive | None:
    """The WARC files that a job asks for; process: that of the crawler, where it is not this one."""
    if job.warc_dir is None:
        return None
    host = (host_of(job.start_urls[0]) or "").replace(":", "_")
    state = partial(
        machine_state,
        software=job.user_agent,
        proxies=job.proxies,
        host_map=job.host_map,
        time_servers=job.time_servers,
        public_address=job.public_address,
    )
    return WarcArchive(job.warc_dir, host, job.user_agent, job.warc_max_bytes, state, process)
