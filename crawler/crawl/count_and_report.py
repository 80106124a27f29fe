"""Counts what becomes of every address and reports it to the sink, off the reactor's thread."""

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from crawler.crawl.address_counts import LIMIT, CrawlCounts, Found
from crawler.crawl.batching import Batcher
from crawler.crawl.frontier_port import Exchange
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.sink_port import (
    Arrival,
    LearningSink,
    LookingSink,
    Remembered,
    RememberingSink,
    SessionSink,
    Sink,
    SteeredSink,
    VanishingSink,
)
from crawler.crawl.site_appearance import SiteLooks
from crawler.crawl.why_not_captured import Outcome
from store.errors import Unavailable, WenhenError
from store.failures import failure
from store.messages import Message, message
from store.metrics import CRAWLED
from store.records import Capture, Cookie

THREADS = 4  # in which the sink is called
STORED_TOGETHER = 0.03  # seconds: to store a page asks eight times, however many are stored with it


class Ledger:
    """All methods but `close` are called on the reactor's thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sink")
        self._store = Batcher[Arrival, Found | None](sink.captured, self._threads, STORED_TOGETHER)
        if isinstance(sink, RememberingSink):
            self._remember = Batcher[str, Remembered](sink.remembered, self._threads)
            self._note_unchanged = Batcher[tuple[str, Capture], bytes](sink.unchanged, self._threads)
        self._fetched = 0
        self._found: Counter[Found] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._looks = SiteLooks()
        self._exchange: Exchange | None = None  # the last with the frontier, which has the counts of all crawlers
        self.fatal: Exception | None = None  # an error of the sink that ends the crawl
        self.leaving = False  # the sink wants the crawl to leave off

    @property
    def counts(self) -> CrawlCounts:
        """The counts up to now."""
        return CrawlCounts(self._fetched, dict(self._refused), dict(self._failed), dict(self._found))

    @property
    def total(self) -> CrawlCounts:
        """The counts of all crawlers of the run, as far as is known here."""
        if self._exchange is None:
            return self.counts
        return CrawlCounts.of(self._exchange.counts, waiting=self._exchange.waiting + self._exchange.in_hand)

    def note_exchange(self, exchange: Exchange) -> None:
        """Note how the frontier stands."""
        self._exchange = exchange

    @property
    def remembers(self) -> bool:
        """Whether the sink knows earlier captures."""
        return isinstance(self._sink, RememberingSink)

    async def remembered(self, url: str) -> Remembered:
        """What the sink knows of a page; what cannot be looked up is fetched anew."""
        with suppress(WenhenError):
            return await self._remember(url)
        return Remembered()

    async def captured(self, arrival: Arrival) -> None:
        """Hand a capture over; returns when the sink has taken it, or its refusal is counted."""
        try:
            found = await self._store(arrival)
        except Exception as error:  # noqa: BLE001  whatever one page does to the sink, the rest goes on
            self._not_stored(arrival.url, error)
        else:
            self.stored(found)

    async def unchanged(self, url: str, capture: Capture) -> bytes:
        """Hand over that a page is as before; its body, empty when that could not be noted."""
        try:
            body = await self._note_unchanged((url, capture))
        except Exception as error:  # noqa: BLE001  the same
            self._not_stored(url, error)
            return b""
        self.stored(Found.UNCHANGED)
        return body

    def stored(self, found: Found | None) -> None:
        """Count a page that is stored. What goes no further, as the crawl ends, counts when the crawl is taken up."""
        if self.fatal is None:
            self._fetched += 1
            CRAWLED.labels("stored", found or "").inc()
            if found is not None:
                self._found[found] += 1

    def rested(self) -> None:
        """Count a page that is known and need not be asked for."""
        self._found[Found.RESTED] += 1

    def look(self, classes: Iterable[str], language: str | None) -> None:
        """Note what a page that was fetched looks like."""
        self._looks.note(classes, language)

    def _not_stored(self, url: str, error: Exception) -> None:
        if isinstance(error, Unavailable):
            self.fatal = self.fatal or error
        else:
            self.missed(url, Outcome(False, Reason.NOT_STORED, message("fetch.not_stored", reason=failure(error))))

    def missed(self, url: str, outcome: Outcome) -> None:
        """Count an address that gave no capture, and say why."""
        self.count_missed(outcome)
        told = self._threads.submit(self._sink.refused, url, outcome.message, str(outcome.reason))
        told.add_done_callback(self._note_error)

    def count_missed(self, outcome: Outcome) -> None:
        """Count an address that gave no capture, for a reason that was said of another one."""
        reason = str(outcome.reason)
        (self._refused if outcome.refused else self._failed)[reason] += 1
        CRAWLED.labels("refused" if outcome.refused else "failed", reason).inc()

    def left_out(self) -> None:
        """Count an address that was not captured, as there were enough pages."""
        self._refused[LIMIT] += 1
        CRAWLED.labels("refused", LIMIT).inc()

    def gone(self, url: str, message: Message) -> None:
        """Say that what was at this address is no longer there; it is counted by the address that was asked for."""
        if isinstance(self._sink, VanishingSink):
            self._threads.submit(self._sink.gone, url, message).add_done_callback(self._note_error)

    def needs_browser(self, url: str) -> None:
        """Say that a page of the site, the one at this address, showed its text in a browser alone."""
        if isinstance(self._sink, LearningSink):
            self._threads.submit(self._sink.needs_browser, url).add_done_callback(self._note_error)

    def session(self, cookies: Sequence[Cookie]) -> None:
        """Hand over the cookies that the site has set last."""
        if isinstance(self._sink, SessionSink):
            self._threads.submit(self._sink.session, cookies).add_done_callback(self._note_error)

    def report(self) -> None:
        """Report the counts, and ask whether to go on."""
        self._threads.submit(self._report).add_done_callback(self._note_error)

    def _report(self) -> None:
        self._sink.progress(self.total)
        if isinstance(self._sink, SteeredSink) and self._sink.leaves_off():
            self.leaving = True

    def _note_error(self, call: "Future[None]") -> None:
        error = call.exception()
        if isinstance(error, Exception):
            self.fatal = self.fatal or error

    def close(self) -> CrawlCounts:
        """Wait for what is under way, report the last counts and return them; raises what ended the crawl."""
        self._threads.shutdown(wait=True)
        if self.fatal is not None:
            raise self.fatal
        counts = self.total
        if isinstance(self._sink, LookingSink) and self._looks.pages:
            self._sink.looks(self._looks.template(), self._looks.languages)
        self._sink.progress(counts)
        return counts
