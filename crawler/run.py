"""Build Scrapy's settings from the job, and run one crawl, survey or dry run in this process, to its end."""

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess

from crawler.addresses import host_of
from crawler.context import ContextCrawler, CrawlContext
from crawler.crawl_stats import Ledger
from crawler.frontier.memory import DryRun, DryRunFrontier, DryRunSink, MemoryFrontier
from crawler.frontier.scheduler import FrontierSpider
from crawler.job import CrawlJob
from crawler.politeness.backoff_and_cooldowns import BACKOFF_SETTING, HostCooldowns
from crawler.ports import Archive, Arrival, CrawlCounts, Frontier, RateLimiter, Sink
from crawler.rendering.browser import browser_settings
from crawler.site_access import find_header_profile
from crawler.spiders.js_rendering_probe import start_page_reader
from crawler.spiders.own import OwnSpider
from crawler.spiders.site import SiteSpider
from crawler.spiders.survey import SurveyFindings, SurveySpider
from crawler.warc.capture_environment import describe_environment
from crawler.warc.writer import WarcArchive
from wenhen.kit.errors import Message


def build_settings(job: CrawlJob, *, paced: bool = False) -> dict[str, Any]:
    """Return all settings that differ from Scrapy's defaults. paced: crawlers share the rate of hosts."""
    further = browser_settings(job) | (_shared_rate(job) if paced else {})
    return _identity(job) | _politeness(job) | _limits(job) | COMPONENTS | QUIET | further


def shell_settings(job: CrawlJob) -> dict[str, Any]:
    """Return the settings of `scrapy shell`: the crawler's name, pace and limits, without its components."""
    return _identity(job) | _politeness(job) | _limits(job)


def _identity(job: CrawlJob) -> dict[str, Any]:
    product = job.user_agent.partition("/")[0].partition(" ")[0]
    profile = find_header_profile(job.header_profile)
    return {
        "USER_AGENT": profile.user_agent(f"{job.user_agent} (+{job.contact})" if job.contact else job.user_agent),
        "ROBOTSTXT_USER_AGENT": product,  # RFC 9309: robots.txt is matched by the product token
        "DEFAULT_REQUEST_HEADERS": dict(profile.headers),
    }


def _politeness(job: CrawlJob) -> dict[str, Any]:
    return {
        "ROBOTSTXT_OBEY": job.obey_robots,
        "DOWNLOAD_DELAY": job.delay,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(job.concurrency),
        "AUTOTHROTTLE_MAX_DELAY": max(job.delay, 1.0) * 10,
        "CONCURRENT_REQUESTS": job.concurrency * 2,
        "CONCURRENT_REQUESTS_PER_DOMAIN": job.concurrency,
        "RETRY_TIMES": job.retries,
        BACKOFF_SETTING: job.backoff,
        "WENHEN_HOST_MAP": dict(job.host_map),
        "WENHEN_INTERNAL": job.internal,
        "WENHEN_PROXIES": list(job.proxies),
    }


def _shared_rate(job: CrawlJob) -> dict[str, Any]:
    """Return the settings of a shared rate.

    Scrapy's random jitter would bring requests of several crawlers together again. More requests may be resolved or
    archived meanwhile, because the shared rate bounds those at a server.
    """
    return {"DOWNLOAD_DELAY_JITTER": 0.0, "CONCURRENT_REQUESTS": job.concurrency * 8}


def _limits(job: CrawlJob) -> dict[str, Any]:
    return {
        "DOWNLOAD_TIMEOUT": job.timeout,
        "DOWNLOAD_MAXSIZE": job.max_body_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": False,  # a truncated body is stored with a note
        "REDIRECT_MAX_TIMES": job.max_redirects,
        "METAREFRESH_MAXDELAY": 3,  # seconds: slower ones are pages that reload themselves
        "CLOSESPIDER_TIMEOUT": job.max_seconds,
    }


