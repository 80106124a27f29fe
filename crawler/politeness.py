"""Downloader middlewares that keep the crawl inside its rules and off a server's back."""

import asyncio
import random
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from crawler.job import CrawlJob, host_of
from crawler.reasons import Reason, Refusal
from crawler.resolver import GuardedResolver
from crawler.spiders.site import SiteSpider

LONGEST_WAIT = 120.0  # seconds; a server that asks for more is tried again by the next crawl


class BoundsMiddleware:
    """Refuses addresses outside the job, also where a redirect leads, and names private addresses for what they are.

    Scrapy's own check lets pass what is marked `dont_filter`, as every retried and redirected request is.
    """

    def __init__(self, job: CrawlJob) -> None:
        self._job = job

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BoundsMiddleware":
        """Scrapy's constructor."""
        assert isinstance(crawler.spider, SiteSpider)
        return cls(crawler.spider.job)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it."""
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


class BackoffRetryMiddleware(RetryMiddleware):
    """Retries after a pause that doubles, or that the server names in Retry-After."""

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy awaits
        """Try again what a server answered with an error that may pass."""
        result: Request | Response = super().process_response(request, response)
        if isinstance(result, Request):
            await self._pause(result, asked=retry_after(response))
        return result

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:  # type: ignore[override]  # Scrapy awaits
        """Try again what broke on the way."""
        result = super().process_exception(request, exception)
        if not isinstance(result, Request):
            return None
        await self._pause(result)
        return result

    async def _pause(self, request: Request, asked: float = 0.0) -> None:
        base: float = self.crawler.settings.getfloat("WENHEN_BACKOFF")
        doubled = base * 2 ** (request.meta["retry_times"] - 1)
        await asyncio.sleep(min(max(asked, doubled * random.uniform(0.8, 1.2)), LONGEST_WAIT))


def retry_after(response: Response) -> float:
    """Seconds that a Retry-After header (RFC 9110, 10.2.3) asks to wait, as a number or a date; 0 without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return 0.0
