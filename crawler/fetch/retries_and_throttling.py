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
from crawler.politeness.host_pauses import MAX_WAIT_SECONDS, HostCooldowns, is_wait_too_long
from crawler.politeness.rate import HostSlots
from crawler.ports import SLOT_LEASE_SECONDS, RateLimiter, SlotGrant
from wenhen.kit.errors import Unavailable

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
BUSY_STATUSES = frozenset((429, 503))  # these concern the whole server, not one page


class BackoffRetryMiddleware(RetryMiddleware):
    """Retries after a pause that doubles, or that Retry-After names. Meanwhile the whole host rests. The setting
    `crawler.retries` bounds the tries.
    """

    _rests: HostCooldowns

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackoffRetryMiddleware":
        """Scrapy's constructor."""
        made = super().from_crawler(crawler)
        made._rests = context_of(crawler).rests
        return made

    async def process_request(self, request: Request) -> None:
        """Wait until the cooldown of the host is over."""
        await self._rests.wait_until_over(host_of(request.url))

    async def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy awaits
        """Retry an answer that reports a temporary error."""
        if STORED_FLAG not in response.flags:
            self._rests.note_answer(host_of(request.url))
        pause = retry_after_seconds(response)
        if pause and response.status in BUSY_STATUSES:
            self._rests.rest(host_of(request.url), pause)
        if is_wait_too_long(pause):
            return response
        result: Request | Response = super().process_response(request, response)
        if isinstance(result, Request):
            await self._pause(result, pause)
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
        await self._pause(result)
        return result

    async def _pause(self, request: Request, asked: float = 0.0) -> None:
        await asyncio.sleep(
            backoff_seconds(self.crawler.settings.getfloat("WENHEN_BACKOFF"), request.meta["retry_times"], asked)
        )


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


FULL_HOST_POLL_SECONDS = 0.1  # seconds between requests for a slot
SERVER_RETRY_SECONDS = 1.0  # seconds before a lost server is asked again


@dataclass(slots=True)
class _HostTurns:
    places: HostSlots
    turns: "asyncio.Future[None]"


class RateMiddleware:
    """Sends a request when the shared rate of its host allows it. The pause is the delay of Scrapy's own slot, from
    setting, latency and robots.txt. Here it holds for all crawlers together.
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
        """Wait for a slot of the host."""
        name = host_of(request.url) or ""
        place, starts_at = await self._places(name).enter(f"{self._name}-{next(self._number)}")
        request.meta[META_SLOT] = place
        await self._rests.wait_until_over(name)  # the host may have asked for a rest meanwhile
        if (early := starts_at - monotonic()) > 0:
            await asyncio.sleep(early)
            await self._rests.wait_until_over(name)

    def _places(self, name: str) -> HostSlots:
        if (host := self._hosts.get(name)) is None:
            places = HostSlots(self._concurrency)
            host = self._hosts[name] = _HostTurns(places, asyncio.ensure_future(self._turns(name, places)))
        return host.places

    def process_response(self, request: Request, response: Response) -> Response:
        """Leave the slot. All crawlers leave a busy host alone."""
        self._leave(request)
        asked = retry_after_seconds(response) if response.status in BUSY_STATUSES else 0.0
        if asked:
            self._threads.submit(self._rest, host_of(request.url) or "", asked)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002  Scrapy's interface
        """Leave the slot."""
        self._leave(request)

    async def close(self) -> None:
        """Leave all slots."""
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
            left, entering, held = places.take_left(), places.entering_requests, tuple(places.held)
            try:
                answers = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._turn, name, entering, left, held, places.room_behind
                )
            except Unavailable:
                places.left += left
                await asyncio.sleep(SERVER_RETRY_SECONDS)
                continue
            places.admit(entering, answers)
            # A request that left is reported with the next that enters, or soon, for the sake of other crawlers.
            pause = (
                FULL_HOST_POLL_SECONDS
                if places.entering_requests or places.held or places.left
                else SLOT_LEASE_SECONDS / 3
            )
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
