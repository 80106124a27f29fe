"""The downloader middleware that keeps to the pace that all crawlers share for a host."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from secrets import token_hex
from time import monotonic
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.crawl.context import context_of
from crawler.crawl.host_names import host_of
from crawler.crawl.host_rests import LONGEST_WAIT, HostRests
from crawler.crawl.pace_port import LEASE, Admitted, Pace
from crawler.crawl.request_meta import PACE
from crawler.fetch.host_places import HostPlaces
from crawler.fetch.request_retries import BUSY, retry_after
from store.errors import Unavailable

FULL = 0.1  # seconds before it is asked again whether there is room
AWAY = 1.0  # seconds before a server that is away is asked again


@dataclass(slots=True)
class _Host:
    places: HostPlaces
    turns: "asyncio.Future[None]"


class PaceMiddleware:
    """Lets a request out when its host may be asked: the pause is what Scrapy's own slot for it has come to, by the
    setting, the server's latency and robots.txt; here it holds for all crawlers together.
    """

    def __init__(self, crawler: Crawler, pace: Pace, rests: HostRests, *, delay: float, concurrency: int) -> None:
        self._crawler = crawler
        self._pace = pace
        self._rests = rests
        self._default_delay = delay
        self._concurrency = concurrency
        self._hosts: dict[str, _Host] = {}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="pace")
        self._name = token_hex(8)
        self._number = count()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PaceMiddleware":
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
        request.meta[PACE] = place
        await self._rests.over(name)  # it may have asked for a rest meanwhile, and again while this one waits
        if (early := at - monotonic()) > 0:
            await asyncio.sleep(early)
            await self._rests.over(name)

    def _places(self, name: str) -> HostPlaces:
        if (host := self._hosts.get(name)) is None:
            places = HostPlaces(self._concurrency)
            host = self._hosts[name] = _Host(places, asyncio.ensure_future(self._turns(name, places)))
        return host.places

    def process_response(self, request: Request, response: Response) -> Response:
        """Make room; a host that is busy is left alone by all."""
        self._leave(request)
        asked = retry_after(response) if response.status in BUSY else 0.0
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
        place = request.meta.pop(PACE, None)
        host = self._hosts.get(host_of(request.url) or "")
        if host is not None and place is not None:
            host.places.leave(place)

    async def _turns(self, name: str, places: HostPlaces) -> None:
        while True:
            places.wake.clear()
            left, entering, held = places.take_left(), places.entering, tuple(places.held)
            try:
                answers = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._turn, name, entering, left, held, places.room_behind
                )
            except Unavailable:
                places.left += left
                await asyncio.sleep(AWAY)
                continue
            places.admit(entering, answers)
            # That a request left is reported with the next that enters, or soon, for those of other crawlers.
            pause = FULL if places.entering or places.held or places.left else LEASE / 3
            try:
                await asyncio.wait_for(places.wake.wait(), pause)
            except TimeoutError:
                continue

    def _turn(
        self, name: str, entering: Iterable[str], left: Iterable[str], held: Iterable[str], following: int = 0
    ) -> list[Admitted | None]:
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
        self._pace.rest(name, min(seconds, LONGEST_WAIT))

    def _delay(self, name: str) -> float:
        downloader: Any = self._crawler.engine.downloader
        if slot := downloader.slots.get(name):
            return float(slot.delay)
        return float(downloader.per_slot_settings.get(name, {}).get("delay", self._default_delay))