COMPONENTS = {
    "TWISTED_DNS_RESOLVER": "crawler.fetch.resolver.GuardedResolver",
    "HTTPPROXY_ENABLED": False,  # a proxy of the environment would resolve names itself
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,  # no spider has credentials
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "crawler.rendering.middleware.RenderMiddleware": 90,
        "crawler.politeness.robots.RobotsMiddleware": 100,
        # Nearer to the server than retry: refused requests are not retried.
        "crawler.spiders.site.TrapMiddleware": 555,
        "crawler.fetch.resolver.BoundsMiddleware": 560,
        "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
        "crawler.politeness.backoff_and_cooldowns.BackoffRetryMiddleware": 550,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "crawler.fetch.redirects.FollowingRedirectMiddleware": 600,
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
        "crawler.fetch.redirects.PageRedirectMiddleware": 580,
        "crawler.fetch.headers.ConditionalMiddleware": 610,
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
        "crawler.fetch.headers.SessionMiddleware": 700,
        "crawler.fetch.proxies.ProxyMiddleware": 960,
        "crawler.politeness.throttling.RateMiddleware": 970,  # the last before the server
        "crawler.warc.responses.WarcMiddleware": 950,  # next to the server: before redirects are followed
        "crawler.fetch.headers.ReceivedHeadersMiddleware": 595,  # before decompression (590)
    },
    "DOWNLOAD_HANDLERS": {
        "http": "crawler.fetch.download_handler.BoundedDownloadHandler",
        "https": "crawler.fetch.download_handler.BoundedDownloadHandler",
    },
    # Scrapy's other extensions only count, or serve an observer. Here the ledger counts.
    "EXTENSIONS_BASE": {"scrapy.extensions.closespider.CloseSpider": 0},
    "EXTENSIONS": {
        "crawler.politeness.throttling.AnswerSpeedThrottle": 0,
        "crawler.frontier.scheduler.SteeringExtension": 0,
    },
    "CONCURRENT_ITEMS": 1,  # there are no items, but Scrapy starts that many tasks for every page
    # Breadth first: front pages before deep ones.
    "DEPTH_PRIORITY": 1,
    "SCHEDULER": "crawler.frontier.scheduler.FrontierScheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",  # the frontier filters duplicates
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,  # only warns
        "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,  # sets a mark that nothing reads
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,  # such long addresses are traps
        "crawler.frontier.scheduler.DoneMiddleware": 10,  # the nearest to the engine
    },
}

QUIET = {
    "LOG_ENABLED": False,  # the caller configures logging
    "LOG_INSTALL_ROOT_HANDLER": False,
    "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",  # it is counted
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "DOWNLOADER_STATS": False,
}


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
        _run_spider(
            _spider_of(job),
            CrawlContext(job, ledger, frontier, HostCooldowns(), archive, pace, reader=start_page_reader()),
        )
        return ledger.close()
    finally:
        if archive is not None:
            archive.close()


def run_survey(job: CrawlJob) -> SurveyFindings:
    """Survey the site of the job's first start address, in a process of its own like `run_crawl`."""
    ledger, findings = Ledger(_NullSink()), SurveyFindings()
    _run_spider(
        SurveySpider, CrawlContext(job, ledger, MemoryFrontier(job.max_pages), HostCooldowns()), survey=findings
    )
    ledger.close()
    return findings


def run_dry_run(job: CrawlJob, pace: RateLimiter | None = None) -> DryRun:
    """Crawl without storing anything, in a process of its own like `run_crawl`."""
    dry_run, frontier = DryRun(), DryRunFrontier(job.max_pages)
    ledger = Ledger(DryRunSink(dry_run))
    _run_spider(
        _spider_of(job), CrawlContext(job, ledger, frontier, HostCooldowns(), pace=pace, reader=start_page_reader())
    )
    ledger.close()
    dry_run.asked = frontier.addresses()
    return dry_run


def _spider_of(job: CrawlJob) -> type[FrontierSpider]:
    return OwnSpider if job.spider else SiteSpider


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
