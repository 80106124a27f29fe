"""Run one crawl, survey or dry run in this process, to its end."""

import threading
from collections.abc import Sequence
from functools import partial

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess

from crawler.addresses import host_of
from crawler.context import ContextCrawler, CrawlContext
from crawler.crawl_stats import Ledger
from crawler.frontier.memory import DryRun, DryRunFrontier, DryRunSink, MemoryFrontier
from crawler.job import CrawlJob
from crawler.ports import Archive, Arrival, Frontier, RateLimiter, Sink
from crawler.scrapy_settings import build_settings
from crawler.skip_reasons import CrawlCounts
from crawler.spiders.js_rendering_probe import start_page_reader
from crawler.spiders.site import SiteSpider
from crawler.spiders.survey import SurveyFindings, SurveySpider
from crawler.warc.capture_environment import describe_environment
from crawler.warc.writer import WarcArchive
from wenhen.kit.errors import Message


def run_crawl(
    job: CrawlJob,
    sink: Sink,
    frontier: Frontier | None = None,
    pace: RateLimiter | None = None,
    archive: Archive | None = None,
) -> CrawlCounts:
    """Crawl a site and deliver to the sink; returns when the crawl is over, or when the sink wants it to leave off.

    With a frontier, crawlers in other processes may do the same crawl at the same time; the counts are theirs as well.
    With a pace, hosts are asked no more often by all crawlers together than the job wants. Without an archive the job's
    own is written by this process.

    Twisted's reactor runs once in a process, so the caller gives each crawl a process of its own. SIGTERM and SIGINT
    end it in order: what is being fetched is still delivered. Raises what the sink raised if that ended the crawl
    (`wenhen.kit.errors.Unavailable`, also where WARC files cannot be written); whatever sites do is counted instead.
    """
    ledger = Ledger(sink)
    archive = archive or open_archive(job)
    frontier = frontier or MemoryFrontier(job.max_pages)
    try:
        _run_spider(SiteSpider, CrawlContext(job, ledger, frontier, archive, pace, reader=start_page_reader()))
        return ledger.close()
    finally:
        if archive is not None:
            archive.close()


def run_survey(job: CrawlJob) -> SurveyFindings:
    """Survey the site of the job's first start address; in a process of its own, as `crawl`."""
    ledger, found = Ledger(_NullSink()), SurveyFindings()
    _run_spider(SurveySpider, CrawlContext(job, ledger, MemoryFrontier(job.max_pages)), survey=found)
    ledger.close()
    return found


def run_dry_run(job: CrawlJob, pace: RateLimiter | None = None) -> DryRun:
    """Crawl as the job says and store nothing; in a process of its own, as `crawl`."""
    dry_run, frontier = DryRun(), DryRunFrontier(job.max_pages)
    ledger = Ledger(DryRunSink(dry_run))
    _run_spider(SiteSpider, CrawlContext(job, ledger, frontier, pace=pace, reader=start_page_reader()))
    ledger.close()
    dry_run.asked = frontier.addresses()
    return dry_run


class _NullSink:
    """A sink for those who store nothing."""

    def captured(self, arrivals: Sequence[Arrival]) -> list[None]:
        """Not kept."""
        return [None] * len(arrivals)

    def refused(self, url: str, message: Message, reason: str) -> None:
        """Not reported."""

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches."""


def _run_spider(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    try:
        _run_to_end(spider, context, **arguments)
    finally:
        context.reader.close()


def _run_to_end(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    process = AsyncCrawlerProcess(build_settings(context.job, paced=context.pace is not None))
    crawling = process.crawl(ContextCrawler(spider, process.settings, context), **arguments)
    # Handlers can be set on the main thread alone.
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    if crawling.done():
        crawling.result()  # raises what kept the crawl from starting
    else:
        _stop_threads()  # what hung was left behind


def _stop_threads() -> None:
    from twisted.internet import reactor

    reactor.getThreadPool().stop()


def open_archive(job: CrawlJob, process: int | None = None) -> WarcArchive | None:
    """The WARC files that a job asks for; process: that of the crawler, where it is not this one."""
    if job.warc_dir is None:
        return None
    host = (host_of(job.start_urls[0]) or "").replace(":", "_")
    state = partial(
        describe_environment,
        software=job.user_agent,
        proxies=job.proxies,
        host_map=job.host_map,
        time_servers=job.time_servers,
        public_address=job.public_address,
    )
    return WarcArchive(job.warc_dir, host, job.user_agent, job.warc_max_bytes, state, process)
