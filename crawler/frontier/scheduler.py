"""Schedule Scrapy's requests from a frontier, in periodic exchanges."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, TypeVar

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from crawler.context import META_AGAIN, META_ENTRY, context_of
from crawler.crawl_stats import Batcher, Ledger
from crawler.ports import Frontier, FrontierEntry, FrontierExchange, FrontierState, PageClaim, address_id
from wenhen.kit.errors import Unavailable


class FrontierSpider(Spider):
    """The base of those whose requests stand in a frontier; their callbacks and errbacks are methods of their own."""

    started = False  # the start addresses were all handed over

    def orphans(self) -> Iterable[Request]:
        """What is asked for when all else was."""
        return ()

    def forget(self) -> None:
        """The frontier knows nothing any more of what was handed over to it."""


# A request as its frontier keeps it: its address, and what the spider needs to know of it.


def encode_request(request: Request, spider: Spider) -> bytes:
    """The request in JSON, its callbacks by their names in the spider."""
    kept = {"url": request.url, "meta": request.meta, "priority": request.priority}
    for name, call in (("callback", request.callback), ("errback", request.errback)):
        assert getattr(call, "__self__", None) is spider, f"{name} of {request} is no method of the spider"
        kept[name] = call.__name__  # type: ignore[union-attr]  # as was just seen
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode_request(entry: FrontierEntry, spider: Spider) -> Request:
    """The request of an entry, as it was found."""
    kept = json.loads(entry.payload)
    return Request(
        kept["url"],
        callback=getattr(spider, kept["callback"]),
        errback=getattr(spider, kept["errback"]),
        meta=kept["meta"] | {META_ENTRY: entry.id.hex()},
        priority=kept["priority"],
    )


# Scrapy's scheduler on a frontier: what is found goes there, and what is to be fetched comes from there.
#
# The two meet in a loop beside the reactor's work: an exchange at a time, off its thread, with all that was found and
# done since the last. A request counts as done when its callback or errback has ended and what that found is on its way
# in the same exchange; so whatever a killed crawler had not handed over comes back with the address that it had in
# hand. Retries and redirects of a request stay with the crawler that holds it.


T = TypeVar("T")
MAX_ENTRIES_PER_REQUEST = (
    16  # entries in hand for each request at a time, at most: being looked up, fetched, archived, read and stored
)
BASE_ENTRIES_PER_REQUEST = (
    8  # the same of a crawl that waits for its site: what one has in hand no other crawler can take
)
ENTRIES_PER_DONE = 2  # entries more, of each that was done since the last exchange
MAX_RECENT_IDS = 100_000  # ids of addresses that need not be asked about again
GATHER_SECONDS = 0.025  # seconds in which what is found and done waits for more, so that one exchange takes many
IDLE_SECONDS = (0.02, 1.0)  # seconds between exchanges when nothing happens here, doubled from the first to the last
DRAIN_SECONDS = 4.0  # seconds for what is being fetched when a crawl is to leave off
MAX_OUTAGE_SECONDS = (
    60.0  # seconds for which the frontier's server may be away before the crawl is left to be taken up later
)


class FrontierScheduler(BaseScheduler):
    """One for each crawler; all methods are called on the reactor's thread."""

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
        self._found: dict[bytes, FrontierEntry] = {}
        self._recent: set[bytes] = set()
        self._taken: set[bytes] = set()  # of those in hand, those that another crawler was storing when it went away
        self._reported: dict[str, int] = {}  # counts of ours that the frontier has
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
        """Begin the exchanges."""
        self._loop = asyncio.ensure_future(self._exchanges())
        return None

    def close(self, reason: str) -> "Deferred[None] | None":  # noqa: ARG002  Scrapy's interface
        """Let go of the frontier."""
        return deferred_from_coro(self.let_go())

    def has_pending_requests(self) -> bool:
        """Always: the end of a crawl is what the frontier says."""
        return True

    def enqueue_request(self, request: Request) -> bool:
        """Take a request in: one that follows from one in hand is done here, others go to the frontier."""
        if META_ENTRY in request.meta:
            self._ready.append(request)
            return True
        id = address_id(request.url)
        if id in self._recent:
            return False
        if len(self._recent) >= MAX_RECENT_IDS:
            self._recent.clear()
        self._recent.add(id)
        self._found[id] = FrontierEntry(id, -request.priority, encode_request(request, self._spider))
        self._wake.set()
        return True

    def next_request(self) -> Request | None:
        """The next of those in hand."""
        return self._ready.popleft() if self._ready else None

    async def take(self, url: str, request: Request) -> PageClaim:
        """Whether the page at this canonical address may be captured for this request."""
        return await self._take((address_id(url), bytes.fromhex(request.meta[META_ENTRY])))

    def was_left(self, request: Request) -> bool:
        """Whether another crawler was storing the page of this request when it went away."""
        return bytes.fromhex(request.meta[META_ENTRY]) in self._taken

    def done(self, request: Request) -> None:
        """Nothing more comes of a request, nor of the one that it was redirected from or tried again for."""
        if META_ENTRY in request.meta:
            id = bytes.fromhex(request.meta[META_ENTRY])
            self._taken.discard(id)
            if self._held.pop(id, None):
                self._done.append(id)
                self._wake.set()

    def lose(self, request: Request) -> None:
        """Let a request come back when its lease ends: the frontier could not be asked about it."""
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
                    self.leave_off()  # what waits for its turn would do so for ever
                    return
                await asyncio.sleep(1.0)
                continue
            away_since = None
            if await self._is_over(exchange):
                return
            pause = IDLE_SECONDS[0] if exchange.given or self._done or self._found else min(2 * pause, IDLE_SECONDS[1])
            await asyncio.sleep(GATHER_SECONDS)
            if not self._wake.is_set():
                await _wait_within(self._wake.wait(), pause)
            self._wake.clear()

    async def _exchange(self) -> FrontierExchange:
        done, found = self._done, self._found
        self._done, self._found = [], {}
        counts = self._ledger.counts.as_mapping()
        more = {name: count - self._reported.get(name, 0) for name, count in counts.items()}
        wanted = 0 if self._closing else max(0, self._handful(len(done)) - len(self._held))
        try:
            exchange = await self._call(
                lambda: self._frontier.exchange(
                    done=done, entered=list(found.values()), held=list(self._held), want=wanted, counts=more
                )
            )
        except Unavailable:
            self._done, self._found = done + self._done, found | self._found
            raise
        if exchange.state is FrontierState.GONE:
            self._done, self._found = done + self._done, found | self._found
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
        """The request, done when its errback has ended as well; of callbacks `DoneMiddleware` says so."""
        request = decode_request(entry, self._spider)
        if again:
            request.meta[META_AGAIN] = True
        errback = request.errback
        assert errback is not None

        async def missed(failure: Failure) -> None:
            await errback(failure)
            self.done(failure.request)  # type: ignore[attr-defined]  # Scrapy sets it

        return request.replace(errback=missed)

    def _drop_ready(self) -> None:
        ready, self._ready = self._ready, deque()
        for request in ready:
            if bytes.fromhex(request.meta[META_ENTRY]) in self._taken:
                self._ready.append(request)
            else:
                self._ledger.left_out()
                self.done(request)

    async def _is_over(self, exchange: FrontierExchange) -> bool:
        if exchange.state is FrontierState.GONE:
            await self._begin()
            return False
        idle = not (exchange.waiting or exchange.in_hand or self._held or self._done or self._found)
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
        """Make a frontier that is not there; where it was emptied, all is entered again from the start addresses."""
        await self._call(self._frontier.begin)
        if self._spider.started:
            self._recent.clear()
            self._spider.forget()
            self._found |= self._held  # with what is in hand, so that nobody else is given it
            async for request in self._spider.start():
                self.enqueue_request(request)

    def _end(self, reason: str) -> None:
        asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))  # noqa: RUF006  Scrapy keeps it

    async def let_go(self) -> None:
        """Report the last, and give back what was not fetched."""
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
            return  # what is held comes back when its lease ends
        finally:
            self._threads.shutdown(wait=False)

    def leave_off(self) -> None:
        """End the crawl within seconds: what does not arrive in this time is fetched by whoever takes the crawl up."""
        reactor = _installed_reactor()
        if self._crawler.engine.running:  # it may be ending already, and wait for what hangs
            self._end("left")
        reactor.callLater(DRAIN_SECONDS, lambda: asyncio.ensure_future(self._abandon(reactor)))

    async def _abandon(self, reactor: Any) -> None:
        await self.let_go()
        reactor.crash()  # an orderly stop would wait for what hangs

    async def _call(self, call: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)


def scheduler_of(crawler: Crawler) -> FrontierScheduler:
    """The scheduler of a crawler that runs."""
    scheduler = crawler.engine.scheduler
    assert isinstance(scheduler, FrontierScheduler)
    return scheduler


def _installed_reactor() -> Any:
    from twisted.internet import reactor  # there only once it was installed

    return reactor


async def _wait_within(waiting: Any, seconds: float) -> None:
    try:
        await asyncio.wait_for(waiting, seconds)
    except TimeoutError:
        return
