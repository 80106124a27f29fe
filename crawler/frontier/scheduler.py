"""Schedule Scrapy's requests from a frontier, in periodic exchanges.

Finished callbacks and progress are reported to it, and the crawl stops on request.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, TypeVar

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from crawler.context import META_AGAIN, META_ENTRY, context_of
from crawler.crawl_stats import Batcher, Ledger
from crawler.ports import Frontier, FrontierEntry, FrontierExchange, FrontierState, PageClaim, address_id
from wenhen.kit.errors import Unavailable


class FrontierSpider(Spider):
    """The base of spiders whose requests stand in a frontier. Their callbacks and errbacks are methods of their own."""

    started = False  # all start addresses are entered

    def orphans(self) -> Iterable[Request]:
        """Return the requests that come after all others."""
        return ()

    def forget(self) -> None:
        """Note that the frontier lost all entries."""


# The form of a request in the frontier: address, meta, priority, and the names of its callbacks.


def encode_request(request: Request, spider: Spider) -> bytes:
    """Return the request as JSON, with its callbacks by their names in the spider."""
    kept = {"url": request.url, "meta": request.meta, "priority": request.priority}
    for name, call in (("callback", request.callback), ("errback", request.errback)):
        assert getattr(call, "__self__", None) is spider, f"{name} of {request} is no method of the spider"
        kept[name] = call.__name__  # type: ignore[union-attr]  # as was just seen
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode_request(entry: FrontierEntry, spider: Spider) -> Request:
    """Return the request of an entry."""
    kept = json.loads(entry.payload)
    return Request(
        kept["url"],
        callback=getattr(spider, kept["callback"]),
        errback=getattr(spider, kept["errback"]),
        meta=kept["meta"] | {META_ENTRY: entry.id.hex()},
        priority=kept["priority"],
    )


# Scrapy's scheduler on a frontier: found requests go there, and the next ones come from there.
#
# A loop beside the reactor makes one exchange at a time in a thread, with all that was found and done since the last. A
# request is done when its callback or errback has ended, and its finds are in the same exchange. So the frontier gives
# out again what a killed crawler had not handed over. Retries and redirects stay with the crawler.


T = TypeVar("T")
MAX_ENTRIES_PER_REQUEST = (
    16  # entries in hand for each parallel request: they are resolved, fetched, archived, read and stored
)
BASE_ENTRIES_PER_REQUEST = (
    8  # the same while a crawl waits for its site, because no other crawler can take entries in hand
)
ENTRIES_PER_DONE = 2  # further entries for each that was done since the last exchange
MAX_RECENT_IDS = 100_000  # ids of addresses that were entered lately
GATHER_SECONDS = 0.025  # seconds for which an exchange waits for more entries
IDLE_SECONDS = (0.02, 1.0)  # seconds between idle exchanges, doubled from the first to the last
DRAIN_SECONDS = 4.0  # seconds for requests in flight when a crawl stops
MAX_OUTAGE_SECONDS = 60.0  # seconds without the frontier's server after which the crawl stops, to be resumed later


class FrontierScheduler(BaseScheduler):
    """The scheduler of one crawler. All methods run on the reactor's thread."""

    def __init__(
        self, crawler: Crawler, spider: FrontierSpider, frontier: Frontier, ledger: Ledger, concurrency: int
    ) -> None:
        self._crawler = crawler
        self._spider = spider
        self._frontier = frontier
        self._ledger = ledger
        self._concurrency = concurrency
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="frontier")
        self._take = Batcher[tuple[bytes, bytes], PageClaim](self._frontier.take, self._threads)
        self._ready: deque[Request] = deque()
        self._held: dict[bytes, FrontierEntry] = {}
        self._done: list[bytes] = []
        self._entered: dict[bytes, FrontierEntry] = {}
        self._recent: set[bytes] = set()
        self._taken: set[bytes] = set()  # ids in hand whose page a vanished crawler was storing
        self._reported: dict[str, int] = {}  # our counts that the frontier has
        self._wake = asyncio.Event()
        self._loop: asyncio.Future[None] | None = None
        self._closing = False
        self._orphans_entered = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "FrontierScheduler":
        """Scrapy's constructor."""
        context = context_of(crawler)
        assert isinstance(crawler.spider, FrontierSpider)
        return cls(crawler, crawler.spider, context.frontier, context.ledger, context.job.concurrency)

    def open(self, spider: object) -> "Deferred[None] | None":  # noqa: ARG002  Scrapy's interface
        """Start the exchanges."""
        self._loop = asyncio.ensure_future(self._exchanges())
        return None

    def close(self, reason: str) -> "Deferred[None] | None":  # noqa: ARG002  Scrapy's interface
        """Leave the frontier."""
        return deferred_from_coro(self.let_go())

    def has_pending_requests(self) -> bool:
        """Return True always, because the frontier decides when a crawl ends."""
        return True

    def enqueue_request(self, request: Request) -> bool:
        """Take a request. It stays here if it follows from an entry in hand. Others go to the frontier."""
        if META_ENTRY in request.meta:
            self._ready.append(request)
            return True
        id = address_id(request.url)
        if id in self._recent:
            return False
        if len(self._recent) >= MAX_RECENT_IDS:
            self._recent.clear()
        self._recent.add(id)
        self._entered[id] = FrontierEntry(id, -request.priority, encode_request(request, self._spider))
        self._wake.set()
        return True

    def next_request(self) -> Request | None:
        """Return the next request in hand."""
        return self._ready.popleft() if self._ready else None

    async def take(self, url: str, request: Request) -> PageClaim:
        """Claim the page at this canonical address for a request."""
        return await self._take((address_id(url), bytes.fromhex(request.meta[META_ENTRY])))

    def was_left(self, request: Request) -> bool:
        """Return whether a vanished crawler was storing the page of this request."""
        return bytes.fromhex(request.meta[META_ENTRY]) in self._taken

    def note_end(self, request: Request) -> None:
        """Note that a request has ended, with its redirects and retries."""
        if META_ENTRY in request.meta:
            id = bytes.fromhex(request.meta[META_ENTRY])
            self._taken.discard(id)
            if self._held.pop(id, None):
                self._done.append(id)
                self._wake.set()

    def lose(self, request: Request) -> None:
        """Let the frontier give out a request again after its lease, because the claim failed."""
        self._held.pop(bytes.fromhex(request.meta[META_ENTRY]), None)

    async def _exchanges(self) -> None:
        pause, away_since = IDLE_SECONDS[0], None
        while not self._closing:
            try:
                exchange = await self._exchange()
            except Unavailable as error:
                away_since = away_since or monotonic()
                if monotonic() - away_since > MAX_OUTAGE_SECONDS:
                    self._ledger.fatal = error
                    self.leave_off()  # requests that wait for their turn would wait for ever
                    return
                await asyncio.sleep(1.0)
                continue
            away_since = None
            if await self._is_over(exchange):
                return
            pause = (
                IDLE_SECONDS[0] if exchange.given or self._done or self._entered else min(2 * pause, IDLE_SECONDS[1])
            )
            await asyncio.sleep(GATHER_SECONDS)
            if not self._wake.is_set():
                await _wait_within(self._wake.wait(), pause)
            self._wake.clear()

    async def _exchange(self) -> FrontierExchange:
        done, entered = self._done, self._entered
        self._done, self._entered = [], {}
        counts = self._ledger.counts.as_mapping()
        more = {name: count - self._reported.get(name, 0) for name, count in counts.items()}
        wanted = 0 if self._closing else max(0, self._handful(len(done)) - len(self._held))
        try:
            exchange = await self._call(
                lambda: self._frontier.exchange(
                    done=done, entered=list(entered.values()), held=list(self._held), want=wanted, counts=more
                )
            )
        except Unavailable:
            self._done, self._entered = done + self._done, entered | self._entered
            raise
        if exchange.state is FrontierState.GONE:
            self._done, self._entered = done + self._done, entered | self._entered
        else:
            self._reported = counts
            self._ledger.note_exchange(exchange)
        if exchange.state is FrontierState.FULL:
            self._drop_ready()
        self._taken |= exchange.taken
        for entry in exchange.given:
            self._held[entry.id] = entry
            self._crawler.engine.crawl(self._request_of(entry, again=entry.id in exchange.again))
        return exchange

    def _handful(self, done: int) -> int:
        return min(
            MAX_ENTRIES_PER_REQUEST * self._concurrency,
            BASE_ENTRIES_PER_REQUEST * self._concurrency + ENTRIES_PER_DONE * done,
        )

    def _request_of(self, entry: FrontierEntry, *, again: bool) -> Request:
        """Return the request, which is done when its errback has ended. `DoneMiddleware` does the same for
        callbacks.
        """
        request = decode_request(entry, self._spider)
        if again:
            request.meta[META_AGAIN] = True
        errback = request.errback
        assert errback is not None

        async def report_failure(failure: Failure) -> None:
            await errback(failure)
            self.note_end(failure.request)  # type: ignore[attr-defined]  # Scrapy sets it

        return request.replace(errback=report_failure)

    def _drop_ready(self) -> None:
        ready, self._ready = self._ready, deque()
        for request in ready:
            if bytes.fromhex(request.meta[META_ENTRY]) in self._taken:
                self._ready.append(request)
            else:
                self._ledger.count_left_out()
                self.note_end(request)

    async def _is_over(self, exchange: FrontierExchange) -> bool:
        if exchange.state is FrontierState.GONE:
            await self._begin()
            return False
        idle = not (exchange.waiting or exchange.in_hand or self._held or self._done or self._entered)
        if exchange.state is not FrontierState.OVER and not (idle and self._spider.started):
            return False
        if exchange.state is FrontierState.OPEN and self._enter_orphans():
            return False
        self._end("finished" if exchange.state is FrontierState.OPEN else str(exchange.state))
        return True

    def _enter_orphans(self) -> bool:
        if self._orphans_entered:
            return False
        self._orphans_entered = True
        entered = [self.enqueue_request(request) for request in self._spider.orphans()]
        return any(entered)

    async def _begin(self) -> None:
        """Create a missing frontier. If it was emptied, enter everything again from the start addresses."""
        await self._call(self._frontier.begin)
        if self._spider.started:
            self._recent.clear()
            self._spider.forget()
            self._entered |= self._held  # with the entries in hand, so that no other crawler gets them
            async for request in self._spider.start():
                self.enqueue_request(request)

    def _end(self, reason: str) -> None:
        asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))  # noqa: RUF006  Scrapy keeps it

    async def let_go(self) -> None:
        """Report the last results, and return unfetched entries."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        if self._loop is not None:
            await self._loop
        held = list(self._held)
        self._held.clear()
        try:
            await self._exchange()
            await self._call(self._frontier.give_back, held)
        except Unavailable:
            return  # entries come back when their leases end
        finally:
            self._threads.shutdown(wait=False)

    def leave_off(self) -> None:
        """Stop the crawl within seconds. Whoever resumes the crawl fetches what has not arrived by then."""
        reactor = _installed_reactor()
        if self._crawler.engine.running:  # it may be ending already, and wait for hanging requests
            self._end("left")
        reactor.callLater(DRAIN_SECONDS, lambda: asyncio.ensure_future(self._abandon(reactor)))

    async def _abandon(self, reactor: Any) -> None:
        await self.let_go()
        reactor.crash()  # an orderly stop would wait for hanging requests

    async def _call(self, call: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)


def scheduler_of(crawler: Crawler) -> FrontierScheduler:
    """Return the scheduler of a running crawler."""
    scheduler = crawler.engine.scheduler
    assert isinstance(scheduler, FrontierScheduler)
    return scheduler


def _installed_reactor() -> Any:
    from twisted.internet import reactor  # exists only after its installation

    return reactor


async def _wait_within(waiting: Any, seconds: float) -> None:
    try:
        await asyncio.wait_for(waiting, seconds)
    except TimeoutError:
        return


class DoneMiddleware:
    """Hands the requests of a callback to the scheduler before it marks the request as done. It is the spider
    middleware nearest to the engine.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "DoneMiddleware":
        """Scrapy's constructor."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on everything but requests. If a callback ends the crawl, its request stays in hand and is given
        back.
        """
        scheduler = scheduler_of(self._crawler)
        assert response.request is not None
        try:
            async for output in result:
                if isinstance(output, Request):
                    scheduler.enqueue_request(output)
                else:
                    yield output
        except CloseSpider:
            raise
        except Unavailable:
            scheduler.lose(response.request)
        except Exception:
            scheduler.note_end(response.request)
            raise
        scheduler.note_end(response.request)


REPORT_INTERVAL_SECONDS = 1.0  # seconds


class SteeringExtension:
    """Reports the counts about every second."""

    def __init__(self, crawler: Crawler, ledger: Ledger) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._reports = LoopingCall(self._report)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SteeringExtension":
        """Scrapy's constructor."""
        made = cls(crawler, context_of(crawler).ledger)
        crawler.signals.connect(made.begin, signals.spider_opened)
        crawler.signals.connect(made.end, signals.spider_closed)
        return made

    def begin(self) -> None:
        """Start reporting."""
        self._reports.start(REPORT_INTERVAL_SECONDS)

    def end(self) -> None:
        """Stop reporting."""
        if self._reports.running:
            self._reports.stop()

    def _report(self) -> None:
        self._ledger.report()
        if self._ledger.leaving:
            self.end()
            scheduler_of(self._crawler).leave_off()
