"""What failed is tried again: after a growing pause, or when the server says so, and not more often than helps."""

import asyncio
import random
from email.utils import parsedate_to_datetime
from time import time

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Response

from crawler.crawl.context import context_of
from crawler.crawl.host_names import host_of
from crawler.crawl.host_rests import LONGEST_WAIT, HostRests, is_too_long
from crawler.crawl.request_meta import STORED

ONCE = (CannotResolveHostError, DownloadTimeoutError)  # what rarely passes, and a time-out costs its whole time again
BREAKING = (DownloadTimeoutError, DownloadFailedError, DownloadConnectionRefusedError, CannotResolveHostError)
BUSY = frozenset((429, 503))  # a server that says this of one page says it of all


class BackoffRetryMiddleware(RetryMiddleware):
    """Retries after a pause that doubles, or that the server names in Retry-After; the whole host rests meanwhile.

    How often is the setting `crawler.retries`.
    """

    _rests: HostRests

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackoffRetryMiddleware":
        """Scrapy's constructor."""
        made = super().from_crawler(crawler)
        made._rests = context_of(crawler).rests
        return made

    async def process_request(self, request: Request) -> None:
        """Wait until the host may be asked again."""
        await self._rests.over(host_of(request.url))

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy awaits
        """Try again what a server answered with an error that may pass."""
        if STORED not in response.flags:
            self._rests.answered(host_of(request.url))
        asked = retry_after(response)
        if asked and response.status in BUSY:
            self._rests.rest(host_of(request.url), asked)
        if is_too_long(asked):
            return response
        result: Request | Response = super().process_response(request, response)
        if isinstance(result, Request):
            await self._pause(result, asked)
        return result

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:  # type: ignore[override]  # Scrapy awaits
        """Try again what broke on the way."""
        if isinstance(exception, BREAKING):
            self._rests.failed(host_of(request.url))
        if isinstance(exception, ONCE) and request.meta.get("retry_times", 0):
            return None
        result = super().process_exception(request, exception)
        if not isinstance(result, Request):
            return None
        await self._pause(result)
        return result

    async def _pause(self, request: Request, asked: float = 0.0) -> None:
        await asyncio.sleep(pause(self.crawler.settings.getfloat("WENHEN_BACKOFF"), request.meta["retry_times"], asked))


def pause(base: float, times: int, asked: float = 0.0) -> float:
    """Seconds before the next try: doubled with each, spread by half so that many do not come back at once, at least
    what the server asked for, and at most LONGEST_WAIT.
    """
    doubled = base * 2.0 ** min(times - 1, 30)
    return min(max(asked, doubled * random.uniform(0.5, 1.5)), LONGEST_WAIT)


def retry_after(response: Response) -> float:
    """Seconds that a Retry-After header (RFC 9110, 10.2.3) asks to wait, as a number or a date; 0 without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:10])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return 0.0
