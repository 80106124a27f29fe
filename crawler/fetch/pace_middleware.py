"""The downloader middleware that keeps to the pace that all crawlers share for a host."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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
from crawler.crawl.pace import LEASE, Pace
from crawler.crawl.request_meta import PACE
from crawler.fetch.retry import BUSY, retry_after
from store.errors import Unavailable

FULL = 0.1  # seconds before it is asked again whether there is room
AWAY = 1.0  # seconds before a server that is away is asked again


@dataclass(slots=True)
class _Host:
    """What this crawler has to do with one host."""

    entering: dict[str, "asyncio.Future[float]"] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    loop: "asyncio.Future[None] | None" = None


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
        host = self._hosts.setdefault(name, _Host())
        if host.loop is None:
            host.loop = asyncio.ensure_future(self._turns(name, host))
        place = f"{self._name}-{next(self._number)}"
        host.entering[place] = waiting = asyncio.get_running_loop().create_future()
        host.wake.set()
        seconds = await waiting
        at = monotonic() + seconds
        request.meta[PACE] = place
        await self._rests.over(name)  # it may have asked for a rest meanwhile, and again while this one waits
        await asyncio.sleep(at - monotonic())
        await self._rests.over(name)

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
            if host.loop is not None:
                host.loop.cancel()
            gone = [*host.left, *host.held]
            if gone:
                self._threads.submit(self._turn, name, (), gone, ())
        self._threads.shutdown(wait=False)

    def _leave(self, request: Request) -> None:
        place = request.meta.pop(PACE, None)
        host = self._hosts.get(host_of(request.url) or "")
        if host is not None and place in host.held:
            host.held.discard(place)
            host.left.append(place)
            if host.entering:
                host.wake.set()

    async def _turns(self, name: str, host: _Host) -> None:
        while True:
            host.wake.clear()
            left, host.left = host.left, []
            entering = list(host.entering)
            try:
                answers = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._turn, name, entering, left, tuple(host.held)
                )
            except Unavailable:
                host.left = left + host.left
                await asyncio.sleep(AWAY)
                continue
            for place, wait in zip(entering, answers, strict=True):
                if wait is not None:
                    host.held.add(place)
                    host.entering.pop(place).set_result(wait)
            # That a request left is reported with the next that enters, or soon, for those of other crawlers.
            pause = FULL if host.entering or host.held or host.left else LEASE / 3
            try:
                await asyncio.wait_for(host.wake.wait(), pause)
            except TimeoutError:
                continue

    def _turn(self, name: str, entering: Iterable[str], left: Iterable[str], held: Iterable[str]) -> list[float | None]:
        return self._pace.turn(
            name,
            tuple(entering),
            left=tuple(left),
            held=tuple(held),
            delay=self._delay(name),
            most=self._concurrency,
        )

    def _rest(self, name: str, seconds: float) -> None:
        self._pace.rest(name, min(seconds, LONGEST_WAIT))

    def _delay(self, name: str) -> float:
        downloader: Any = self._crawler.engine.downloader
        if slot := downloader.slots.get(name):
            return float(slot.delay)
        return float(downloader.per_slot_settings.get(name, {}).get("delay", self._default_delay))
