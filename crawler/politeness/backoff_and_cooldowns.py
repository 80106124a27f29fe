"""Retry failures after growing pauses, and leave hosts alone after a 429, a Retry-After or failures in a row."""

import asyncio
import random
from collections import defaultdict
from email.utils import parsedate_to_datetime
from time import monotonic, time

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

from crawler.addresses import host_of
from crawler.context import STORED_FLAG, context_of
from crawler.crawl_stats import RequestRefused, RequestSkipped, SkipOutcome
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import message

# Cooldowns: hosts rest because they asked for it or fail repeatedly. Some are cut off for the rest of the crawl.


MAX_WAIT_SECONDS = 120.0  # seconds: the next crawl tries again if a server asks for more
FAILURES_BEFORE_COOLDOWN = 5  # failures in a row
FIRST_COOLDOWN_SECONDS = 10.0  # seconds, doubled with each further cooldown
MAX_COOLDOWNS = 3  # cooldowns of the only host: where others answer, none


def is_wait_too_long(seconds: float) -> bool:
    """Return whether a wait is left to the next crawl."""
    return seconds > MAX_WAIT_SECONDS


class HostCooldowns:
    """The cooldowns of one crawl."""

    def __init__(self) -> None:
        self._until: dict[str | None, float] = {}  # by the monotonic clock
        self._failures: defaultdict[str | None, int] = defaultdict(int)  # since the last answer
        self._rested: defaultdict[str | None, int] = defaultdict(int)  # times, since the last answer
        self._answered: set[str | None] = set()
        self._cut_off: set[str | None] = set()

    def rest(self, host: str | None, seconds: float) -> None:
        """Leave a host alone for at least this time."""
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + seconds)

    def note_answer(self, host: str | None) -> None:
        """Note that a host completed an answer of any status."""
        self._answered.add(host)
        self._failures.pop(host, None)
        self._rested.pop(host, None)

    def note_failure(self, host: str | None) -> None:
        """Note that a host hung or broke off.

        After `FAILURES_BEFORE_COOLDOWN` in a row it rests, so that a restarting server loses no pages. It is cut off if
        other hosts answer meanwhile, or after `MAX_COOLDOWNS`.
        """
        self._failures[host] += 1
        if self._failures[host] % FAILURES_BEFORE_COOLDOWN:
            return
        self._rested[host] += 1
        if self._rested[host] > MAX_COOLDOWNS or self._answered - {host} - self._cut_off:
            self._cut_off.add(host)
        else:
            self.rest(host, FIRST_COOLDOWN_SECONDS * 2 ** (self._rested[host] - 1))

    async def wait_until_over(self, host: str | None) -> None:
        """Wait until a host may be requested again.

        Raise `RequestRefused` if that takes too long, `RequestSkipped` if the host is cut off.
        """
        while (rest := self._until.get(host, 0.0) - monotonic()) > 0 and host not in self._cut_off:
            if is_wait_too_long(rest):
                raise RequestRefused(SkipReason.ASKED_TO_WAIT, message("fetch.asked_to_wait", minutes=round(rest / 60)))
            await asyncio.sleep(rest)
        if host in self._cut_off:
            why = message("fetch.cut_off", host=host or "", count=self._failures[host])
            raise RequestSkipped(SkipOutcome(False, SkipReason.CUT_OFF, why))


# Retries with backoff: after a growing pause or the server's Retry-After, and no more often than helps.


RETRIED_ONCE_ERRORS = (
    CannotResolveHostError,
    DownloadTimeoutError,
)  # these rarely pass, and a time-out costs its whole time again
HOST_FAILURE_ERRORS = (
    DownloadTimeoutError,
    DownloadFailedError,
    DownloadConnectionRefusedError,
    CannotResolveHostError,
)
TOO_MANY_REQUESTS = 429
BUSY_STATUSES = frozenset((TOO_MANY_REQUESTS, 503))  # with a Retry-After these concern the whole server, not one page
BACKOFF_SETTING = "WENHEN_BACKOFF"  # Scrapy's setting with `crawler.backoff`


class BackoffRetryMiddleware(RetryMiddleware):
    """Retries after a pause that doubles, or that Retry-After names. The setting `crawler.retries` bounds the tries.

    Meanwhile the whole host may rest (`rest_seconds`).
    """

    _rests: HostCooldowns
    _base: float  # seconds before the second try

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackoffRetryMiddleware":
        """Scrapy's constructor."""
        made = super().from_crawler(crawler)
        made._base = crawler.settings.getfloat(BACKOFF_SETTING)
        made._rests = context_of(crawler).rests
        return made

    async def process_request(self, request: Request) -> None:
        """Wait until the cooldown of the host is over."""
        await self._rests.wait_until_over(host_of(request.url))

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy awaits
        """Retry an answer that reports a temporary error."""
        if STORED_FLAG not in response.flags:
            self._rests.note_answer(host_of(request.url))
        asked = retry_after_seconds(response)
        if rest := rest_seconds(request, response, self._base):
            self._rests.rest(host_of(request.url), rest)
        if is_wait_too_long(asked):
            return response
        result: Request | Response = super().process_response(request, response)
        if isinstance(result, Request):
            await asyncio.sleep(backoff_seconds(self._base, result.meta["retry_times"], asked))
        return result

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:  # type: ignore[override]  # Scrapy awaits
        """Retry a broken download."""
        if isinstance(exception, HOST_FAILURE_ERRORS):
            self._rests.note_failure(host_of(request.url))
        if isinstance(exception, RETRIED_ONCE_ERRORS) and request.meta.get("retry_times", 0):
            return None
        result = super().process_exception(request, exception)
        if not isinstance(result, Request):
            return None
        await asyncio.sleep(backoff_seconds(self._base, result.meta["retry_times"]))
        return result


def rest_seconds(request: Request, response: Response, base: float) -> float:
    """Return the seconds that the whole host rests after an answer, 0 for none.

    A 429 without a Retry-After counts as one that asks for the pause before the next try. A 503 without one may concern
    a single page. base: seconds before the second try.
    """
    asked = retry_after_seconds(response)
    if response.status == TOO_MANY_REQUESTS:
        return max(asked, backoff_seconds(base, request.meta.get("retry_times", 0) + 1))
    return asked if response.status in BUSY_STATUSES else 0.0


def backoff_seconds(base: float, times: int, asked: float = 0.0) -> float:
    """Return the seconds before the next try: doubled each time and spread by half, so that retries do not coincide.

    They are at least what the server asked for, and at most MAX_WAIT_SECONDS.
    """
    doubled = base * 2.0 ** min(times - 1, 30)
    return min(max(asked, doubled * random.uniform(0.5, 1.5)), MAX_WAIT_SECONDS)


def retry_after_seconds(response: Response) -> float:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3), a number or a date. Return 0 without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:10])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return 0.0
