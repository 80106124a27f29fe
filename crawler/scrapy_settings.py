"""Build Scrapy's settings from the job."""

from typing import Any

from crawler.job import CrawlJob
from crawler.rendering.browser import browser_settings
from crawler.site_access import find_header_profile


def build_settings(job: CrawlJob, *, paced: bool = False) -> dict[str, Any]:
    """Return all settings that differ from Scrapy's defaults. paced: crawlers share the rate of hosts."""
    further = browser_settings(job) | (_shared_rate(job) if paced else {})
    return _identity(job) | _politeness(job) | _limits(job) | COMPONENTS | QUIET | further


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
        "WENHEN_BACKOFF": job.backoff,
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
        "crawler.fetch.throttling.BackoffRetryMiddleware": 550,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "crawler.fetch.redirects.FollowingRedirectMiddleware": 600,
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
        "crawler.fetch.redirects.PageRedirectMiddleware": 580,
        "crawler.fetch.headers.ConditionalMiddleware": 610,
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
        "crawler.fetch.headers.SessionMiddleware": 700,
        "crawler.fetch.proxies.ProxyMiddleware": 960,
        "crawler.fetch.throttling.RateMiddleware": 970,  # the last before the server
        "crawler.warc.responses.WarcMiddleware": 950,  # next to the server: before redirects are followed
        "crawler.fetch.headers.ReceivedHeadersMiddleware": 595,  # before decompression (590)
    },
    "DOWNLOAD_HANDLERS": {
        "http": "crawler.fetch.guard.BoundedDownloadHandler",
        "https": "crawler.fetch.guard.BoundedDownloadHandler",
    },
    # Scrapy's other extensions only count, or serve an observer. Here the ledger counts.
    "EXTENSIONS_BASE": {"scrapy.extensions.closespider.CloseSpider": 0},
    "EXTENSIONS": {
        "crawler.politeness.cooldown.AnswerSpeedThrottle": 0,
        "crawler.frontier.steering.SteeringExtension": 0,
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
        "crawler.frontier.steering.DoneMiddleware": 10,  # the nearest to the engine
    },
}

QUIET = {
    "LOG_ENABLED": False,  # the caller configures logging
    "LOG_INSTALL_ROOT_HANDLER": False,
    "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",  # it is counted
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "DOWNLOADER_STATS": False,
}
