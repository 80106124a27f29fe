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
    """Crawl a site and deliver to the sink. Return when the crawl is over, or when the sink stops it.

    With a frontier, crawlers in other processes may share the crawl, and the counts include theirs. With a pace, all
    crawlers together keep the delay of the job. Without an archive, this process writes the job's own.

    Twisted's reactor runs once in a process, so each crawl needs a process of its own. SIGTERM and SIGINT end it in
    order: pages in flight are still delivered. Raise the error of the sink that ended the crawl
    (`wenhen.kit.errors.Unavailable`, also if WARC files cannot be written). Failures of sites are counted instead.
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
    """Survey the site of the job's first start address, in a process of its own like `run_crawl`."""
    ledger, findings = Ledger(_NullSink()), SurveyFindings()
    _run_spider(SurveySpider, CrawlContext(job, ledger, MemoryFrontier(job.max_pages)), survey=findings)
    ledger.close()
    return findings


def run_dry_run(job: CrawlJob, pace: RateLimiter | None = None) -> DryRun:
    """Crawl without storing anything, in a process of its own like `run_crawl`."""
    dry_run, frontier = DryRun(), DryRunFrontier(job.max_pages)
    ledger = Ledger(DryRunSink(dry_run))
    _run_spider(SiteSpider, CrawlContext(job, ledger, frontier, pace=pace, reader=start_page_reader()))
    ledger.close()
    dry_run.asked = frontier.addresses()
    return dry_run


class _NullSink:
    """A sink that stores nothing."""

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        """Discard captures."""
        return [None] * len(arrivals)

    def report_refused(self, url: str, message: Message, reason: str) -> None:
        """Discard refusals."""

    def progress(self, counts: CrawlCounts) -> None:
        """Discard counts."""


def _run_spider(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    try:
        _run_to_end(spider, context, **arguments)
    finally:
        context.reader.close()


def _run_to_end(spider: type[Spider], context: CrawlContext, **arguments: object) -> None:
    process = AsyncCrawlerProcess(build_settings(context.job, paced=context.pace is not None))
    crawling = process.crawl(ContextCrawler(spider, process.settings, context), **arguments)
    # Only the main thread can set signal handlers.
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    if crawling.done():
        crawling.result()  # raises the error that prevented the start
    else:
        _stop_threads()  # some of them hang


def _stop_threads() -> None:
    from twisted.internet import reactor

    reactor.getThreadPool().stop()


def open_archive(job: CrawlJob, process: int | None = None) -> WarcArchive | None:
    """Return the WARC archive of a job, or None. process: the id of the crawler's process, if it is another one."""
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
