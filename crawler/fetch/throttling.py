"""Throttle requests to the shared rate of their host, and retry failures with backoff."""

import asyncio
import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import count
from secrets import token_hex
from time import monotonic, time
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotConfigured,
)
from scrapy.http import Response

from crawler.addresses import host_of
from crawler.context import META_SLOT, STORED_FLAG, context_of
from crawler.politeness.cooldown import MAX_WAIT_SECONDS, HostCooldowns, is_wait_too_long
from crawler.politeness.slots import HostSlots
from crawler.ports import SLOT_LEASE_SECONDS, RateLimiter, SlotGrant
from wenhen.kit.errors import Unavailable

# What failed is tried again: after a growing pause, or when the server says so, and not more often than helps.


RETRIED_ONCE_ERRORS = (
    CannotResolveHostError,
    DownloadTimeoutError,
)  # what rarely passes, and a time-out costs its whole time again
HOST_FAILURE_ERRORS = (
    DownloadTimeoutError,
    DownloadFailedError,
    DownloadConnectionRefusedError,
    CannotResolveHostError,
)
BUSY_STATUSES = frozenset((429, 503))  # a server that says this of one page says it of all


class BackoffRetryMiddleware(RetryMiddleware):
    """Retries after a pause that doubles, or that the server names in Retry-After; the whole host rests meanwhile.

    How often is the setting `crawler.retries`.
    """

    _rests: HostCooldowns

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
        if STORED_FLAG not in response.flags:
            self._rests.answered(host_of(request.url))
        asked = retry_after_seconds(response)
        if asked and response.status in BUSY_STATUSES:
            self._rests.rest(host_of(request.url), asked)
        if is_wait_too_long(asked):
            return response
        result: Request | Response = super().process_response(request, response)
        if isinstance(result, Request):
            await self._pause(result, asked)
        return result

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:  # type: ignore[override]  # Scrapy awaits
        """Try again what broke on the way."""
        if isinstance(exception, HOST_FAILURE_ERRORS):
            self._rests.failed(host_of(request.url))
        if isinstance(exception, RETRIED_ONCE_ERRORS) and request.meta.get("retry_times", 0):
            return None
        result = super().process_exception(request, exception)
        if not isinstance(result, Request):
            return None
        await self._pause(result)
        return result

    async def _pause(self, request: Request, asked: float = 0.0) -> None:
        await asyncio.sleep(
            backoff_seconds(self.crawler.settings.getfloat("WENHEN_BACKOFF"), request.meta["retry_times"], asked)
        )


def backoff_seconds(base: float, times: int, asked: float = 0.0) -> float:
    """Seconds before the next try: doubled with each, spread by half so that many do not come back at once, at least
    what the server asked for, and at most LONGEST_WAIT.
    """
    doubled = base * 2.0 ** min(times - 1, 30)
    return min(max(asked, doubled * random.uniform(0.5, 1.5)), MAX_WAIT_SECONDS)


def retry_after_seconds(response: Response) -> float:
    """Seconds that a Retry-After header (RFC 9110, 10.2.3) asks to wait, as a number or a date; 0 without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:10])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, OverflowError):
        return 0.0


FULL_HOST_POLL_SECONDS = 0.1  # seconds before it is asked again whether there is room
SERVER_RETRY_SECONDS = 1.0  # seconds before a server that is away is asked again


@dataclass(slots=True)
class _HostTurns:
    places: HostSlots
    turns: "asyncio.Future[None]"


class RateMiddleware:
    """Lets a request out when its host may be asked: the pause is what Scrapy's own slot for it has come to, by the
    setting, the server's latency and robots.txt; here it holds for all crawlers together.
    """

    def __init__(
        self, crawler: Crawler, pace: RateLimiter, rests: HostCooldowns, *, delay: float, concurrency: int
    ) -> None:
        self._crawler = crawler
        self._pace = pace
        self._rests = rests
        self._default_delay = delay
        self._concurrency = concurrency
        self._hosts: dict[str, _HostTurns] = {}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="pace")
        self._name = token_hex(8)
        self._number = count()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RateMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if context.pace is None:
            raise NotConfigured
        job = context.job
        made = cls(crawler, context.pace, context.rests, delay=job.delay, concurrency=job.concurrency)
        crawler.signals.connect(made.close, signals.spider_closed)
        return made

    async def process_request(self, request: Request) -> None:
        """Wait for the host."""
        name = host_of(request.url) or ""
        place, at = await self._places(name).enter(f"{self._name}-{next(self._number)}")
        request.meta[META_SLOT] = place
        await self._rests.over(name)  # it may have asked for a rest meanwhile, and again while this one waits
        if (early := at - monotonic()) > 0:
            await asyncio.sleep(early)
            await self._rests.over(name)

    def _places(self, name: str) -> HostSlots:
        if (host := self._hosts.get(name)) is None:
            places = HostSlots(self._concurrency)
            host = self._hosts[name] = _HostTurns(places, asyncio.ensure_future(self._turns(name, places)))
        return host.places

    def process_response(self, request: Request, response: Response) -> Response:
        """Make room; a host that is busy is left alone by all."""
        self._leave(request)
        asked = retry_after_seconds(response) if response.status in BUSY_STATUSES else 0.0
        if asked:
            self._threads.submit(self._rest, host_of(request.url) or "", asked)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002  Scrapy's interface
        """Make room."""
        self._leave(request)

    async def close(self) -> None:
        """Leave every host."""
        for name, host in self._hosts.items():
            host.turns.cancel()
            gone = [*host.places.left, *host.places.held]
            if gone:
                self._threads.submit(self._turn, name, (), gone, ())
        self._threads.shutdown(wait=False)

    def _leave(self, request: Request) -> None:
        place = request.meta.pop(META_SLOT, None)
        host = self._hosts.get(host_of(request.url) or "")
        if host is not None and place is not None:
            host.places.leave(place)

    async def _turns(self, name: str, places: HostSlots) -> None:
        while True:
            places.wake.clear()
            left, entering, held = places.take_left(), places.entering, tuple(places.held)
            try:
                answers = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._turn, name, entering, left, held, places.room_behind
                )
            except Unavailable:
                places.left += left
                await asyncio.sleep(SERVER_RETRY_SECONDS)
                continue
            places.admit(entering, answers)
            # That a request left is reported with the next that enters, or soon, for those of other crawlers.
            pause = FULL_HOST_POLL_SECONDS if places.entering or places.held or places.left else SLOT_LEASE_SECONDS / 3
            try:
                await asyncio.wait_for(places.wake.wait(), pause)
            except TimeoutError:
                continue

    def _turn(
        self, name: str, entering: Iterable[str], left: Iterable[str], held: Iterable[str], following: int = 0
    ) -> list[SlotGrant | None]:
        return self._pace.turn(
            name,
            tuple(entering),
            left=tuple(left),
            held=tuple(held),
            delay=self._delay(name),
            most=self._concurrency,
            following=following,
        )

    def _rest(self, name: str, seconds: float) -> None:
        self._pace.rest(name, min(seconds, MAX_WAIT_SECONDS))

    def _delay(self, name: str) -> float:
        downloader: Any = self._crawler.engine.downloader
        if slot := downloader.slots.get(name):
            return float(slot.delay)
        return float(downloader.per_slot_settings.get(name, {}).get("delay", self._default_delay))
