"""Downloader middlewares that keep the crawl inside its rules and off a server's back."""

from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import CannotResolveHostError

from crawler.crawl.job import host_of
from crawler.crawl.reasons import Reason, Refusal
from crawler.fetch.resolver import GuardedResolver
from crawler.spiders.site import SiteSpider


class BoundsMiddleware:
    """Refuses addresses outside the job, also where a redirect leads, and names private addresses for what they are.

    Scrapy's own check lets pass what is marked `dont_filter`, as every retried and redirected request is.
    """

    def __init__(self, spider: SiteSpider) -> None:
        self._spider = spider
        self._job = spider.job

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BoundsMiddleware":
        """Scrapy's constructor."""
        assert isinstance(crawler.spider, SiteSpider)
        return cls(crawler.spider)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it."""
        if self._spider.shuts_out(request):
            raise Refusal(Reason.TRAP, "taken for a trap: pages of this form said the same")
        if not self._job.admits(request.url):
            raise Refusal(Reason.OTHER_HOST, f"{request.url} is not on a host of this site")

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turn a resolution that was kept back into a refusal, which is not tried again."""
        if not isinstance(exception, CannotResolveHostError):
            return
        from twisted.internet import reactor

        resolver = getattr(reactor, "nameResolver", None)
        host = host_of(request.url) or ""
        if isinstance(resolver, GuardedResolver) and host in resolver.kept_back:
            address = resolver.kept_back[host]
            raise Refusal(
                Reason.PRIVATE_ADDRESS,
                f"{host} is at the private address {address}; mark the site internal if this is meant",
            ) from exception


class FollowingRedirectMiddleware(RedirectMiddleware):
    """Redirects that are followed even to an address seen before: a page that sets a cookie and sends back to itself.

    The limit on redirects ends circles.
    """

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        following = super()._redirect(redirected, request, reason)
        following.dont_filter = True
        return following
