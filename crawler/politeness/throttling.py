"""Pause between two requests to a host, by its speed and its Crawl-delay, for all crawlers together."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from secrets import token_hex
from time import monotonic
from typing import Any, Self

from scrapy import Request, signals
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    NotConfigured,
)
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from crawler.addresses import host_of
from crawler.capture import NOT_MODIFIED
from crawler.context import META_SLOT, context_of
from crawler.politeness.backoff_and_cooldowns import BACKOFF_SETTING, MAX_WAIT_SECONDS, HostCooldowns, rest_seconds
from crawler.politeness.rate import HostSlots
from crawler.ports import SLOT_LEASE_SECONDS, RateLimiter, SlotGrant
from wenhen.kit.errors import Unavailable

# The pause between two requests to a host. It follows the host's speed, and is never below its Crawl-delay.
#
# `RateMiddleware` applies it to all crawlers together.


QUICK_ANSWERS = (200, NOT_MODIFIED)  # statuses that may shorten the pause


def apply_crawl_delay(downloader: Downloader, host: str, asked: float) -> None:
    """Apply Crawl-delay, a common extension of robots.txt, as the least pause between two requests."""
    if not asked > 0:  # also for "nan"
        return
    floor = max(downloader.settings.getfloat("DOWNLOAD_DELAY"), min(asked, MAX_WAIT_SECONDS))
    # Slots come and go, but their settings stay.
    downloader.per_slot_settings[host] = {"delay": floor, "jitter": 0.0}
    if slot := downloader.slots.get(host):
        slot.delay, slot.jitter = max(slot.delay, floor), 0.0


class AnswerSpeedThrottle:
    """Sets the pause by the rule of Scrapy's AutoThrottle and its settings, but never below Crawl-delay.

    Only 200 and 304 shorten the pause, because errors come quickly. Without 304, one slow moment would slow down a
    whole crawl of unchanged pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._concurrency = settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY")
        self._least = settings.getfloat("DOWNLOAD_DELAY")  # seconds: the pause at the start
        self._most = settings.getfloat("AUTOTHROTTLE_MAX_DELAY")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's constructor."""
        throttle = cls(crawler)
        crawler.signals.connect(throttle.note_answer, signals.response_downloaded)
        return throttle

    def note_answer(self, response: Response, request: Request) -> None:
        """Adjust the pause of the host that answered."""
        downloader: Any = self._crawler.engine.downloader
        slot = downloader.slots.get(request.meta.get("download_slot"))
        latency = request.meta.get("download_latency")
        if slot is None or latency is None:
            return
        host = urlparse_cached(response).hostname or ""
        floor = downloader.per_slot_settings.get(host, {}).get("delay", 0.0)
        slot.delay = max(self._next_delay(slot.delay, latency, response.status), floor)

    def _next_delay(self, delay: float, latency: float, status: int) -> float:
        """Return the mean of the pause and the target, or the target if it is longer. At the target, the wanted number
        of requests is under way.
        """
        target = latency / self._concurrency
        adjusted = min(max(self._least, target, (delay + target) / 2), self._most)
        return adjusted if status in QUICK_ANSWERS else max(adjusted, delay)


# The rate of a host, which all crawlers share.


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
        if rest := rest_seconds(request, response, self._crawler.settings.getfloat(BACKOFF_SETTING)):
            self._threads.submit(self._rest, host_of(request.url) or "", rest)
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
