"""Count the result of every address and report it to the sink, in batches and in threads."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from crawler.capture import Capture
from crawler.fetch_errors import SkipOutcome
from crawler.ports import (
    AppearanceSink,
    Arrival,
    FrontierExchange,
    GonePagesSink,
    KnownPage,
    KnownPagesSink,
    LearningSink,
    SessionSink,
    Sink,
    StoppableSink,
)
from crawler.site_access import Cookie
from crawler.skip_reasons import PAGE_LIMIT_REASON, CrawlCounts, PageChange, SkipReason
from wenhen.kit.errors import Message, Unavailable, WenhenError, failure, message
from wenhen.kit.telemetry import CRAWLED_ADDRESSES

# Calls that come one by one and are done together: what comes within a moment, and while a batch is under way.
#
# To send work to another thread and to hear of it costs a crawl as much as most of the work itself, and a server
# answers many questions in nearly the time of one.


A = TypeVar("A")
R = TypeVar("R")
MAX_BATCH_ITEMS = 64  # in a batch
BATCH_WAIT_SECONDS = 0.01  # seconds: what a few pages take of a site that answers at once


class Batcher(Generic[A, R]):
    """One batch at a time, in a thread (of the event loop's own, where none are given); called on the loop's thread.

    `do` gives an answer, or an error, for each of a batch. Where it raises, each is done again alone, and only those
    fail that fail then; but what is `Unavailable` is so for all of them. Each batch waits a `moment`, in seconds, for
    more.
    """

    def __init__(
        self,
        do: Callable[[Sequence[A]], Sequence[R | Exception]],
        threads: Executor | None = None,
        moment: float = BATCH_WAIT_SECONDS,
    ) -> None:
        self._do = do
        self._threads = threads
        self._moment = moment
        self._waiting: deque[tuple[A, asyncio.Future[R]]] = deque()
        self._work: asyncio.Future[None] | None = None

    async def __call__(self, one: A) -> R:
        """What `do` gives for this one; raises what it raises."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((one, future))
        if self._work is None:
            self._work = asyncio.ensure_future(self._until_none_waits())
        return await future

    async def _until_none_waits(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._moment)
                await self._one_batch()
        finally:
            self._work = None

    async def _one_batch(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH_ITEMS, len(self._waiting)))]
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._threads, self._answers, [one for one, _ in batch])
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():  # whoever asked was cancelled
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _answers(self, batch: Sequence[A]) -> Sequence[R | Exception]:
        try:
            return self._do(batch)
        except Unavailable as error:
            return [error] * len(batch)
        except Exception as error:  # noqa: BLE001  raised where it was asked for
            if len(batch) == 1:
                return [error]
            return [answer for one in batch for answer in self._answers([one])]


# What the pages of a site look like from one crawl to the next: the classes of its template, and its languages.


MAX_TEMPLATE_CLASSES = 40  # of a template
MIN_TEMPLATE_SHARE = 0.5  # of the pages, on which a class belongs to the template
MAX_SAMPLED_PAGES = 1000  # the first ones, which are enough to tell


@dataclass(slots=True)
class SiteAppearance:
    """What one crawl has seen."""

    pages: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    _classes: Counter[str] = field(default_factory=Counter)

    def note(self, classes: Iterable[str], language: str | None) -> None:
        """Note a page."""
        if self.pages < MAX_SAMPLED_PAGES:
            self.pages += 1
            self.languages[language or ""] += 1
            self._classes.update(classes)

    def template(self) -> tuple[str, ...]:
        """The classes that most of the pages have, in order."""
        common = [
            name
            for name, times in self._classes.most_common(MAX_TEMPLATE_CLASSES)
            if times > MIN_TEMPLATE_SHARE * self.pages
        ]
        return tuple(sorted(common))


SINK_THREADS = 4  # in which the sink is called
STORE_BATCH_SECONDS = 0.03  # seconds: to store a page asks eight times, however many are stored with it


class Ledger:
    """All methods but `close` are called on the reactor's thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._threads = ThreadPoolExecutor(SINK_THREADS, thread_name_prefix="sink")
        self._store = Batcher[Arrival, PageChange | None](sink.captured, self._threads, STORE_BATCH_SECONDS)
        if isinstance(sink, KnownPagesSink):
            self._remember = Batcher[str, KnownPage](sink.remembered, self._threads)
            self._note_unchanged = Batcher[tuple[str, Capture], bytes](sink.unchanged, self._threads)
        self._fetched = 0
        self._found: Counter[PageChange] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._looks = SiteAppearance()
        self._exchange: FrontierExchange | None = (
            None  # the last with the frontier, which has the counts of all crawlers
        )
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

    def note_exchange(self, exchange: FrontierExchange) -> None:
        """Note how the frontier stands."""
        self._exchange = exchange

    @property
    def remembers(self) -> bool:
        """Whether the sink knows earlier captures."""
        return isinstance(self._sink, KnownPagesSink)

    async def remembered(self, url: str) -> KnownPage:
        """What the sink knows of a page; what cannot be looked up is fetched anew."""
        with suppress(WenhenError):
            return await self._remember(url)
        return KnownPage()

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
        self.stored(PageChange.UNCHANGED)
        return body

    def stored(self, found: PageChange | None) -> None:
        """Count a page that is stored. What goes no further, as the crawl ends, counts when the crawl is taken up."""
        if self.fatal is None:
            self._fetched += 1
            CRAWLED_ADDRESSES.labels("stored", found or "").inc()
            if found is not None:
                self._found[found] += 1

    def rested(self) -> None:
        """Count a page that is known and need not be asked for."""
        self._found[PageChange.RESTED] += 1

    def look(self, classes: Iterable[str], language: str | None) -> None:
        """Note what a page that was fetched looks like."""
        self._looks.note(classes, language)

    def _not_stored(self, url: str, error: Exception) -> None:
        if isinstance(error, Unavailable):
            self.fatal = self.fatal or error
        else:
            self.missed(
                url, SkipOutcome(False, SkipReason.NOT_STORED, message("fetch.not_stored", reason=failure(error)))
            )

    def missed(self, url: str, outcome: SkipOutcome) -> None:
        """Count an address that gave no capture, and say why."""
        self.count_missed(outcome)
        told = self._threads.submit(self._sink.refused, url, outcome.message, str(outcome.reason))
        told.add_done_callback(self._note_error)

    def count_missed(self, outcome: SkipOutcome) -> None:
        """Count an address that gave no capture, for a reason that was said of another one."""
        reason = str(outcome.reason)
        (self._refused if outcome.refused else self._failed)[reason] += 1
        CRAWLED_ADDRESSES.labels("refused" if outcome.refused else "failed", reason).inc()

    def left_out(self) -> None:
        """Count an address that was not captured, as there were enough pages."""
        self._refused[PAGE_LIMIT_REASON] += 1
        CRAWLED_ADDRESSES.labels("refused", PAGE_LIMIT_REASON).inc()

    def gone(self, url: str, message: Message) -> None:
        """Say that what was at this address is no longer there; it is counted by the address that was asked for."""
        if isinstance(self._sink, GonePagesSink):
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
        if isinstance(self._sink, StoppableSink) and self._sink.leaves_off():
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
        if isinstance(self._sink, AppearanceSink) and self._looks.pages:
            self._sink.looks(self._looks.template(), self._looks.languages)
        self._sink.progress(counts)
        return counts
